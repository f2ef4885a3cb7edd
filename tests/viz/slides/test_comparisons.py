"""Two sentences on slides: why they are alike, and where two runs differ, with the numbers of the Python API."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.attribution.removal_curves import removal_counts
from encoder.comparison.compare import compare
from encoder.comparison.run_differences import attention_difference
from encoder.comparison.similarity_map import similarity_map
from tests.viz.slides.stops import models_of, slide_at
from viz.wording.numbers import written

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


def test_two_sentences_differ_by_head_and_by_cell(bundled: Backend) -> None:
    cells, heads = slide_at(models_of(bundled), f"view: compare\nlayer: 2\nhead: 3\n{TEXTS}").charts
    found = compare(bundled.trace(A), bundled.trace(B))
    assert found.heads is not None
    np.testing.assert_allclose(heads.grid.values, found.heads.distances, atol=1e-6)
    framed = {(layer, head) for layer, head, *_ in heads.frames}
    assert framed == set(map(tuple, np.argwhere(found.heads.p_values <= 0.05).tolist()))
    layer, head = found.largest_heads(1)[0]
    assert heads.said == f"L{layer} H{head} differs most: {found.heads.distances[layer, head]:.3f}."
    assert cells.grid.rows == cells.grid.columns == list(found.runs.alignment.shared_labels)
    np.testing.assert_allclose(cells.grid.values, attention_difference(found.runs, 2)[3], atol=1e-6)
    assert cells.grid.caption == "L2 H3: attention in B minus attention in A"
    alone = len(found.runs.alignment.columns) - len(found.runs.alignment.shared)
    assert f"{alone} tokens of one text alone are left out." in cells.said


def test_a_run_is_compared_with_one_without_heads(bundled: Backend) -> None:
    block = f"view: compare\ncompare: heads\nsilenced: 1.2\nlayer: 3\nhead: mean\na: {A}\nb: ''\n"
    cells, heads = slide_at(models_of(bundled), block).charts
    changed = bundled.trace(A, silenced_heads=[(1, 2)])
    runs = compare(bundled.trace(A), changed).runs
    np.testing.assert_allclose(cells.grid.values, attention_difference(runs, 3).mean(0), atol=1e-6)
    assert cells.grid.caption == "L3, mean over heads: attention without L1 H2 minus attention with all heads"
    assert not heads.grid.values[:2].any(), "attention differs in later layers only"


def test_steps_of_the_training_are_compared_in_their_order() -> None:
    models = replace(models_of(encoder.load("scratch")), trace=lambda name, a, b: encoder.load(name).trace(a, b))
    block = f"view: compare\ncompare: steps\nmodel: scratch\nwith_step: 61\nlayer: 0\nhead: 0\na: {A}\nb: ''\n"
    cells, _ = slide_at(models, block).charts
    assert cells.grid.caption.endswith(" minus attention after step 61")


@pytest.mark.parametrize(
    ("block", "why"),
    [
        (f"view: similar because\na: {A}\nb: ''\n", "This asks why two sentences are similar: type a second one."),
        (f"view: compare\na: {A}\nb: ''\n", "This compares two sentences: type a second one."),
        (f"view: compare\na: {A}\nb: {A}\n", "Both runs have the same words, attention and states."),
        (f"view: compare\ncompare: heads\na: {A}\nb: ''\n", "No head is silenced."),
        (f"view: compare\ncompare: steps\na: {A}\nb: ''\n", "open it to compare them."),
    ],
)
def test_what_cannot_be_compared_is_said(block: str, why: str, bundled: Backend) -> None:
    slide = slide_at(models_of(bundled), block)
    assert not slide.charts
    assert slide.remark.startswith("There is no picture here.")
    assert slide.remark.endswith(why)
