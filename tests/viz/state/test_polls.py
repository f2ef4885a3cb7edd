"""What widgets say in a run that nobody's click made."""

from unittest import mock

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner


def page_of_parts() -> None:
    """A page with a box, a part that is drawn again by itself, and one that is drawn where somebody acts in it."""
    import streamlit as st
    from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

    from viz.state import session

    def note(part: str) -> None:
        st.session_state[part] = ThreadState.get().fragment_id

    session.restore()
    st.selectbox("Layer", [0, 1, 2], **session.bound("layer", options=[0, 1, 2]))
    session.polled(note, every=60)("polled")
    st.fragment(note)("acted in")
    session.save()
    session.finish()


@pytest.mark.parametrize(("part", "layer"), [("polled", 0), ("acted in", 2)])
def test_a_part_that_draws_itself_again_tells_no_click(part: str, layer: int) -> None:
    at = AppTest.from_function(page_of_parts).run()
    at.selectbox(key="layer").set_value(2)
    drawn = at.session_state[part]
    with mock.patch.object(
        local_script_runner, "RerunData", lambda **data: RerunData(**data, fragment_id_queue=[drawn])
    ):
        at.run()
    assert at.session_state["page"].selection.layer == layer
    at.run()
    assert at.selectbox(key="layer").value == layer
    at.selectbox(key="layer").set_value(1).run()
    assert at.session_state["page"].selection.layer == 1
