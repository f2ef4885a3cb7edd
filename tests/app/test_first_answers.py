"""What a view that asks shows first is sent, and painted, before the rest of it is worked out."""

from typing import Any

import pytest
import streamlit as st

from tests.app.app_script import open_page, run, type_texts
from viz.page import body
from viz.panels import first_answer

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

PAUSE, MARKS = "the browser paints", "the fields hear that their texts were read"
FILM, OTHER = "this film is not good", "this film is good"
VIEWS = {  # by the view: its link, and the keys of its first chart and of one that comes later
    "predictions": ({"model": "bundled-sentiment", "b": ""}, "predictions_pair", "predictions_table_pair"),
    "why": ({"model": "bundled-sentiment", "b": ""}, "why_words", "why_test"),
    "why here": ({"layer": "3", "head": "7", "b": ""}, "why_here_query_terms_pair", "why_here_proof_pair"),
    "compare": ({"b": OTHER}, "compare_heads", "compare_aligned"),
    "similar because": ({"b": OTHER}, "similar_pairs", None),
}


@pytest.mark.parametrize("view", VIEWS)
def test_the_first_answer_is_painted_before_the_rest_comes(view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    link, first, later = VIEWS[view]
    done: list[str] = []
    monkeypatch.setattr(first_answer, "sleep", lambda _: done.append(PAUSE))
    for name in ("plotly_chart", "dataframe"):
        note_keys(monkeypatch, name, done)
    monkeypatch.setattr(body, "draw_marks", lambda *_, **__: done.append(MARKS))
    open_page(view=view, **link, a=FILM)
    assert (done.count(PAUSE), done.count(MARKS)) == (first_answer.PARTS, 1)
    assert done.index(first) < done.index(MARKS) < done.index(PAUSE)
    assert later is None or done.index(PAUSE) < done.index(later)


def test_an_answer_holds_the_rest_up_where_it_is_a_new_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(first_answer, "sleep", pauses.append)
    monkeypatch.setattr(first_answer, "PARTS", 1)
    at = open_page(view="why here", **VIEWS["why here"][0], a=FILM)
    assert pauses == [first_answer.PAINTING]
    run(at)
    assert pauses == [first_answer.PAINTING]
    type_texts(at, a=OTHER)
    assert pauses == 2 * [first_answer.PAINTING]


def test_a_run_that_was_overtaken_ends_while_the_browser_paints(monkeypatch: pytest.MonkeyPatch) -> None:
    class OvertakenError(Exception):
        pass

    def end() -> None:
        raise OvertakenError

    pauses: list[float] = []
    monkeypatch.setattr(first_answer, "sleep", pauses.append)
    monkeypatch.setattr(first_answer, "get_run_yield_check", lambda: end)
    monkeypatch.setattr(st, "session_state", {})
    told: list[str] = []
    with pytest.raises(OvertakenError), first_answer.telling(lambda: told.append("read")):
        first_answer.let_paint("an answer", key="test")
    assert (told, len(pauses)) == (["read"], 1)


def note_keys(monkeypatch: pytest.MonkeyPatch, name: str, done: list[str]) -> None:
    """Note Streamlit's key of every element of a kind that is drawn."""
    draw = getattr(st, name)

    def noted(*arguments: Any, **options: Any) -> Any:
        done.append(options["key"])
        return draw(*arguments, **options)

    monkeypatch.setattr(st, name, noted)
