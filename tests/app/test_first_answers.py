"""What a view that asks shows first is sent, and painted, before the rest of it is worked out."""

import sys
from typing import Any

import pytest
import streamlit as st

from tests.app.app_script import open_page, run, sentences_of, type_texts
from viz.computing.paints import PAINTS, Expected
from viz.page import body, head_card, shown_runs
from viz.widgets import first_answer

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

PAUSE, MARKS = "the browser paints", "the fields hear that their texts were read"
FILM, OTHER = "this film is not good", "this film is good"
VIEWS = {  # by the view: its link, and the keys of its first two charts
    "why": ({"model": "bundled-sentiment", "b": ""}, "why_words", "why_removals"),
    "why here": (
        {"layer": "3", "head": "7", "b": ""},
        "why_here_score-terms-query_pair",
        "why_here_score-terms-key_pair",
    ),
    "compare": ({"b": OTHER}, "compare_attention-difference", "compare_aligned-words"),
    "similar because": ({"b": OTHER}, "similar_similar-because-pairs", "similar_similar-because-lines"),
}


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done while a browser reports; each wait for a report is noted, and ends at once."""
    done: list[str] = []

    def reported(*_: object, **__: object) -> bool:
        done.append(PAUSE)
        return True

    monkeypatch.setattr(PAINTS, "address", "/headlight/painted")
    monkeypatch.setattr(PAINTS, "wait", reported)
    monkeypatch.setitem(sys.modules, shown_runs.HEAD_CARD, head_card)  # a run that imports it waits as well
    return done


@pytest.mark.parametrize("view", VIEWS)
def test_the_first_answer_is_painted_before_the_rest_comes(
    view: str, waits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    link, first, later = VIEWS[view]
    for name in ("plotly_chart", "dataframe"):
        note_keys(monkeypatch, name, waits)
    monkeypatch.setattr(body, "report_runs", lambda *_, **__: waits.append(MARKS))
    open_page(view=view, **link, a=FILM)
    assert (waits.count(PAUSE), waits.count(MARKS)) == (1, 1)
    assert waits.index(first) < waits.index(MARKS) < waits.index(PAUSE)
    assert waits.index(PAUSE) < waits.index(later)


def test_only_a_new_answer_holds_the_rest_up(waits: list[str]) -> None:
    at = open_page(view="why here", **VIEWS["why here"][0], a=FILM)
    assert waits == [PAUSE]
    run(at)
    assert waits == [PAUSE]
    type_texts(at, a=OTHER)
    assert waits == [PAUSE, PAUSE]


def test_what_changes_without_a_link_is_waited_for_once(waits: list[str]) -> None:
    known = open_page(a=FILM, b="")
    assert waits == [PAUSE]
    said = [sentence for sentence in sentences_of(known).splitlines() if sentence.startswith("Without any look")]
    assert said
    for again in (run(known), open_page(a=FILM, b="")):
        assert said[0] in sentences_of(again)
    assert waits == [PAUSE]


def test_a_browser_that_does_not_report_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[Expected] = []
    monkeypatch.setattr(PAINTS, "address", "/headlight/painted")
    monkeypatch.setattr(PAINTS, "wait", lambda expected, *_, **__: waited.append(expected))  # None: no report came
    monkeypatch.setattr(first_answer, "paint_report", lambda *_, **__: None)
    monkeypatch.setattr(st, "session_state", {})
    for text in (FILM, OTHER):
        first_answer.let_paint(text, key="test")
    assert len(waited) == 1
    PAINTS.report(waited[0].token)  # late: the page was busy
    first_answer.let_paint(FILM, key="test")
    assert len(waited) == 2


def test_a_superseded_run_ends_while_the_browser_paints(monkeypatch: pytest.MonkeyPatch) -> None:
    class SupersededError(Exception):
        pass

    def end() -> None:
        raise SupersededError

    monkeypatch.setattr(PAINTS, "address", "/headlight/painted")
    monkeypatch.setattr(first_answer, "paint_report", lambda *_, **__: None)
    monkeypatch.setattr(first_answer, "run_check", lambda: end)
    monkeypatch.setattr(st, "session_state", {})
    calls: list[str] = []
    with pytest.raises(SupersededError), first_answer.notify_once(lambda: calls.append("read")):
        first_answer.let_paint("an answer", key="test")
    assert calls == ["read"]


def note_keys(monkeypatch: pytest.MonkeyPatch, name: str, done: list[str]) -> None:
    """Note Streamlit's key of every element of a kind that is drawn."""
    draw = getattr(st, name)

    def noted(*arguments: Any, **options: Any) -> Any:
        done.append(options["key"])
        return draw(*arguments, **options)

    monkeypatch.setattr(st, name, noted)
