"""Lists whose titles change: what a browser sends that has not heard of it."""

from collections.abc import Callable

import pytest
import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile
from streamlit.testing.v1 import AppTest

from viz.page import collection_inputs
from viz.page.tours import editor


def page() -> None:
    import streamlit as st

    from viz.widgets import select_box

    words = st.session_state.setdefault("words", ["time", "flies", "flies"])
    st.session_state.setdefault("chosen", 1)
    chosen = st.session_state["chosen"]
    on_choice = lambda position: st.session_state.update(chosen=position)  # noqa: E731
    select_box("Word", dict(enumerate(words)), shown=chosen, key="box", on_choice=on_choice)


def opened() -> AppTest:
    return AppTest.from_function(page).run()


def test_titles_that_are_the_same_are_told_apart() -> None:
    at = opened()
    assert at.selectbox(key="box").options == ["time", "flies · 2", "flies · 3"]
    at.selectbox(key="box").set_value("flies · 3").run()
    assert at.session_state["chosen"] == 2


def test_a_browser_that_receives_the_box_late_shows_its_value() -> None:
    at = opened()
    at.run()
    assert at.selectbox(key="box").proto.default == 1


def test_a_new_title_of_the_same_value_is_shown() -> None:
    at = opened()
    at.session_state["words"] = ["fruit", "grows", "near"]
    at.run()
    assert at.selectbox(key="box").value == "grows"
    assert at.session_state["chosen"] == 1


def test_a_title_that_has_gone_chooses_nothing() -> None:
    at = opened()
    at.session_state["words"] = ["fruit", "grows", "near"]
    at.run()
    at.selectbox(key="box").options.append("flies · 3")  # the list as the browser still has it
    at.selectbox(key="box").set_value("flies · 3").run()
    assert (at.session_state["chosen"], at.selectbox(key="box").value) == (1, "grows")
    assert not at.exception


@pytest.mark.parametrize(
    ("key", "open_file"), [(collection_inputs.UPLOAD, collection_inputs._open_upload), (editor.FILE, editor._open)]
)
def test_a_file_that_only_another_server_had_is_not_opened(
    key: str, open_file: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = {key: DeletedFile(file_id="gone")}
    monkeypatch.setattr(st, "session_state", state.copy())
    open_file()
    assert st.session_state == state
