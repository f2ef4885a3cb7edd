"""What a slide has in place of a view that only the app has: the numbers of its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from encoder.errors import SelectionError
from encoder.runs.trace import Trace
from encoder.shipped.probes import has_probes, word_classes
from viz.exports.contents import NumberGrid
from viz.exports.pages import HEADINGS
from viz.exports.slides import TokenLine
from viz.labels import make_visible
from viz.state.selection import Selection
from viz.tours.places import LETTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """Pictures that do not answer, and what of the view is not here."""

    lines: tuple[TokenLine, ...] = ()
    grids: tuple[NumberGrid, ...] = ()
    remark: str = ""


def predictions(traces: Mapping[str, Trace]) -> Still:
    """The probabilities of a model's classes, a row for each text.

    Raises:
        SelectionError: the model has no prediction head.
    """
    found = {place: trace.prediction for place, trace in traces.items()}
    rows = [HEADINGS[place] or "probability" for place in found]
    shares = [
        each.probabilities for each in found.values() if each is not None and each.probabilities is not None
    ]  # (C,) each
    first = next(iter(found.values()))
    if first is None or len(shares) < len(rows):
        raise SelectionError("This model has no head that predicts classes.")
    untrained = "" if first.trained else " (untrained: these numbers are noise)"
    grid = NumberGrid(
        f"What the model predicts{untrained}", rows, first.labels, np.stack(shares), low=0, high=1, digits=3
    )
    return Still(grids=(grid,), remark="The view Predictions has bars in the app; here are its probabilities.")


def texts_in_words(traces: Mapping[str, Trace]) -> str:
    """The texts of some runs, each with its letter where there are two."""
    texts = [make_visible(sentence) for trace in traces.values() for sentence in trace.tokens.sentences]
    named = [f"{letter}: “{text}”" for letter, text in zip(LETTERS, texts, strict=False)]
    return " ".join(named) if len(texts) > 1 else f"“{texts[0]}”"


def tag_lines(traces: Mapping[str, Trace], selection: Selection) -> tuple[TokenLine, ...]:
    """The parts of speech under the words, where the stop shows them and the model has probes."""
    if selection.tags == "off":
        return ()
    entry = selection.tags if isinstance(selection.tags, int) else None
    where = "all layers" if entry is None else "the embeddings" if entry == 0 else f"the states after L{entry - 1}"
    lines = []
    for place, trace in traces.items():
        if has_probes(trace.model_name):
            tags = word_classes(trace).likeliest(entry)
            text = f" in {place}" if place in ("A", "B") else ""
            caption = f"Parts of speech{text}, read by a probe from {where}"
            lines.append(TokenLine(caption, tuple(zip(map(make_visible, trace.tokens.words), tags, strict=True))))
    return tuple(lines)
