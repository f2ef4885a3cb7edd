"""What is said of a text that was not found: its cause, the edit, and bars that add up to the difference."""

from dataclasses import replace

import pytest

from encoder import Backend
from encoder.collection.hit_test import split_of_hit
from encoder.collection.missed import Check, Edit, Missed
from encoder.collection.search import tokens_of_hit
from tests.viz.answers.parts import charts, columns_of, said
from viz.answers.missed import IN_WORDS, difference, why_missed
from viz.theme import THEMES

MISSED = Missed(
    query="a cake",
    row=3,
    winner=0,
    place=12,
    scores=(0.21, 0.46),
    checks=(
        Check(cause="cut off", holds=False),
        Check(cause="several topics", holds=True, place=2, detail="Push a skewer in."),
        Check(cause="one word", holds=True, detail="cake"),
    ),
    edit=Edit(words=("skewer",), place=1, random_found=0, runs=22),
    bm25=109,
)


def test_the_first_cause_that_holds_is_named_with_its_edit() -> None:
    answer = why_missed(MISSED, "A cake can be iced.", rows=150, score="cosine")
    assert "it is about several things: “Push a skewer in.” alone would be found" in said(answer)
    assert "It is at place 12 of 150, with 0.21; “A cake can be iced.” comes first, with a cosine of 0.46" in said(
        answer
    )
    assert "With **“skewer”** added to the query, it is found: place 1. 0 of 20 edits" in said(answer)
    assert columns_of(answer)["holds"] == ["no", "yes", "yes"]
    assert columns_of(answer)["place after its repair"] == ["–", "2", "–"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"place": 4}, "This text is found: it is at place 4 of 150."),
        ({"checks": ()}, "none of the causes below holds"),
        ({"edit": None}, "A reranker would read all texts again"),
        ({"edit": Edit(words=(), place=12, random_found=0, runs=30)}, "No word of the text brings it nearer (30 edits"),
        (
            {"edit": Edit(words=("a", "b"), place=7, random_found=1, runs=50)},
            "no further in 50 edits: place 7",
        ),
    ],
)
def test_what_is_said_otherwise(changes: dict[str, object], expected: str) -> None:
    assert expected in said(why_missed(replace(MISSED, **changes), "A cake.", rows=150, score="cosine"))  # type: ignore[arg-type]


def test_every_cause_has_its_words() -> None:
    from encoder.collection.missed import TESTS

    assert set(IN_WORDS) == set(TESTS)


def test_the_bars_add_up_to_the_difference(bundled: Backend) -> None:
    query, texts = "how do I know when a cake is done", ("Push a skewer in.", "A cake can be iced.")
    splits = [(split_of_hit(bundled, query, text, "words"), tokens_of_hit(bundled, query, text)) for text in texts]
    answer = difference(splits[0], splits[1], "words")
    [bars] = [chart.figure(THEMES["light"]).data[0].x for chart in charts(answer)]
    scores = [bundled.embed([query])[0] @ bundled.embed([text])[0] for text in texts]
    assert sum(bars) == pytest.approx(float(scores[0] - scores[1]), abs=1e-4)
    assert "“cake” −" in said(answer)
