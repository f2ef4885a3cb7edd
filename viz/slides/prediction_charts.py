"""Predictions as charts: a bar for each class, and a regression score on its scale."""

from __future__ import annotations

import numpy as np

from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction
from viz.exports.charts import Chart
from viz.exports.contents import NumberGrid
from viz.wording.labels import make_visible

UNTRAINED = " (untrained: these numbers are noise)"


def prediction_charts(prediction: Prediction, heading: str = "") -> list[Chart]:
    """The charts of what there is: probabilities, and a score whose scale is known.

    Args:
        heading: what the prediction is about; "" where that is clear.
    """
    predicts, scale = "What the model predicts", "Regression score"
    if heading:
        predicts, scale = (f"{heading}: {what[0].lower()}{what[1:]}" for what in (predicts, scale))
    noise = "" if prediction.trained else UNTRAINED
    charts = []
    if prediction.probabilities is not None:
        labels = list(map(make_visible, prediction.labels))
        charts.append(_classes(f"{predicts}{noise}", labels, prediction.probabilities))
    if prediction.score is not None and prediction.score_range is not None:
        low, high = prediction.score_range
        ends = f"from {low:g} (most negative) to {high:g} (most positive)"
        grid = NumberGrid(
            f"{scale}, {ends}{noise}",
            ["score"],
            ["score"],
            np.array([[prediction.score]], dtype=np.float32),
            low=low,
            high=high,
            digits=3,
        )
        charts.append(Chart(grid=grid, look="scale"))
    return charts


def _classes(caption: str, labels: list[str], probabilities: FloatArray) -> Chart:
    grid = NumberGrid(caption, ["probability"], labels, probabilities[None], low=0, high=1, digits=3)
    return Chart(grid=grid, look="bars", value="probability")
