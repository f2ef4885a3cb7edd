"""The anatomy on slides: every step's tensors, and what else it shows, with the numbers of the run."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from encoder import Backend
from encoder.experiments.anatomy.names import STEPS, StepKey
from tests.viz.slides.stops import models_of, slide_at
from viz.answers.answer import Code, Formula
from viz.recipes.slide import Models
from viz.slides.contents import Slide
from viz.theme import THEMES

A, B = "time flies like an arrow", "fruit flies like a banana"
WITH_TOKENS: tuple[StepKey, ...] = ("text", "ids")
LIGHT = THEMES["light"]


@pytest.fixture(scope="module")
def models(scratch_bert: Backend) -> Models:
    return models_of(scratch_bert)


def slide(models: Models, step: str, more: str = "", *, a: str = A) -> Slide:
    block = f"view: anatomy\na: {a}\nb: {B}\nwalk: {step}\nlayer: 1\nhead: 2\nrow: 3\ncolumn: 1\n{more}"
    return slide_at(models, block)


def drawn(slide: Slide) -> dict[str, go.Figure]:
    """The figures of a slide, by the names of their charts."""
    return {chart.name: chart.figure(LIGHT) for _, answer in slide.answers for chart in answer.charts}


@pytest.mark.parametrize("step", STEPS)
def test_every_step_draws_what_it_has(models: Models, step: StepKey) -> None:
    shown = slide(models, step)
    assert shown.remark == ""
    [(_, answer)] = shown.answers
    assert isinstance(answer.parts[0], Formula)
    assert isinstance(answer.parts[-1], Code)
    assert bool(shown.lines) == (step in WITH_TOKENS)
    assert all(figure.data for figure in drawn(shown).values())


def test_weights_are_those_of_the_run_with_the_chosen_cell_and_the_ring(models: Models, scratch_bert: Backend) -> None:
    [figure] = drawn(slide(models, "softmax", 'points:\n  - cell(A:"flies" → "time")\n')).values()
    np.testing.assert_allclose(np.asarray(figure.data[0].z), scratch_bert.trace(A, B).weights(1)[2], atol=1e-5)
    chosen, ring = figure.layout.shapes[-2:]
    assert (chosen.x0, chosen.x1, chosen.y0, chosen.y1) == (0.5, 1.5, 2.5, 3.5)
    assert (ring.x0, ring.x1, ring.y0, ring.y1, ring.name) == (0.5, 1.5, 1.5, 2.5, "ring")


@pytest.mark.parametrize(
    ("step", "result"),
    [("softmax", "a_{3,1}"), ("mask", "s_{3,1} + M_{3,1}"), ("what-if", "a'_{3,1}"), ("positions", r"P_{3,\,1}")],
)
def test_the_cell_of_a_stop_is_worked_out(models: Models, step: StepKey, result: str) -> None:
    [(_, answer)] = slide(models, step).answers
    formulas = [part.latex for part in answer.parts if isinstance(part, Formula)]
    assert any(result in latex for latex in formulas[1:])


def test_a_stop_shows_its_mask_and_its_changes(models: Models) -> None:
    masked = drawn(slide(models, "mask", "mask: causal\n"))["scores-masked-empty-is"]
    assert np.isnan(np.asarray(masked.data[0].z, dtype=float)[0, 1])
    changed = slide(models, "what-if", "what_if: one-head\n")
    assert "changed-the-only-head" in drawn(changed)
