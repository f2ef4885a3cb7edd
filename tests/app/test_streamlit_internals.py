"""Streamlit's internals: found in the version that was checked, and the page without them."""

import builtins
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit import net_util
from streamlit.components.v2.bidi_component import main
from streamlit.components.v2.presentation import make_bidi_component_presenter
from streamlit.cursor import Cursor, RunningCursor
from streamlit.proto.Element_pb2 import Element
from streamlit.runtime import scriptrunner
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.testing.v1 import AppTest
from streamlit.web.server.server_util import is_url_from_allowed_origins

from tests.app.app_script import choose, components, figures, labels, open_page, type_texts
from viz import streamlit_internals as internals

FALLBACKS: dict[Any, object] = {
    internals.run_check: None,
    internals.browser_check: internals._assume_browser,
    internals.went_through_history: False,
    internals.fragment_id: None,
    internals.fragments_of_callback: frozenset(),
    internals.origin_check: internals._is_same_origin,
    internals.frontend_folder: None,
    internals.disable_address_lookup: None,
    internals.present_plain_states: None,
    internals.identify_components_by_key: None,
    internals.copy_places_at_once: None,
    internals.ignore_gone_widgets: None,
    internals.draw_all_that_changed: None,
    internals.upload_manager: None,
    internals.end_gone_sessions: None,
    internals.is_script_running: False,
}


