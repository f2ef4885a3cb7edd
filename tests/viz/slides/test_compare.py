"""Two sentences on slides: why they are alike, and where two runs differ, with the numbers of the Python API."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.comparison.compare import compare
from encoder.comparison.run_differences import attention_difference
from encoder.comparison.text_vectors import cosine_of_runs
from tests.viz.slides.stops import models_of, slide_at
from viz.answers.answer import Sentence
from viz.answers.similar_because import NEEDS_TWO
from viz.theme import THEMES

LIGHT = THEMES["light"]
A, B = "a dog barks", "the puppy barks"
TEXTS = f"a: {A}\nb: {B}\n"


def test_a_slide_has_the_cosine_its_pairs_and_the_test(bundled: Backend) -> None:
    ((_, answer),) = slide_at(models_of(bundled), f"view: similar because\nlevel: words\n{TEXTS}").answers
    assert [chart.name.removeprefix("similar-because-") for chart in answer.charts] == ["pairs", "lines", "test"]
    heading, *sentences = [part.text for part in answer.parts if isinstance(part, Sentence)]
    cosine = cosine_of_runs(bundled.trace(A), bundled.trace(B))
    assert heading == f"A and B have a cosine of {cosine:.3f}"
    assert any("Too short to test" in sentence for sentence in sentences)


def test_compare_shows_on_a_slide_what_the_page_shows(bundled: Backend) -> None:
    slide = slide_at(models_of(bundled), f"view: compare\nlayer: 2\nhead: 3\n{TEXTS}")
    assert not slide.remark
    [(_, answer)] = slide.answers
    assert [chart.name for chart in answer.charts] == [
        "aligned-words",
        "attention-difference",
        "compare-heads",
        "compare-all-heads",
        "compare-words",
        "patched-tokens",
        "silenced-heads-A",
        "silenced-heads-B",
    ]
    cells = answer.charts[1].figure(LIGHT).data[0].z
    runs = compare(bundled.trace(A), bundled.trace(B)).runs
    np.testing.assert_allclose(cells, attention_difference(runs, 2)[3], atol=1e-6)
    assert "These are exact." in str(answer.parts)


def test_a_slide_compares_a_run_with_one_without_heads(bundled: Backend) -> None:
    block = f"view: compare\ncompare: heads\nsilenced: 1.2\nlayer: 3\nhead: mean\na: {A}\nb: ''\n"
    [(_, answer)] = slide_at(models_of(bundled), block).answers
    runs = compare(bundled.trace(A), bundled.trace(A, silenced_heads=[(1, 2)])).runs
    cells = answer.charts[0].figure(LIGHT).data[0].z
    np.testing.assert_allclose(cells, attention_difference(runs, 3).mean(0), atol=1e-6)
    assert "patched-tokens" not in [chart.name for chart in answer.charts]


def test_steps_of_the_training_are_compared_in_their_order() -> None:
    models = replace(models_of(encoder.load("scratch")), trace=lambda name, a, b: encoder.load(name).trace(a, b))
    block = f"view: compare\ncompare: steps\nmodel: scratch\nwith_step: 61\nlayer: 0\nhead: 0\na: {A}\nb: ''\n"
    [(_, answer)] = slide_at(models, block).answers
    assert Sentence("Layer 0, head 0: step 2057 minus step 61", "heading") in answer.parts


def test_long_texts_are_compared_by_estimates_on_slides(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viz.slides.compare.MOST_TOKENS", 10)
    [(_, answer)] = slide_at(models_of(bundled), f"view: compare\na: {A}\nb: a puppy barks\n").answers
    assert Sentence("An estimate from the gradients in A and in B.", "caption") in answer.parts
    assert Sentence("An estimate from gradients.", "caption") in answer.parts


def test_runs_without_a_difference_are_said_to_have_none(bundled: Backend) -> None:
    [(_, answer)] = slide_at(models_of(bundled), f"view: compare\na: {A}\nb: {A}\n").answers
    assert "**No difference.**" in str(answer.parts[-1])
    assert not answer.charts


@pytest.mark.parametrize(
    ("block", "why"),
    [
        (f"view: similar because\na: {A}\nb: ''\n", NEEDS_TWO),
        (f"view: compare\na: {A}\nb: ''\n", "or choose one of the minimal pairs."),
        (f"view: compare\ncompare: heads\nhead: mean\na: {A}\nb: ''\n", "in the list or on the map."),
        (f"view: compare\ncompare: steps\na: {A}\nb: ''\n", "open it to compare them."),
    ],
)
def test_what_cannot_be_compared_is_said(block: str, why: str, bundled: Backend) -> None:
    slide = slide_at(models_of(bundled), block)
    assert not slide.answers
    assert slide.remark.startswith("There is no picture here.")
    assert slide.remark.endswith(why)
