"""Texts and parts of speech on slides."""

from __future__ import annotations

from collections.abc import Mapping

from encoder.runs.trace import Trace
from encoder.shipped.probes import has_probes, word_classes
from viz.answers.answer import TokenLine
from viz.state.selection import Selection
from viz.tours.places import LETTERS
from viz.wording.labels import isolate_quoted, make_visible


def texts_in_words(traces: Mapping[str, Trace]) -> str:
    """The texts of some runs, with letters if there are two."""
    found = [make_visible(sentence) for trace in traces.values() for sentence in trace.tokens.sentences]
    named = [f"{letter}: “{text}”" for letter, text in zip(LETTERS, found, strict=False)]
    return isolate_quoted(" ".join(named) if len(found) > 1 else f"“{found[0]}”")


def tag_lines(traces: Mapping[str, Trace], selection: Selection) -> tuple[TokenLine, ...]:
    """The parts of speech under the words, if the stop shows them and the model has probes."""
    if selection.tags == "off":
        return ()
    state = selection.tags if isinstance(selection.tags, int) else None
    where = "all layers" if state is None else "the embeddings" if state == 0 else f"the states after L{state - 1}"
    lines = []
    for place, trace in traces.items():
        if has_probes(trace.model_name):
            tags = word_classes(trace).likeliest(state)
            text = f" in {place}" if place in ("A", "B") else ""
            caption = f"Parts of speech{text}, read by a probe from {where}"
            lines.append(TokenLine(caption, tuple(zip(map(make_visible, trace.tokens.words), tags, strict=True))))
    return tuple(lines)
