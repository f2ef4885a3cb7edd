"""Functions of the anatomy as charts: activations over their inputs, and operations by the length of a text."""

from __future__ import annotations

from typing import Final

import numpy as np

from encoder.experiments.anatomy.step_examples import activation_curves
from encoder.measures.cost import add_up_quadratic_parts, count_operations, crossings
from encoder.runs.arrays import FloatArray
from encoder.transformer.config import EncoderConfig
from viz.exports.charts import Chart, Dash, Series
from viz.exports.contents import NumberGrid
from viz.figures.anatomy_curves import input_histogram
from viz.panels.anatomy.steps.numbers import LENGTHS

DASHES: Final[tuple[Dash, ...]] = ("solid", "dash", "dot")
ROOM = 0.25  # above and below the curves of activations


def activations_chart(inputs: FloatArray) -> Chart:
    """Activation functions over a histogram of what really goes into them.

    Args:
        inputs: (N,); those beyond the curves' range are left out of the histogram.
    """
    curves = activation_curves()
    points = next(iter(curves.values()))[0]  # (M,), the same of all
    values = np.stack([value for _, value in curves.values()])  # (R, M)
    shares, edges = input_histogram(inputs, low=float(points[0]), high=float(points[-1]))
    middles = (edges[:-1] + edges[1:]) / 2
    return Chart(
        grid=NumberGrid(
            "What passes through an activation function, and what goes into it on this text",
            list(curves),
            [f"{point:.2f}" for point in points.tolist()],
            values,
            low=float(values.min()) - ROOM,
            high=float(values.max()) + ROOM,
            digits=3,
        ),
        look="curves",
        series=(Series(colour=0, symbol=""), Series(colour=1, symbol="", dash="dash")),
        across="input",
        value="what passes",
        places=points.tolist(),
        histogram=NumberGrid(
            "Inputs on this text, as shares of all",
            ["inputs on this text"],
            [f"near {middle:.2f}" for middle in middles.tolist()],
            shares[None],
            low=float(edges[0]),
            high=float(edges[-1]),
            digits=4,
        ),
    )


def operations_chart(config: EncoderConfig) -> Chart:
    """Floating-point operations of each part of one pass, by the number of tokens, both axes logarithmic."""
    parts = add_up_quadratic_parts(count_operations(config, LENGTHS))
    operations = np.stack(list(parts.values())).astype(np.float64)  # (P, N)
    equal, longest = crossings(config).feed_forward, config.max_position_embeddings
    return Chart(
        grid=NumberGrid(
            "Floating-point operations of one pass, by the length of the text",
            list(parts),
            [f"{length:,}" for length in LENGTHS.tolist()],
            operations,
            low=float(operations.min()),
            high=float(operations.max()),
            digits=0,
        ),
        look="curves",
        series=tuple(Series(colour=index, symbol="", dash=DASHES[index % len(DASHES)]) for index in range(len(parts))),
        across="tokens",
        value="operations of one pass",
        places=LENGTHS.tolist(),
        logarithmic=True,
        lines=[(equal, f"equal at {equal:,} tokens"), (longest, f"this model reads {longest:,}")],
    )
