"""Values of widgets in runs that a timer caused."""

from unittest import mock

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner

from viz.state import session


def page_of_parts() -> None:
    """A page with a select box, a polled part, and a fragment."""
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


def run_part(at: AppTest, part: str) -> AppTest:
    """A run that draws one part alone, as the browser asks for it."""
    drawn = at.session_state[part]
    with mock.patch.object(
        local_script_runner, "RerunData", lambda **data: RerunData(**data, fragment_id_queue=[drawn])
    ):
        return at.run()


def layer_of(at: AppTest) -> int:
    layer: int = at.session_state["page"].selection.layer
    return layer


@pytest.mark.parametrize("part", ["polled", "acted in"])
def test_a_click_counts_whichever_part_reports_it_first(part: str) -> None:
    at = AppTest.from_function(page_of_parts).run()
    at.selectbox(key="layer").set_value(2)
    assert layer_of(run_part(at, part)) == 2
    assert at.run().selectbox(key="layer").value == 2


@pytest.mark.parametrize(("part", "layer"), [("polled", 2), ("acted in", 1)])
def test_a_polled_part_may_report_a_replaced_value(part: str, layer: int) -> None:
    at = AppTest.from_function(page_of_parts).run()
    at.selectbox(key="layer").set_value(1).run()
    at.query_params["layer"] = "2"
    with mock.patch.object(session, "went_through_history", return_value=True):
        at.run()
    assert layer_of(at) == at.selectbox(key="layer").value == 2
    at.selectbox(key="layer").set_value(1)  # as a browser that has not received 2 reports it
    assert layer_of(run_part(at, part)) == layer
    assert at.run().selectbox(key="layer").value == layer
    assert layer_of(at.selectbox(key="layer").set_value(0).run()) == 0
