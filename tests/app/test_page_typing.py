"""Texts that are being typed, without a browser."""

import threading
from collections.abc import Callable

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.testing.v1 import AppTest

from tests.app.app_script import (
    choose,
    click,
    components,
    labels,
    open_page,
    run,
    sent_fields,
    sent_runs,
    texts_of,
    type_texts,
)
from viz.caches import run_cache
from viz.caches.run_cache import RunTimes
from viz.computing import worker
from viz.streamlit_internals import run_check


def test_every_pause_in_typing_is_rendered_and_the_last_is_in_the_address() -> None:
    at = open_page(layer="2", b="")
    for text in ("dogs b", "dogs bark"):
        type_texts(at, a=text, held=True)
        assert labels(at)[1:-1] == text.split()
        assert at.query_params == {"layer": "2", "a": at.query_params["a"], "b": ""}
        assert "dogs" not in at.query_params["a"]
    type_texts(at, held=False)
    assert at.query_params == {"a": "dogs bark", "b": "", "layer": "2"}


def test_the_fields_get_the_last_read_message_and_the_linked_texts() -> None:
    at = open_page()
    before = sent_fields(at)
    assert (before["answered"], sent_runs(at)["answered"]) == (None, None)
    assert before["linked"] == before["texts"]
    type_texts(at, a="dogs bark", held=True)
    held = sent_fields(at)
    assert (held["texts"]["a"], held["linked"]) == ("dogs bark", before["texts"])
    assert held["answered"] == sent_runs(at)["answered"]
    assert held["answered"] is not None
    assert held["visit"] == before["visit"]
    type_texts(at, held=False)
    assert sent_fields(at)["linked"] == held["texts"]
    assert sent_fields(at)["answered"] > held["answered"]
    assert sent_fields(open_page())["visit"] != before["visit"]


def test_of_two_ways_the_newer_message_counts() -> None:
    at = type_texts(open_page(), a="cats purr", alone=True, held=True)
    type_texts(at, a="dogs bark", held=True)
    number = sent_fields(at)["answered"]
    type_texts(at, a="birds sing", alone=True, number=number - 1)
    assert texts_of(at)["a"] == "dogs bark"
    assert sent_fields(at)["answered"] == number


def test_fields_have_the_direct_route_only_if_their_view_is_a_fragment() -> None:
    alone = [sent_runs(open_page(view=view))["alone"] for view in ("head view", "norms", "why", "decoder")]
    assert alone == [True] * 4
    assert not sent_runs(open_page(view="word lens"))["alone"]


def test_other_layers_are_sent_at_a_pause_in_typing() -> None:
    def stores(at: AppTest) -> set[str]:
        return {user_key_from_element_id(store.id) or "" for store in components(at, "store")}

    at = type_texts(open_page(mode="pair"), a="dogs bark", held=True)
    assert stores(at) == {"store_layer_pair", "store_map_pair"}
    type_texts(at, held=False)
    assert stores(at) == {"store_layer_pair", "store_map_pair", "store_others_pair", "store_head_card"}


def test_a_text_too_long_for_a_link_is_never_brought_back_by_it() -> None:
    at = open_page()
    type_texts(at, a="word " * 10_000)
    assert sent_fields(at)["linked"]["a"] == "time flies like an arrow"


@pytest.mark.parametrize("mode", ["pair", "separate"])
def test_each_field_gets_the_marks_of_its_own_text(mode: str) -> None:
    at = open_page(a="an embedding", b="word " * 600 + "embeddings", mode=mode)
    marks = sent_runs(at)["marks"]
    assert marks["a"] == {"read": "an embedding", "cut": False, "pieces": [[3, 5], [5, 8], [8, 12]]}
    assert marks["b"]["cut"]
    assert set(marks["b"]["read"].split()) == {"word"}


def test_texts_that_cannot_be_run_have_no_marks_and_are_answered() -> None:
    at = type_texts(open_page(), a=" ", held=True)
    assert sent_runs(at)["marks"] == {}
    assert sent_runs(at)["answered"] == sent_fields(at)["answered"]


def test_the_decoders_text_is_typed_into_a_field_of_the_same_kind() -> None:
    at = open_page(view="decoder")
    type_texts(at, source="banana arrow", held=True)
    assert "source" not in at.query_params
    assert sent_runs(at)["marks"]["source"]["read"] == "banana arrow"
    click(at, "another")
    assert texts_of(at)["source"] != "banana arrow"
    assert at.query_params["source"] == texts_of(at)["source"]


def test_slow_runs_are_reported_with_their_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    times = RunTimes()
    monkeypatch.setattr(run_cache, "_RUN_TIMES", times)
    for _ in range(2):
        times.note("bundled", 13, 0.25)
    at = open_page(mode="pair")
    assert sent_runs(at)["slow"] is None
    for _ in range(2):
        times.note("bundled", 13, 0.5)
    assert sent_runs(run(at))["slow"] == 0.5
    assert sent_runs(choose(at, mode="separate"))["slow"] is None  # of shorter texts nothing is known


def test_two_runs_of_short_texts_together_may_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    times = RunTimes()
    monkeypatch.setattr(run_cache, "_RUN_TIMES", times)
    for _ in range(2):
        times.note("bundled", 7, 0.2)
    at = open_page(mode="separate")
    assert sent_runs(at)["slow"] == pytest.approx(0.4)


def test_a_run_is_timed_once_for_each_text(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = []
    monkeypatch.setattr(RunTimes, "note", lambda self, *run: noted.append(run[:2]))
    at = open_page(a="never typed before", b="")
    assert noted == [("bundled", 5)]
    type_texts(at, a="typed for the first time", held=True)
    choose(at, layer=1)
    assert noted == [("bundled", 5), ("bundled", 7)]


def test_a_superseded_text_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker is busy when the first run comes to its model; then Streamlit is asked for another run."""
    at = open_page()
    begun, idle = threading.Event(), threading.Event()
    run_texts, freed = [], []
    monkeypatch.setattr(RunTimes, "note", lambda self, *run: run_texts.append(run[1]))
    check_of_streamlit = run_check

    def let_the_worker_go_on() -> Callable[[], None] | None:
        idle.set()
        return check_of_streamlit()

    def overtake() -> Callable[[], None] | None:
        monkeypatch.setattr(worker, "run_check", let_the_worker_go_on)
        context = get_script_run_ctx()
        assert context
        assert context.script_requests
        assert context.script_requests.request_rerun(RerunData())
        return check_of_streamlit()

    def keep_busy() -> None:
        begun.set()
        freed.append(idle.wait(30))

    worker._WORKER.submit(keep_busy)
    assert begun.wait(30)
    monkeypatch.setattr(worker, "run_check", overtake)
    type_texts(at, a="one text is enough", b="", held=True)
    assert labels(at)[1:-1] == ["one", "text", "is", "enough"]
    assert (run_texts, freed) == ([6], [True])
