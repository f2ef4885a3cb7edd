"""The anatomy on slides: every step's pictures, with the numbers of the run."""

from __future__ import annotations

import json
from typing import cast

import numpy as np
import pytest

from encoder import Backend
from encoder.experiments.anatomy.names import STEPS, StepKey
from encoder.experiments.anatomy.record import ours, record
from encoder.experiments.anatomy.step_examples import activation_curves
from encoder.measures.cost import add_up_quadratic_parts, count_operations
from encoder.measures.similarity import successive_cosines
from viz.exports.charts import described_chart
from viz.exports.slides import Slide
from viz.figures.anatomy_curves import activation_lines
from viz.panels.anatomy.steps.numbers import LENGTHS
from viz.slides.making import slides_of
from viz.slides.models import Models
from viz.state.selection import DEFAULT
from viz.theme import THEMES
from viz.tours.files import parse_tour

A, B = "time flies like an arrow", "fruit flies like a banana"
TOKENS_ALONE: tuple[StepKey, ...] = ("text", "ids")


@pytest.fixture(scope="module")
def models(scratch_bert: Backend) -> Models:
    return Models(
        open=lambda name: scratch_bert,
        trace=lambda name, a, b: scratch_bert.trace(a, b),
        band=lambda name: pytest.fail("The anatomy has no band."),
        maps=lambda trace, quantity: pytest.fail("The anatomy has no other quantities."),
        write=lambda selection: pytest.fail("The anatomy is an encoder's."),
    )


def slide(models: Models, step: str, more: str = "", *, a: str = A) -> Slide:
    block = f"view: anatomy\na: {a}\nb: {B}\nwalk: {step}\nlayer: 1\nhead: 2\nrow: 3\ncolumn: 1\n{more}"
    return slides_of(parse_tour(f"# Tour\n\n## Stop\n\n```yaml\n{block}\n```\n\nWords.\n"), DEFAULT, models).slides[0]


@pytest.mark.parametrize("step", STEPS)
def test_every_step_draws_what_it_has(models: Models, step: StepKey) -> None:
    shown = slide(models, step)
    assert "There is no picture here" not in shown.remark
    assert bool(shown.charts or shown.answers) == (step not in TOKENS_ALONE)
    assert bool(shown.lines) == (step in TOKENS_ALONE)
    for chart in shown.charts:
        rows, columns = chart.grid.values.shape
        assert (len(chart.grid.rows), len(chart.grid.columns)) == (rows, columns)
        for top, left, tall, wide in (*chart.frames, *chart.rings):
            assert 0 <= top < top + tall <= rows
            assert 0 <= left < left + wide <= columns
        json.dumps(described_chart(chart), allow_nan=False)


def test_weights_are_those_of_the_run_with_the_chosen_cell_and_the_ring(models: Models, scratch_bert: Backend) -> None:
    [chart] = slide(models, "softmax", 'points:\n  - cell(A:"flies" → "time")\n').charts
    np.testing.assert_allclose(chart.grid.values, scratch_bert.trace(A, B).weights(1)[2], atol=1e-5)
    assert chart.grid.rows == chart.grid.columns
    assert (chart.frames, chart.frames_name) == ([(3, 1, 1, 1)], "the chosen cell")
    assert chart.rings == [(2, 1, 1, 1)]
    assert chart.dividers == [7]  # where B begins


def test_a_long_text_shows_the_tokens_around_the_chosen_one(models: Models) -> None:
    [chart] = slide(models, "softmax", a=f"{A} " * 8).charts
    assert chart.grid.values.shape == (24, 24)
    assert "queries 0 to 23 of" in chart.grid.caption


def test_the_head_that_is_followed_is_framed_among_all(models: Models) -> None:
    [chart] = slide(models, "heads").charts
    assert (chart.frames, chart.frames_name) == ([(0, 64, 13, 32)], "head 2")
    assert chart.dividers[:2] == [32, 64]


def test_layers_show_how_far_each_turns_a_token(models: Models, scratch_bert: Backend) -> None:
    *_, turned = slide(models, "layers").charts
    states = np.stack(scratch_bert.trace(A, B).hidden_states)
    np.testing.assert_allclose(turned.grid.values, successive_cosines(states), atol=1e-5)


def test_masked_scores_are_written_as_minus_infinity(models: Models) -> None:
    masked = slide(models, "mask", "mask: causal\n").charts[1]
    values = cast("list[list[float | None]]", described_chart(masked)["grid"]["values"])
    assert values[0][1] is None
    assert values[1][0] is not None


def test_activations_lie_over_the_inputs_of_the_units(models: Models, scratch_bert: Backend) -> None:
    shown = slide(models, "feed-forward")
    curves = next(chart for chart in shown.charts if chart.look == "curves")
    run = record(ours(scratch_bert).encoder, scratch_bert.tokenize(A, B), layer=1)
    figure = activation_lines(run.inner.ravel(), activation_curves(), theme=THEMES["light"])
    bars, *lines = figure.data
    assert curves.histogram
    np.testing.assert_allclose(curves.histogram.values[0], bars.y, atol=1e-7)
    assert [curves.histogram.low, curves.histogram.high] == [-4, 3]
    assert curves.places is not None
    for row, line in zip(curves.grid.values, lines, strict=True):
        np.testing.assert_allclose(row, line.y, atol=1e-6)
        np.testing.assert_allclose(curves.places, line.x, atol=1e-6)
    assert curves.grid.rows == [line.name for line in lines]
    assert [chart.look for chart in shown.charts] == ["cells"] * 4 + ["curves", "stacked bars"]
    assert "Left out: what the second matrix adds" in shown.remark


def test_operations_are_those_of_the_figure(models: Models, scratch_bert: Backend) -> None:
    *_, operations = slide(models, "numbers").charts
    config = ours(scratch_bert).encoder.config
    parts = add_up_quadratic_parts(count_operations(config, LENGTHS))
    np.testing.assert_array_equal(operations.grid.values, list(parts.values()))
    assert operations.logarithmic
    assert operations.places == LENGTHS.tolist()
    assert operations.lines == [
        (config.intermediate_size, f"equal at {config.intermediate_size:,} tokens"),
        (config.max_position_embeddings, f"this model reads {config.max_position_embeddings:,}"),
    ]
    assert described_chart(operations)["grid"]["values"][0][-1] == int(next(iter(parts.values()))[-1])
