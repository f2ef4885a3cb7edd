"""Signed numbers by their names, as a chart of bars to either side of 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from viz.exports.charts import Box, Chart
from viz.exports.contents import NumberGrid


class Bar(NamedTuple):
    """A name and its number."""

    name: str
    value: float


def signed_chart(
    caption: str,
    bars: Sequence[Bar],
    *,
    said: str,
    unit: str,
    digits: int,
    limits: tuple[float, float] | None = None,
    rings: Sequence[Box] = (),
) -> Chart:
    """A bar for each number, the first on top.

    Args:
        unit: what the numbers are.
        limits: the least and the largest of all charts that are to be compared; of these numbers where None is given.
    """
    values = np.array([[bar.value for bar in bars]], dtype=np.float32)
    low, high = limits or (float(values.min()), float(values.max()))
    return Chart(
        grid=NumberGrid(
            caption,
            [unit],
            [bar.name for bar in bars],
            values,
            low=min(low, 0),
            high=max(high, 0, 1e-6 if low >= 0 else 0),
            digits=digits,
            signed=True,
        ),
        look="signed bars",
        said=said,
        value=unit,
        rings=rings,
    )
