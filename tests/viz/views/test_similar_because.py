"""Why two sentences are similar, as an answer: the numbers of its charts, sentences and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.removal_curves import removal_counts
from encoder.comparison.similarity_map import POINTS, SimilarityMap, similarity_map
from encoder.models.pooling import Pooling, Similarity
from encoder.text.tokens import Tokens
from tests.viz.answers.parts import said
from viz.answers.answer import Answer, Row, Table
from viz.figures.pairs import MOST_WORDS
from viz.theme import THEMES
from viz.views.similar_because.answer import pairs, removals, similarity
from viz.wording.numbers import percent, written

A, B = "a dog barks", "the puppy barks"
LIGHT = THEMES["light"]


@pytest.fixture(scope="module")
def texts(bundled: Backend) -> tuple[Tokens, Tokens]:
    return bundled.tokenize(A), bundled.tokenize(B)


@pytest.fixture(scope="module")
def found(bundled: Backend, texts: tuple[Tokens, Tokens]) -> SimilarityMap:
    return similarity_map(bundled, *texts, level="words")


def table(answer: Answer) -> dict[str, object]:
    (found,) = [part for part in answer.parts if isinstance(part, Table)]
    return dict(found.columns())


def test_map_sentences_and_table_have_the_numbers_of_the_split(
    found: SimilarityMap, texts: tuple[Tokens, Tokens]
) -> None:
    answer = pairs(found, texts, "words")
    assert isinstance(answer.parts[0], Row)
    drawn, lines = (chart.figure(LIGHT) for chart in answer.charts)
    np.testing.assert_allclose(drawn.data[0].z, found.values, rtol=1e-6)
    assert drawn.data[0].zmax == -drawn.data[0].zmin == pytest.approx(np.abs(found.values).max())
    assert list(lines.data[-2].text) == A.split()
    error, values = found.completeness_error, found.values
    row, column = np.unravel_index(values.argmax(), values.shape)
    largest = f"“{A.split()[row]}” and “{B.split()[column]}” {written(values[row, column], '+.3f')}"
    assert f"**These pairs add most:** {largest}" in said(answer)
    assert f"All pairs **{written(values.sum(), '+.3f')}**" in said(answer)
    assert f"the rest **{written(found.references, '+.3f')}**, together **{found.cosine:.3f}**" in said(answer)
    assert f"{percent(error / found.cosine, 2)} of the cosine, from {POINTS} points)" in said(answer)
    columns = table(answer)
    assert list(columns) == ["A", "0: the", "1: puppy", "2: barks"]
    np.testing.assert_array_equal(columns["1: puppy"], values[:, 1])


def test_a_large_completeness_error_is_reported(found: SimilarityMap, texts: tuple[Tokens, Tokens]) -> None:
    assert "more than 1 %" not in said(pairs(found, texts, "words"))
    assert "more than 1 %" in said(pairs(replace(found, cosine=found.cosine + 0.1), texts, "words"))


def test_an_estimate_says_so_and_has_no_table(found: SimilarityMap, texts: tuple[Tokens, Tokens]) -> None:
    answer = pairs(replace(found, points=4), texts, "words")
    assert "an estimate from 4 points" in said(answer)
    assert not any(isinstance(part, Table) for part in answer.parts)


def test_lines_are_left_out_where_words_are_too_many_to_follow(bundled: Backend, found: SimilarityMap) -> None:
    words = MOST_WORDS + 1
    texts = bundled.tokenize(" ".join(["dog"] * words)), bundled.tokenize(B)
    (chart,) = pairs(replace(found, values=np.ones((words, 3), np.float32)), texts, "words").charts
    assert chart.name == "similar-because-pairs"


def test_unknown_words_and_other_models_are_explained(bundled: Backend) -> None:
    emoji = bundled.trace("😀"), bundled.trace("😀 😀")
    assert "knows none of these words" in said(similarity(*emoji, pooling=Pooling(embeds_texts=True)))
    words = [replace(bundled.trace(text), model_name="words") for text in (A, B)]
    by_name = {name: Pooling(embeds_texts=True, similarity=name) for name in get_args(Similarity)}
    said_by = {name: said(similarity(*words, pooling=pooling)) for name, pooling in by_name.items()}
    assert "was not trained to compare sentences" in said(similarity(*words, pooling=Pooling()))
    assert said_by["cosine"].startswith("A and B have a cosine of 0.")
    assert said_by["dot"].startswith("A and B have a dot product of ")
    assert "by the Euclidean distance, which pairs of words do not add up to" in said_by["euclidean"]
    assert "by the Manhattan distance" in said_by["manhattan"]


def test_the_removal_test_gets_a_verdict_with_the_random_orders() -> None:
    counts = removal_counts(5)
    own = np.linspace(0.5, 0, len(counts), dtype=np.float32) ** 2
    random = np.tile(np.linspace(0.25, 0, len(counts), dtype=np.float32), (20, 1))
    waiting, done = (removals(own, each, units=5, model_name="bundled") for each in (None, random))
    assert "better than 20 of 20 random orders" in said(done)
    assert "random orders" not in said(waiting)
    figure = done.charts[0].figure(LIGHT)
    np.testing.assert_allclose(figure.data[-1].y, own)
    assert figure.layout.xaxis.title.text == "pairs of words removed"
    assert list(table(waiting)) == ["pairs_removed", "this_order"]
    assert len(table(done)) == 22