@pytest.fixture(autouse=True)
def _forget_warnings() -> None:
    internals._warned.clear()


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every import of Streamlit's internals fail in `viz.streamlit_internals`."""
    imported = builtins.__import__

    def fail(name: str, scope: Any = None, *args: Any, **options: Any) -> Any:
        if name.partition(".")[0] == "streamlit" and (scope or {}).get("__name__") == internals.__name__:
            raise ImportError(f"{name} has moved")
        return imported(name, scope, *args, **options)

    monkeypatch.setattr(builtins, "__import__", fail)


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What `viz.streamlit_internals` logged; Streamlit warns of calls outside a script run."""
    return [record.getMessage() for record in caplog.records if record.name == internals.logger.name]


def script() -> None:
    import streamlit as st

    from viz import streamlit_internals as internals

    @st.fragment
    def part() -> None:
        st.session_state["fragment"] = internals.fragment_id()

    part()
    st.session_state["outside"] = internals.fragment_id()
    st.session_state["check"] = internals.run_check()
    st.session_state["history"] = internals.went_through_history()
    st.session_state["callback"] = internals.fragments_of_callback()


def test_the_installed_streamlit_was_checked() -> None:
    installed = st.__version__.rpartition(".")[0]
    assert installed == internals.CHECKED_WITH, (
        f"Run all tests with Streamlit {installed}, the browser's too; when they pass, change CHECKED_WITH."
    )


def test_a_script_run_has_all_internals(caplog: pytest.LogCaptureFixture) -> None:
    state = AppTest.from_function(script).run().session_state
    assert isinstance(state["fragment"], str)
    assert callable(state["check"])
    assert (state["outside"], state["history"], state["callback"]) == (None, False, frozenset())
    assert warnings_in(caplog) == []


def test_outside_a_script_run_nothing_is_superseded(caplog: pytest.LogCaptureFixture) -> None:
    assert internals.run_check() is None
    assert internals.browser_check()()
    assert warnings_in(caplog) == []


def test_the_frontend_folder_has_the_html() -> None:
    folder = internals.frontend_folder()
    assert folder
    assert (folder / "index.html").is_file()


def test_no_server_is_asked_for_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[str] = []
    monkeypatch.setattr(net_util, "get_external_ip", lambda: requests.append("the address"))
    assert not is_url_from_allowed_origins("http://example.org")
    assert requests
    requests.clear()
    internals.disable_address_lookup()
    assert not is_url_from_allowed_origins("http://example.org")
    assert requests == []


@pytest.mark.parametrize("triggered", [None, [], [{"event": "chosen", "value": 3}, {"event": "size", "value": 4}]])
def test_the_session_shows_states_as_streamlit_does(
    triggered: list[dict[str, object]] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = SessionState()
    triggers = WidgetMetadata[Any]("triggers", lambda value: value, lambda value: value, "json_trigger_value")
    state._new_widget_state.set_widget_metadata(triggers)
    state._new_widget_state.set_from_value("triggers", triggered)
    monkeypatch.setattr(main, make_bidi_component_presenter.__name__, make_bidi_component_presenter)
    internals.present_plain_states()
    present = vars(main)[make_bidi_component_presenter.__name__]("triggers", "component", {"size"})
    for value in ({}, {"size": 2}, None):
        assert present(value, state) == make_bidi_component_presenter("triggers", "component", {"size"})(value, state)
    assert type(present({}, state)) is dict


def test_components_have_the_same_ids_without_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = main.BidiComponentMixin._build_bidi_identity_kwargs
    monkeypatch.setattr(main.BidiComponentMixin, digests.__name__, digests)
    before = [part.proto.id for part in open_page().get("bidi_component")]
    internals.identify_components_by_key()
    assert [part.proto.id for part in open_page().get("bidi_component")] == before


def test_a_copied_place_moves_on_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cursor, "__deepcopy__", None, raising=False)
    internals.copy_places_at_once()
    place = RunningCursor(root_container=0, parent_path=(4, 2))
    place.lock_element()
    place.transient_elements[0] = Element()
    copied = deepcopy(place)
    assert copied.delta_path == place.delta_path == [0, 4, 2, 1]
    copied.transient_elements[1] = Element()
    assert (len(place.transient_elements), len(copied.transient_elements)) == (1, 2)
    assert copied.open_block().delta_path == [0, 4, 2, 1, 0]
    assert (copied.index, len(copied.transient_elements), place.index) == (2, 0, 1)


def two_steps() -> None:
    import streamlit as st

    def choose() -> None:
        st.session_state["chosen"] = st.session_state["column"]

    if st.session_state.get("step", 0) == 0:
        st.selectbox("Column", ["a", "b"], key="column", on_change=choose)
    st.number_input("Step", key="step")


def test_a_widget_that_has_gone_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SessionState, "_widget_changed", SessionState._widget_changed)
    internals.ignore_gone_widgets()
    at = AppTest.from_function(two_steps).run()
    at.selectbox(key="column").select("b").run()
    assert at.session_state["chosen"] == "b"
    gone = at._tree.get_widget_states()
    at.number_input(key="step").set_value(1).run()
    at.session_state["chosen"] = "another"
    at._run(gone)  # the browser reports it once more
    assert at.session_state["chosen"] == "another"


@pytest.mark.parametrize(
    ("origin", "accepted"), [(None, True), ("https://here.example", True), ("https://there.example", False)]
)
def test_without_streamlits_check_the_origin_is_the_servers_own(origin: str | None, accepted: bool) -> None:
    assert internals._is_same_origin(origin, "here.example") == accepted


@pytest.mark.usefixtures("missing")
@pytest.mark.parametrize("function", FALLBACKS, ids=lambda function: function.__name__)
def test_a_missing_name_is_logged_once(function: Any, caplog: pytest.LogCaptureFixture) -> None:
    assert [function(), function()] == [FALLBACKS[function]] * 2
    (warning,) = warnings_in(caplog)
    assert warning.startswith(f"{function.__name__}() does not work with Streamlit {st.__version__}: ")


@pytest.mark.parametrize("function", [internals.went_through_history, internals.fragments_of_callback])
def test_a_missing_attribute_counts_as_a_missing_name(
    function: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(scriptrunner, "get_script_run_ctx", SimpleNamespace)
    assert function() == FALLBACKS[function]
    assert len(warnings_in(caplog)) == 1


@pytest.mark.usefixtures("missing", "jobs_begin_at_once")
def test_the_page_works_without_internals(caplog: pytest.LogCaptureFixture) -> None:
    at = open_page()
    assert components(at, "cell_map")
    choose(at, layer=3, head=7)
    assert at.session_state["page"].selection.layer == 3
    type_texts(at, a="the old man the boat", b="")
    assert labels(at) == ["[CLS]", "the", "old", "man", "the", "boat", "[SEP]"]
    choose(at, view="why here")
    assert figures(at)
    assert not at.exception
    assert warnings_in(caplog)
