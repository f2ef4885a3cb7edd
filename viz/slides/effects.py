"""Heads' effects on words, as charts: a cell for each head, framed where it lies beyond the control."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoder.measures.head_effects import exceeds_control
from encoder.runs.arrays import FloatArray
from viz.claims.subject import Sweep
from viz.exports.charts import Box, Chart
from viz.exports.contents import NumberGrid
from viz.panels.word_lens.effect_measures import DISTANCE, LOG_ODDS, MEASURES, EffectMeasure
from viz.state.selection import Effect
from viz.tours.tour import Point

BEYOND = "beyond 95 % of other words' effects"


def effect_charts(sweeps: Sequence[tuple[str, Sweep]], *, effect: Effect, points: Sequence[Point]) -> list[Chart]:
    """A chart for each word; their colours have one scale.

    Args:
        sweeps: what each is about, and what silencing heads does to it.
        effect: what is shown; on the final vector, where no probe reads parts of speech or there is no second word.
        points: of the stop: heads are ringed.
    """
    measure = MEASURES[effect]
    effects = [measure.of(sweep.effects) for _, sweep in sweeps]
    found = [of_word for of_word in effects if of_word is not None]  # (L, H) each
    if len(found) < len(sweeps):
        measure, found = DISTANCE, [sweep.effects.distance[0] for _, sweep in sweeps]
    high = max(float(np.abs(each).max()) for each in found) or 1.0
    return [
        _chart(about, sweep, of_word, measure, high=high, points=points)
        for (about, sweep), of_word in zip(sweeps, found, strict=True)
    ]


def _chart(
    about: str, sweep: Sweep, effects: FloatArray, measure: EffectMeasure, *, high: float, points: Sequence[Point]
) -> Chart:
    limit = measure.limit(sweep.control)
    unit = measure.name(sweep.effects.classes[0] if measure is LOG_ODDS else ())
    return Chart(
        grid=NumberGrid(
            f"Effect of each head on {about} ({unit}{_control(limit)})",
            [f"L{layer}" for layer in range(len(effects))],
            [f"H{head}" for head in range(effects.shape[1])],
            effects,
            low=-high if measure.signed else 0,
            high=high,
            digits=3,
            signed=measure.signed,
        ),
        frames=[(layer, head, 1, 1) for layer, head in np.argwhere(exceeds_control(effects, limit)).tolist()],
        frames_name=BEYOND,
        rings=_rings(points, effects),
    )


def _control(limit: float | None) -> str:
    return "" if limit is None else f", control {limit:.3f}"


def _rings(points: Sequence[Point], effects: FloatArray) -> list[Box]:
    """Around the heads that are pointed at, those that the model has."""
    pointed = {(point.layer, point.head) for point in points if point.kind == "head"}
    return [(layer, head, 1, 1) for layer, head in np.ndindex(effects.shape) if (layer, head) in pointed]
