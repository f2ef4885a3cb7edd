"""The page's state in Streamlit's session: one `Page`, and the widgets that show and change its selection.

A widget is drawn from the selection with `bound`, and its callback applies a change; nothing else is read from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypedDict

import streamlit as st

from viz.state import history
from viz.state.fields import value_of
from viz.state.history import Page
from viz.state.messages import read_change
from viz.state.selection import Selection

PAGE = "page"


class Bound(TypedDict):
    """What ties a widget to a field: its key, and its callback."""

    key: str
    on_change: Callable[[], None]


def current() -> Selection:
    """The selection as it is now."""
    return _page().selection


def change(**values: Any) -> None:
    """Apply somebody's change: the callback of a widget. Names are those of `viz.state.fields.FIELDS`."""
    st.session_state[PAGE] = history.changed(_page(), values)


def apply_view_change(message: Mapping[str, Any]) -> None:
    """Apply what somebody did in a view of ours; what stands for no change is logged and left."""
    change(**read_change(message))


def adjust(selection: Selection) -> Selection:
    """Hold another selection, which nobody asked for: the nearest one that the model or the text has."""
    st.session_state[PAGE] = replace(_page(), selection=selection)
    return selection


def ignore_stale_address() -> None:
    """Let the selection stand, even where the browser's address does not name it yet.

    The callback of a button that changes no field, and for a run that nobody asked for: its address, older than the
    selection, would else count as somebody's way back.
    """
    st.session_state[PAGE] = replace(_page(), touched=True)


def restore() -> None:
    """Read the page's address: when the page opens, and when the browser goes back or forward."""
    params = st.query_params.to_dict()
    st.session_state[PAGE] = history.arrived(_page(), params) if PAGE in st.session_state else history.opened(params)


def save() -> None:
    """Write the selection into the page's address."""
    page = history.written(_page())
    if st.query_params.to_dict() != page.address:
        st.query_params.from_dict(page.address)
    st.session_state[PAGE] = page


def take_problems() -> tuple[str, ...]:
    """What is wrong with the link, told once."""
    page = _page()
    st.session_state[PAGE] = replace(page, problems=())
    return page.problems


def bound(
    name: str,
    *,
    key: str | None = None,
    to_widget: Callable[[Any], Any] = lambda value: value,
    from_widget: Callable[[Any], Any] = lambda value: value,
) -> Bound:
    """Ties a widget that is drawn next to a field: it shows the field's value and changes it.

    A widget that shows the value already is left alone, so that a run does not take from somebody what is being typed.

    Args:
        name: of the field.
        key: Streamlit's; the field's name unless two widgets show one field, or one shows it in another form.
        to_widget, from_widget: the field's value as the widget holds it, and back.
    """
    key = key or name
    value = to_widget(value_of(current(), name))
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value

    def change_field() -> None:
        change(**{name: from_widget(st.session_state[key])})

    return {"key": key, "on_change": change_field}


def _page() -> Page:
    page: Page = st.session_state[PAGE]
    return page
