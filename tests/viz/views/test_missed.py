"""What is said of a text that was not found: its cause, the edit, and bars that add up to the difference."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.collection.missed import Missed
from encoder.collection.missed_case import FOUND
from encoder.collection.missed_causes import TESTS, Check
from encoder.collection.query_edits import Edit
from encoder.collection.search import search
from encoder.collection.shipped_sets import shipped_collection
from tests.encoder.models.test_late_interaction import of_stanford
from tests.encoder.random_models import Zoo, bert_folder
from tests.viz.answers.parts import charts, columns_of, said
from viz.answers.answer import Table
from viz.recipes.runner import StepRunner
from viz.theme import THEMES
from viz.views.search import steps as recipes
from viz.views.search.answer import relevant_rows
from viz.views.search.missed import IN_WORDS, by_cause, why_missed

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
    answer = why_missed(MISSED, "Push a skewer in.", "A cake can be iced.", rows=150, score="cosine")
    assert "it is about several things: “Push a skewer in.” alone would be found" in said(answer)
    assert (
        "“Push a skewer in.” is at place 12 of 150, with 0.21; “A cake can be iced.” comes first, with a cosine of 0.46"
        in said(answer)
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
def test_the_sentences_of_a_missed_text(changes: dict[str, object], expected: str) -> None:
    assert expected in said(why_missed(replace(MISSED, **changes), "A text.", "A cake.", rows=150, score="cosine"))  # type: ignore[arg-type]


def test_every_cause_has_its_words() -> None:
    assert set(IN_WORDS) == set(TESTS)


@pytest.fixture(params=["vectors", "MaxSim", "reranker"])
def model(request: pytest.FixtureRequest, bundled: Backend, tmp_path: Path) -> Backend:
    if request.param == "vectors":
        return bundled
    if request.param == "MaxSim":
        return encoder.load(str(of_stanford(Zoo(tmp_path).folder("bert"), tmp_path)))
    longer = {"max_position_embeddings": 256, "num_labels": 1}
    return encoder.load(str(bert_folder(tmp_path, "BertForSequenceClassification", **longer)))


def test_the_bars_add_up_to_the_difference_of_any_two_scores(model: Backend) -> None:
    table, query = shipped_collection("passages").select(range(8)), "sleep of adults"
    found = search(model, table, query)
    last, first = found.ranking.rows[-1], found.ranking.rows[0]
    recipe = recipes.why_missed(table, recipes.Search(found.ranking, found.score), query, int(last), "words")
    answer, _ = StepRunner(lambda name: model).answer(recipe, "")
    [bars] = [chart.figure(THEMES["light"]).data[0].x for chart in charts(answer)]
    one, other = found.scores[[last, first]].astype(float)
    is_logit = "(logit), which the bars add up to" in said(answer)
    assert is_logit == (found.score == "score")
    whole = np.log(one / (1 - one)) - np.log(other / (1 - other)) if is_logit else one - other
    assert sum(bars) == pytest.approx(whole, abs=1e-4)
    assert "These words of the query cost most" in said(answer)


def test_relevant_texts_are_counted_by_the_ranking_of_any_model(model: Backend) -> None:
    table, steps = shipped_collection("passages").select(range(9)), StepRunner(lambda name: model)
    found, _ = steps.answer(recipes.found_relevant(table, "bundled"), "")
    places = [search(model, table, query).ranking.places[rows].min() for query, rows in relevant_rows(table).items()]
    queries = next(part.columns() for part in found.parts if isinstance(part, Table))
    assert sorted(queries["place"]) == sorted(places)
    missed, _ = steps.answer(recipes.missed_relevant(table), "")
    failures = sum(place > FOUND for place in places)
    assert (f"For {failures} of {len(places)} queries" if failures else "among the first 5 for all") in said(missed)


def test_failures_are_counted_by_their_cause() -> None:
    table = shipped_collection("passages")
    other = replace(MISSED, checks=(Check(cause="one word", holds=True, detail="cake"),), bm25=None, row=7)
    answer = by_cause([MISSED, other, replace(other, row=9), replace(other, checks=())], table, queries=50)
    assert "For 4 of 50 queries" in said(answer)
    assert "the most frequent cause is “one word”, in 2 of 4 (50 %, 95 % interval 15 to 85 %)" in said(answer)
    causes, failures = (part.columns() for part in answer.parts if isinstance(part, Table))
    assert causes["failures"] == [2, 1, 1]
    assert failures["cause"] == ["one word", "one word", "several topics", "none holds"]
    assert "among the first 5 for all 50" in said(by_cause([], table, queries=50))
