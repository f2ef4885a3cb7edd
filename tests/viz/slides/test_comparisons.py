"""Two sentences on slides: why they are alike, and where two runs differ, with the numbers of the Python API."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.attribution.removal_test import removal_counts
from encoder.comparison.compare import compare
from encoder.comparison.run_differences import attention_difference, with_gaps
from encoder.comparison.similarity_map import similarity_map
from tests.viz.slides.stops import models_of, slide_at
from viz.answers.answer import Sentence
from viz.theme import THEMES
from viz.wording.numbers import written

LIGHT = THEMES["light"]
A, B = "a dog barks", "the puppy barks"
TEXTS = f"a: {A}\nb: {B}\n"


def test_the_pairs_sum_to_what_is_said_and_the_test_ends_at_nothing(bundled: Backend) -> None:
    pairs, test = slide_at(models_of(bundled), f"view: similar because\nlevel: words\n{TEXTS}").charts
    found = similarity_map(bundled, bundled.tokenize(A), bundled.tokenize(B), level="words")
    assert (pairs.grid.rows, pairs.grid.columns) == (A.split(), B.split())
    np.testing.assert_allclose(pairs.grid.values, found.values, atol=1e-6)
    assert -pairs.grid.low == pairs.grid.high == pytest.approx(np.abs(found.values).max())
    assert f"a cosine of {found.cosine:.3f}" in pairs.grid.caption
    assert f"Sum of all pairs {written(found.values.sum(), '+.3f')}" in pairs.said
    assert test.grid.columns == [str(count) for count in removal_counts(3)]
    np.testing.assert_allclose(test.grid.values[:, -1], 0, atol=1e-5)
    assert test.grid.values[-1, 0] == pytest.approx(found.values.sum(), abs=found.completeness_error + 1e-4)
    assert "Too short to test" in test.said


def test_long_sentences_keep_the_words_of_the_strongest_pairs(
    bundled: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viz.slides.similar.MOST_WORDS", 2)
    pairs, _ = slide_at(models_of(bundled), f"view: similar because\nlevel: words\n{TEXTS}").charts
    found = similarity_map(bundled, bundled.tokenize(A), bundled.tokenize(B), level="words")
    rows, columns = (np.sort(np.argsort(-np.abs(found.values).max(axis))[:2]) for axis in (1, 0))
    assert pairs.grid.rows == [A.split()[word] for word in rows]
    assert pairs.grid.columns == [B.split()[word] for word in columns]
    np.testing.assert_allclose(pairs.grid.values, found.values[np.ix_(rows, columns)], atol=1e-6)
    assert pairs.said.endswith("2 words of weaker pairs are left out.")


def test_compare_shows_on_a_slide_what_the_page_shows(bundled: Backend) -> None:
    slide = slide_at(models_of(bundled), f"view: compare\nlayer: 2\nhead: 3\n{TEXTS}")
    assert not slide.remark
    [(_, answer)] = slide.answers
    assert [chart.name for chart in answer.charts] == [
        "compare-heads",
        "aligned-words",
        "attention-difference",
        "compare-all-heads",
        "compare-words",
        "patched-tokens",
        "silenced-heads-A",
        "silenced-heads-B",
    ]
    cells = answer.charts[2].figure(LIGHT).data[0].z
    runs = compare(bundled.trace(A), bundled.trace(B)).runs
    np.testing.assert_allclose(cells, with_gaps(runs.alignment, attention_difference(runs, 2)[3]), atol=1e-6)
    assert "These are exact." in str(answer.parts)


def test_a_slide_compares_a_run_with_one_without_heads(bundled: Backend) -> None:
    block = f"view: compare\ncompare: heads\nsilenced: 1.2\nlayer: 3\nhead: mean\na: {A}\nb: ''\n"
    [(_, answer)] = slide_at(models_of(bundled), block).answers
    runs = compare(bundled.trace(A), bundled.trace(A, silenced_heads=[(1, 2)])).runs
    cells = answer.charts[2].figure(LIGHT).data[0].z
    np.testing.assert_allclose(cells, attention_difference(runs, 3).mean(0), atol=1e-6)
    assert "patched-tokens" not in [chart.name for chart in answer.charts]


def test_steps_of_the_training_are_compared_in_their_order() -> None:
    models = replace(models_of(encoder.load("scratch")), trace=lambda name, a, b: encoder.load(name).trace(a, b))
    block = f"view: compare\ncompare: steps\nmodel: scratch\nwith_step: 61\nlayer: 0\nhead: 0\na: {A}\nb: ''\n"
    [(_, answer)] = slide_at(models, block).answers
    assert Sentence("L0 H0: “step 2057” minus “step 61”", "heading") in answer.parts


def test_long_texts_are_compared_by_estimates_on_slides(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viz.slides.compare.MOST_TOKENS", 10)
    [(_, answer)] = slide_at(models_of(bundled), f"view: compare\na: {A}\nb: a puppy barks\n").answers
    assert "An estimate from the slopes" in str(answer.parts)
    assert "An estimate from gradients" in str(answer.parts)


def test_runs_without_a_difference_are_said_to_have_none(bundled: Backend) -> None:
    [(_, answer)] = slide_at(models_of(bundled), f"view: compare\na: {A}\nb: {A}\n").answers
    assert "**No difference.**" in str(answer.parts[-1])
    assert not answer.charts


@pytest.mark.parametrize(
    ("block", "why"),
    [
        (f"view: similar because\na: {A}\nb: ''\n", "This asks why two sentences are similar: type a second one."),
        (f"view: compare\na: {A}\nb: ''\n", "or choose one of the minimal pairs."),
        (f"view: compare\ncompare: heads\na: {A}\nb: ''\n", "or silence the selected head."),
        (f"view: compare\ncompare: steps\na: {A}\nb: ''\n", "open it to compare them."),
    ],
)
def test_what_cannot_be_compared_is_said(block: str, why: str, bundled: Backend) -> None:
    slide = slide_at(models_of(bundled), block)
    assert not slide.answers
    assert slide.remark.startswith("There is no picture here.")
    assert slide.remark.endswith(why)
