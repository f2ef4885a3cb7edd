"""Predictions on a page without a server: of the sentiment head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from encoder.runs.trace import Prediction, Trace
from viz.saved_page.contents import Page, ViewName
from viz.site.templates import References, among, html_of_template, template, template_of_chart, value
from viz.theme import Theme
from viz.views.predictions.answer import EXPLANATION, answer_of
from viz.wording.numbers import percent

VIEW: Final[ViewName] = "predictions"
SHARES: Final = (0.125, 0.25, 0.625)  # of a prediction whose words and numbers are replaced
SCORE: Final = 0.123


def with_predictions(page: Page, traces: Mapping[str, Trace]) -> Page:
    """The page with what the model predicts for each of its texts, by place; unchanged for a model without a head."""
    found = {place: trace.prediction for place, trace in traces.items()}
    runs = []
    for run in page.runs:
        prediction = found[run.place]
        if prediction is None:
            return page
        answers, explanations = {**run.answers, VIEW: answer_of(prediction)}, {**run.explanations, VIEW: EXPLANATION}
        runs.append(replace(run, answers=answers, explanations=explanations))
    return replace(page, runs=tuple(runs), views=(*page.views, VIEW))


def predictions_template(prediction: Prediction) -> dict[str, Any]:
    """The view with references, from a prediction of the model's head."""
    made_up = replace(prediction, probabilities=np.array(SHARES, np.float32), score=SCORE)
    answer = answer_of(made_up)
    said = f"<strong>{prediction.labels[-1]}</strong> ({percent(SHARES[-1])})"
    html = html_of_template(answer).replace(said, "<strong>{label}</strong> ({share})")
    references = {"probabilities": _of_probabilities, "score": _of_score}
    return template(
        html.replace(f"{SCORE}", "{score}"),
        {chart.name: template_of_chart(chart, references[chart.name]) for chart in answer.charts},
        {
            "label": among(value("order.0"), prediction.labels),
            "share": value("share", ("percent",)),
            "score": value("score", ("written", 3)),
        },
    )


def _of_probabilities(_: Mapping[str, Any], __: Theme) -> References:
    return {"data.0.x": value("probabilities")}


def _of_score(_: Mapping[str, Any], __: Theme) -> References:
    return {
        "data.0.x": [value("score")],
        "data.0.text": [value("score", ("written", 3))],
        "data.0.hovertemplate": value("score", ("written", 4), ("framed", "score ", "<extra></extra>")),
    }
