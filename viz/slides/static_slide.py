"""The parts of a slide without interaction: charts and lines of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from encoder.errors import SelectionError
from encoder.measures.units import units_of
from encoder.runs.trace import Trace
from encoder.shipped.probes import has_probes, word_classes
from viz.answers.answer import Answer
from viz.answers.norms import norms as norms_of
from viz.answers.predictions import predictions as predictions_of
from viz.answers.tokens import tokens_of_texts
from viz.claims.subject import MOST_TOKENS
from viz.saved_page.pages import HEADINGS
from viz.slides.contents import TokenLine
from viz.state.selection import Selection
from viz.tours.places import LETTERS
from viz.wording.labels import make_visible


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticSlide:
    """A view's answers and lines of tokens, and a remark on what the slide leaves out."""

    lines: tuple[TokenLine, ...] = ()
    answers: tuple[tuple[str, Answer], ...] = ()
    remark: str = ""


def check_tokens(tokens: int) -> None:
    """Raises SelectionError if a slide may not run so many tokens through a model."""
    if tokens > MOST_TOKENS:
        raise SelectionError(f"This takes {tokens:,} tokens; slides run at most {MOST_TOKENS:,}. The app asks first.")


def predictions(traces: Mapping[str, Trace]) -> StaticSlide:
    """The predictions for each text."""
    return StaticSlide(answers=tuple((HEADINGS[place], predictions_of(trace)) for place, trace in traces.items()))


def tokens(traces: Mapping[str, Trace]) -> StaticSlide:
    """How each text is read."""
    return StaticSlide(answers=tuple((HEADINGS[place], answer) for place, answer in tokens_of_texts(traces).items()))


def norms(traces: Mapping[str, Trace], selection: Selection) -> StaticSlide:
    """The norms of each text."""
    level, special = selection.level, selection.special
    units = {place: units_of(trace.tokens, level=level, special=special) for place, trace in traces.items()}
    if not all(map(len, units.values())):
        raise SelectionError("This text has special tokens only, and the stop hides them.")
    return StaticSlide(
        answers=tuple((HEADINGS[place], norms_of(trace, units[place], level)) for place, trace in traces.items())
    )


def texts_in_words(traces: Mapping[str, Trace]) -> str:
    """The texts of some runs, with letters if there are two."""
    texts = [make_visible(sentence) for trace in traces.values() for sentence in trace.tokens.sentences]
    named = [f"{letter}: “{text}”" for letter, text in zip(LETTERS, texts, strict=False)]
    return " ".join(named) if len(texts) > 1 else f"“{texts[0]}”"


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
