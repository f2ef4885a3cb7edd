"""A number as words, or pairs of them, are taken away in an order, beside random orders: a chart of curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoder.attribution.removal_curves import verdict
from encoder.runs.arrays import FloatArray
from viz.exports.charts import Chart, Series
from viz.exports.contents import NumberGrid
from viz.panels.verdicts import in_words

MOST_NUMBERED = 8  # points of a curve that have their numbers
EDGE = 0.02  # beyond the limits of a number


def removal_chart(
    caption: str,
    own: FloatArray,
    random: FloatArray,
    *,
    counts: Sequence[int],
    unit: str,
    taken: str,
    greedy: FloatArray | None = None,
    limits: tuple[float, float] | None = None,
    removed: int = 0,
    model_name: str,
    text: str = "A text",
) -> Chart:
    """The curves, with the verdict on the order.

    Args:
        own: (S,) in the order that is tested.
        random: (R, S) in random orders.
        counts: how many are taken away at each of the S steps.
        unit: of the number, and `taken` what is taken away, such as "words".
        greedy: (S,) in the order that a greedy search finds, if there was one.
        limits: the least and the largest that the number can be; those of the curves where None is given.
        model_name: whose number it is.
        removed: how many are taken away at the stop; 0 for none.
        text: what is too short, where it is, as `in_words` says it.
    """
    curves = {f"mean of {len(random)} random orders": random.mean(axis=0)}
    series = [
        Series(
            colour="muted",
            dash="dot",
            symbol="",
            area=(random.min(axis=0), random.max(axis=0)),
            area_name=f"{len(random)} random orders",
        )
    ]
    if greedy is not None:
        curves["greedy search"] = greedy
        series.append(Series(colour="B", dash="dash", symbol=""))
    curves["this order"] = own
    series.append(Series(colour="primary", numbered=len(counts) <= MOST_NUMBERED))
    shown = np.stack(list(curves.values()))
    low, high = limits or (float(min(random.min(), shown.min())), float(max(random.max(), shown.max())))
    said = in_words(verdict(own, random, units=counts[-1], greedy=greedy), unit, model_name=model_name, text=text)
    return Chart(
        grid=NumberGrid(
            caption,
            list(curves),
            [str(count) for count in counts],
            shown,
            low=low - EDGE * (high - low or 1),
            high=high + EDGE * (high - low or 1),
            digits=3,
        ),
        look="curves",
        said=plain(said),
        series=tuple(series),
        across=f"{taken} taken away",
        value=unit,
        lines=[(float(np.interp(removed, counts, range(len(counts)))), f"{removed} taken away")] if removed else [],
    )


def plain(markdown: str) -> str:
    """Sentences of ours without their emphasis."""
    return markdown.replace("**", "")
