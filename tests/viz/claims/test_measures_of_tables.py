"""Claims over a table of texts: accuracy, errors, shifts by swaps, and places in a search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import encoder
import headlight
from encoder import Backend
from encoder.collection.driving_words import driving_words, remove_words
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.swaps import parse_template
from encoder.collection.word_map import find_word, map_word
from encoder.errors import SelectionError, TourError
from viz.claims.check import main
from viz.claims.of_tables import TableSubject, table_subject
from viz.claims.outcome import Outcome, work_out
from viz.recipes.runner import StepRunner
from viz.state.selection import DEFAULT, Table
from viz.tours.files import parse_tour
from viz.tours.grammar import GrammarError, format_claim, measure_in_words, parse_claim

pytestmark = pytest.mark.usefixtures("each_text_is_read_once")

WORSE = "I can think of worse ways to lose a weekend."


@pytest.fixture(scope="module")
def sentiment() -> Backend:
    return encoder.load("bundled-sentiment")


@pytest.fixture(scope="module")
def reviews(sentiment: Backend) -> TableSubject:
    return subject_of(sentiment, query=WORSE)


def subject_of(backend: Backend, **table: Any) -> TableSubject:
    """A stop about a table with these fields."""
    return table_subject(replace(DEFAULT, table=Table(**table)), StepRunner(lambda _: backend))


def outcome(claim: str, subject: TableSubject) -> Outcome:
    return work_out(parse_claim(claim), subject)


def test_accuracy_counts_the_rows_that_a_cell_selects(reviews: TableSubject) -> None:
    said, own = np.array(reviews.results.predictions), np.array(reviews.collection.labels())
    hard, topic = (np.array(reviews.collection.column(name)) for name in ("hard", "topic"))
    right = said == own
    for claim, rows in (
        ("accuracy() > 0", own != ""),
        ("accuracy(where=irony) > 0", hard == "irony"),
        ("accuracy(without=neutral) > 0", own != "neutral"),
        ("accuracy(where=film, without=neutral) > 0", (topic == "film") & (own != "neutral")),
    ):
        assert outcome(claim, reviews).value == pytest.approx(right[rows].mean()), claim


def test_errors_are_counted_by_both_labels(reviews: TableSubject) -> None:
    said, own = reviews.results.predictions, reviews.collection.labels() or []
    count = sum((a, b) == ("positive", "negative") for a, b in zip(own, said, strict=True))
    found = outcome('errors("positive" → "negative") > 3', reviews)
    assert (found.value, found.in_words) == (count, f"positive called negative {count}")


def test_the_place_of_a_text_is_that_of_its_cosine(reviews: TableSubject, sentiment: Backend) -> None:
    texts = reviews.collection.column("text")
    vectors = np.stack(
        [reading.vector for reading in sentiment.readings([*texts, WORSE]) if reading.vector is not None]
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors[:-1] @ vectors[-1]
    row = next(row for row, text in enumerate(texts) if text.startswith("You could do far worse"))
    assert outcome('place("you could do far worse") < 10', reviews).value == 1 + int((cosines > cosines[row]).sum())


def test_what_a_search_finds_and_why_it_misses_are_claims(bundled: Backend) -> None:
    texts, query = headlight.texts("passages"), "how do I know when a cake is done"
    subject = subject_of(bundled, collection="passages", query=query)
    assert outcome("found(first=3) > 0", subject).value == texts.relevant_among(bundled, [3])[3]
    assert outcome("found(first=3, by=words) > 0", subject).value == texts.relevant_among("bm25", [3])[3]
    by_words = outcome('place("wooden skewer", by=words) > 9', subject)
    assert (by_words.value, by_words.in_words) == (109, "place of “wooden skewer” (words) 109")
    assert outcome('cause("wooden skewer", "one word") = 0', subject).holds
    assert "“bad weather” is no cause" in outcome('cause("wooden skewer", "bad weather") = 0', subject).sentence
    unlike = subject_of(bundled, collection="passages", query="cake")
    assert "has no word of the query" in outcome('place("wooden skewer", by=words) = 1', unlike).sentence


def test_a_shift_is_the_mean_over_the_fillings_of_the_stops_set(sentiment: Backend) -> None:
    subject = subject_of(sentiment, collection="swaps", part="pronouns and jobs", label=0)
    wanted = []
    for source in (
        "{He|She} is {a nurse|an engineer|a teacher}.",
        "My {brother|sister} works as {a nurse|an engineer|a teacher}.",
    ):
        template = parse_template(source)
        predicted = sentiment.predict([template.fill(choice) for choice in template.choices]).probabilities
        assert predicted is not None
        shares = predicted[:, 0].reshape(2, 3)
        wanted.append((shares[:, 1] - shares[:, 0]).mean())
    found = outcome('shift("a nurse" → "an engineer") < 0', subject)
    assert found.value == pytest.approx(np.mean(wanted), abs=1e-5)
    assert found.in_words.startswith("shift a nurse → an engineer")


def test_what_a_word_drives_is_its_mean_over_the_stops_rows(reviews: TableSubject, sentiment: Backend) -> None:
    subject = subject_of(sentiment, rows="~worse")
    found = driving_words(sentiment, reviews.collection, "~worse")
    mean = found.means[found.words.index("worse")]
    said = outcome('drives("Worse") > 2', subject)
    assert said.value == pytest.approx(mean, abs=1e-5)
    assert said.in_words == f"“Worse” adds on average {mean:.2f}"
    assert "has the word “zzz”" in outcome('drives("zzz") > 0', subject).sentence


def test_the_removal_of_a_word_is_that_of_python_and_of_the_stops_class(
    reviews: TableSubject, sentiment: Backend
) -> None:
    subject = subject_of(sentiment, rows="errors", driven="negative")
    [found] = remove_words(sentiment, reviews.collection, reviews.results, ["worse"], label="negative")
    said = outcome('removal("Worse") < 0', subject)
    assert (said.value, said.holds) == (found.change.value, True)
    assert said.in_words == f"change without “Worse” −{abs(found.change.value):.2f}"


def test_the_neighbours_of_a_word_are_those_of_its_map(sentiment: Backend) -> None:
    words = shipped_collection("words")
    subject = subject_of(sentiment, collection="words", word="bank")
    found = map_word(sentiment, words, find_word(words, "bank"))
    for layer, state in (("embeddings", 0), ("2", 3)):
        said = outcome(f'neighbour(layer={layer}, "bank") > 0', subject)
        assert said.value == pytest.approx(found.accuracies["sense"].neighbour[state])
    assert said.in_words.startswith("neighbour of “bank” after layer 2")
    with_tags = subject_of(sentiment, collection="words", colour="tag")
    assert "No two labels of this column" in outcome('neighbour(layer=2, "bank") > 0', with_tags).sentence
    assert "There is no layer 6" in outcome('neighbour(layer=6, "bank") > 0', subject).sentence


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("accuracy(where=nowhere) > 0", "No row of this table has “nowhere” in a column."),
        ('errors("good" → "negative") > 0', "This model has no class “good”"),
        ('place("the") > 1', "name one"),
        ('shift("a" → "b") > 0', "No row of this table has a slot"),
        ('removal("zzz") > 0', "No row of this table has the word “zzz”."),
        ("prediction(positive) > 0", "is measured of a text, not of a table"),
    ],
)
def test_a_claim_that_does_not_apply_says_why(reviews: TableSubject, claim: str, why: str) -> None:
    found = outcome(claim, reviews)
    assert found.holds is None
    assert why in found.sentence


def test_a_claim_over_a_table_needs_a_view_of_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tour.md"
    path.write_text("# T\n\n## S\n\n```yaml\na: time flies\nclaims:\n- accuracy() > 0\n```\n")
    assert main(["check", str(path)]) == 1
    assert "is measured in the views of a table of texts" in capsys.readouterr().out


def test_a_stop_takes_no_table_of_the_user() -> None:
    with pytest.raises(TourError, match="Line 7: A stop carries no table of your own"):
        parse_tour("# T\n\n## S\n\n```yaml\nview: texts\ncollection: own\n```\n")
    with pytest.raises(SelectionError, match="carries no table of your own"):
        subject_of(encoder.load("bundled"), collection="own")


def test_claims_over_tables_are_written_as_they_are_read() -> None:
    for claim, words in (
        ("accuracy() > 0.5", "accuracy"),
        ("accuracy(where=irony, without=neutral) > 0.5", "accuracy of irony without neutral"),
        ('place("a text, with commas") <= 3', "place of “a text, with commas”"),
    ):
        assert format_claim(parse_claim(claim)) == claim
        assert measure_in_words(parse_claim(claim).measure) == words
    with pytest.raises(GrammarError, match="“accuracy” takes no “layer”"):
        parse_claim("accuracy(layer=1) > 0")
