"""Heads' effects on words, as charts: a cell for each head, framed where it lies beyond the control."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoder.measures.head_effects import exceeds_control
from encoder.runs.arrays import FloatArray
from encoder.shipped.labels import TAGS
from viz.claims.subject import Sweep
from viz.exports.charts import Box, Chart
from viz.exports.contents import NumberGrid
from viz.state.selection import Effect
from viz.tours.tour import Point

BEYOND = "beyond 95 % of other words’ effects"


def effect_charts(sweeps: Sequence[tuple[str, Sweep]], *, effect: Effect, points: Sequence[Point]) -> list[Chart]:
    """A chart for each word; their colours have one scale.

    Args:
        sweeps: what each is about, and what silencing heads does to it.
        effect: what is shown; on the final vector, where no probe reads parts of speech or there is no second word.
        points: of the stop: heads are ringed.
    """
    shown: Effect = effect if all(_shown(sweep, effect) for _, sweep in sweeps) else "final vector"
    found = [_shown(sweep, shown) for _, sweep in sweeps]
    signed = shown != "final vector"
    high = max(float(np.abs(effects).max()) for effects, _ in filter(None, found)) or 1.0
    return [
        Chart(
            grid=NumberGrid(
                f"Effect of each head on {about} ({_unit(sweep, shown)}{_control(limit)})",
                [f"L{layer}" for layer in range(len(effects))],
                [f"H{head}" for head in range(effects.shape[1])],
                effects,
                low=-high if signed else 0,
                high=high,
                digits=3,
                signed=signed,
            ),
            frames=[(layer, head, 1, 1) for layer, head in np.argwhere(exceeds_control(effects, limit)).tolist()],
            frames_name=BEYOND,
            rings=_rings(points, effects),
        )
        for (about, sweep), (effects, limit) in zip(sweeps, filter(None, found), strict=True)
    ]


def _shown(sweep: Sweep, effect: Effect) -> tuple[FloatArray, float | None] | None:
    """(L, H) effects on the word, and the control's 95th percentile; None where it has no such effects."""
    found, control = sweep.effects, sweep.control
    array = {"final vector": found.distance, "part of speech": found.log_odds, "shift": found.shift}[effect]
    if array is None:
        return None
    if control is None:
        return array[0], None
    limits = {"final vector": control.distance, "part of speech": control.log_odds, "shift": control.shift}
    return array[0], limits[effect]


def _unit(sweep: Sweep, effect: Effect) -> str:
    if effect == "final vector":
        return "cosine distance"
    if effect == "shift":
        return "change of the distance from A to B"
    first, second = sweep.effects.classes[0]
    return f"change of the log-odds, {TAGS[first]} against {TAGS[second]}"


def _control(limit: float | None) -> str:
    return "" if limit is None else f", control {limit:.3f}"


def _rings(points: Sequence[Point], effects: FloatArray) -> list[Box]:
    """Around the heads that are pointed at, those that the model has."""
    pointed = {(point.layer, point.head) for point in points if point.kind == "head"}
    return [(layer, head, 1, 1) for layer, head in np.ndindex(effects.shape) if (layer, head) in pointed]
