"""Predictions on a page without a server: of the sentiment head, which is one matrix."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from encoder.models.labels import SENTIMENTS
from encoder.runs.trace import Prediction, Trace
from encoder.shipped.sentiment import SentimentBackend
from viz.answers.predictions import EXPLANATION, answer_of
from viz.saved_page.contents import Page, ViewName
from viz.site.templates import References, html_of_template, template_of
from viz.theme import Theme
from viz.wording.numbers import percent

HEAD: Final = "head.json"
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


def head_file(model: object) -> dict[str, bytes]:
    """The head of a model, by the file's name: the pooled states that it reads, its matrix and its bias."""
    if not isinstance(model, SentimentBackend):
        return {}
    head = model.head
    matrix = {"weight": head.weight.tolist(), "bias": head.bias.tolist()}
    return {HEAD: json.dumps({"states": head.states, **matrix}, separators=(",", ":")).encode()}


def predictions_template(model: SentimentBackend) -> dict[str, Any]:
    """The view with references; `viz/html/browser/site/answers.mjs` describes the JSON."""
    made_up = Prediction(
        labels=SENTIMENTS,
        logits=np.zeros(len(SENTIMENTS), np.float32),
        probabilities=np.array(SHARES, np.float32),
        score=SCORE,
        score_range=(0.0, 1.0),
        note=model.head.note,
    )
    answer = answer_of(made_up)
    said = f"<strong>{SENTIMENTS[-1]}</strong> ({percent(SHARES[-1])})"
    html = html_of_template(answer).replace(said, "<strong>{label}</strong> ({share})")
    references = {"probabilities": _of_probabilities, "score": _of_score}
    return {
        "html": html.replace(f"{SCORE}", "{score}"),
        "labels": list(SENTIMENTS),
        "charts": {chart.name: template_of(chart, references[chart.name]) for chart in answer.charts},
    }


def _of_probabilities(_: Mapping[str, Any], __: Theme) -> References:
    return {"data.0.x": {"$": "probabilities"}}


def _of_score(_: Mapping[str, Any], __: Theme) -> References:
    return {
        "data.0.x": [{"$": "score"}],
        "data.0.text": [{"$": "score", "to": [["written", 3]]}],
        "data.0.hovertemplate": {"$": "score", "to": [["written", 4], ["framed", "score ", "<extra></extra>"]]},
    }
