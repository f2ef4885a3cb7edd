"""A bare Streamlit page, a component with a button: the least that a click takes on its way through Python."""

from __future__ import annotations

from collections.abc import Callable

from bench.page import Tab

KIND = "bare"  # of its picture, see page.js
SCRIPT = '''import streamlit as st
JS = """export default ({ data, parentElement, setTriggerValue }) => {
  const view = parentElement.querySelector(".view");
  view.onclick = () => setTriggerValue("click", Date.now());
  requestAnimationFrame(() => { view.textContent = view.dataset.painted = String(data); });
}"""
component = st.components.v2.component("bare", html='<button class="view">0</button>', js=JS)
st.session_state.setdefault("count", 0)
st.session_state.count += 1
component(key="bare", data=st.session_state.count, on_click_change=lambda: None)
'''


def open_bare(tab: Tab) -> None:
    """Open the page, until it has painted."""
    tab.goto()
    tab.has(KIND)


def click(tab: Tab) -> None:
    """Click its button."""
    tab.page.locator("button.view").click()


def timed_click(tab: Tab) -> Callable[[], float]:
    """A variant that measures a click, to painted."""
    return lambda: tab.measure(KIND, lambda: click(tab)).seconds
