"""The views of a page without a server that are answers, as the browser fills them in."""

from __future__ import annotations

import json
from typing import Any, Final

from encoder.measures.similarity import ReferenceBand
from encoder.models.base import Backend
from encoder.shipped.sentiment import SentimentBackend
from viz.figures.labels import EM
from viz.site.norms import norms_template
from viz.site.predictions import head_file, predictions_template
from viz.site.removed_words import removed_words_template
from viz.site.word_lens import probes_file, word_lens_template

ANSWERS: Final = "answers.json"


def answer_files(model: Backend, band: ReferenceBand) -> dict[str, bytes]:
    """The answers of a model's runs and the matrices that they need, by the names of their files."""
    answers = json.dumps(answers_of(model, band), ensure_ascii=False, separators=(",", ":"))
    return {ANSWERS: answers.encode(), **probes_file(model.name), **head_file(model)}


def answers_of(model: Backend, band: ReferenceBand) -> dict[str, Any]:
    """The views of a model's runs that are answers; `viz/html/browser/site/answers.mjs` describes the JSON."""
    views: dict[str, Any] = {"norms": norms_template(model), "word lens": word_lens_template(model, band)}
    if isinstance(model, SentimentBackend):
        views |= {"predictions": predictions_template(model), "why": removed_words_template(model)}
    return {"widths": EM, "views": views}
