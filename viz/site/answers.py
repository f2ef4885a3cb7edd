"""The views of a page without a server that are answers, as the browser fills them in."""

from __future__ import annotations

import json
from typing import Any, Final

from encoder.measures.similarity import ReferenceBand
from encoder.models.base import Backend
from encoder.models.labels import TAGS
from encoder.shipped.probes import has_probes
from encoder.text.readings import reading_of
from viz.answers.answer import Answer, Sentence, TokenRows
from viz.site.norms import axis_layout, norms_template
from viz.site.predictions import predictions_template
from viz.site.removed_words import WORD, removed_words_template
from viz.site.templates import among, html_of_template, value
from viz.site.word_lens import word_lens_template
from viz.wording.readings import CHANGES, LOSSES

ANSWERS: Final = "answers.json"


def answers_of(model: Backend, band: ReferenceBand) -> dict[str, Any]:
    """The views of a model's runs that are answers, and the tags of words, with references."""
    said, rows = Sentence("{said}", "subheading"), TokenRows(reading=reading_of(model.tokenize(WORD)))
    read = ((said, rows), (said, Sentence("{unknown}", "warning"), rows))
    views: dict[str, Any] = {
        "tokens": {
            "html": [html_of_template(Answer(each)) for each in read],
            "changes": {**CHANGES},
            "losses": {**LOSSES},
        },
        "axis": axis_layout(),
        "norms": norms_template(model),
        "lens": word_lens_template(model, band),
    }
    if has_probes(model.name):
        views["tags"] = among(value("tags"), TAGS)
    prediction = model.trace(WORD).prediction
    if prediction is not None:
        why = removed_words_template(model, prediction.labels)
        views |= {"predictions": predictions_template(prediction), "why": why}
    return views


def answers_file(model: Backend, band: ReferenceBand) -> bytes:
    """The same as a file of JSON."""
    return json.dumps(answers_of(model, band), ensure_ascii=False, separators=(",", ":")).encode()
