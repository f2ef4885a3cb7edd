"""Widgets that choose the output of the model that a view is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import streamlit as st

from encoder import Trace
from encoder.attribution.questions import Question, QuestionKind
from viz.answers.question import COMPARING, Asked, asked, kind_of, kinds_of, with_answer
from viz.caches import run_cache
from viz.state import session
from viz.state.selection import Selection, Side
from viz.widgets import choice, select_box
from viz.wording.labels import name_label, word_label

NUMBERS: Mapping[QuestionKind, str] = {
    "class": "Class",
    "score": "Score",
    "tag": "Tag of a word",
    "start": "Start of the answer",
    "end": "End of the answer",
    "masked word": "Masked word",
    "part of speech": "Part of speech",
    "similarity": "Similarity of A and B",
    "shift": "Shift from A to B",
}
LABELS: Mapping[QuestionKind, str] = {
    "class": "Class",
    "score": "Choice",
    "part of speech": "Part of speech",
    "tag": "Tag",
    "start": "Starts at",
    "end": "Ends at",
    "masked word": "Word for the mask",
}
SIDES: Mapping[Side, str] = {"A": "A", "B": "B"}


def about_answer(trace: Trace, selection: Selection) -> Selection:
    """The selection with an output that the model has, and a sentence if that is another one."""
    shown = with_answer(selection, trace)
    if shown != selection:
        st.caption(f"This model has no head of its own. Shown instead: {NUMBERS[shown.why.kind].lower()}.")
    return shown


def choose_number(
    traces: Mapping[str, Trace], selection: Selection, *, more: Callable[[], object] = lambda: None
) -> Question:
    """Draw the widgets and return the chosen question.

    Args:
        more: draws further widgets behind them.
    Raises:
        SelectionError: the texts share no word, or have none.
        InputError: a text that is read alone here cannot be encoded.
    """
    with st.container(key="why_choices"):
        _choose_kind(next(iter(traces.values())), selection)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            what = st.container(horizontal=True, vertical_alignment="bottom", width="content")
            more()
            with what:
                return _choose_what(traces, selection)


def _choose_kind(trace: Trace, selection: Selection) -> None:
    titles = {kind: NUMBERS[kind] for kind in kinds_of(trace)}
    choice("Number", titles, field="why", labelled=False, to_widget=lambda _: kind_of(trace, selection))


def _choose_what(traces: Mapping[str, Trace], selection: Selection) -> Question:
    kind = kind_of(next(iter(traces.values())), selection)
    if (kind in COMPARING or len(traces) > 1) and selection.texts.b.strip():
        choice("Words of", SIDES, field="why_side")
    model_name = next(iter(traces.values())).model_name
    found = asked(traces, selection, lambda text: run_cache.trace(model_name, text, None))
    session.note_shown(why=kind)
    if found.words:
        session.note_shown(why_word=found.question.word)
        _choose_word(found)
    if found.words and kind not in ("tag", "masked word"):
        session.note_shown(why_layer=found.question.layer)
        _choose_layer(found.trace, selection.why.layer)
    if found.labels:
        session.note_shown(why_label=found.question.label, why_rival=found.question.rival)
        _choose_label(LABELS[kind], found)
        if found.compares and len(found.labels) > 2:
            _choose_rival(found)
    return found.question


def _choose_word(found: Asked) -> None:
    words = found.trace.tokens.words
    select_box(
        "Word",
        {word: f"{word_label(words[word])} · {word + 1}" for word in found.words},
        shown=found.question.word,
        key="why_word",
        on_choice=lambda word: session.change(why_word=word),
        width=150,
    )


def _choose_layer(trace: Trace, chosen: int) -> None:
    layers = range(trace.num_layers)
    st.selectbox(
        "After layer",
        layers,
        format_func=lambda layer: f"L{layer}",
        width=100,
        **session.bound(
            "why_layer",
            to_widget=lambda layer: min(layer, layers[-1]),
            from_widget=lambda layer: layer if layer in layers else chosen,  # a text, of a model with more layers
            options=layers,
        ),
    )


def _choose_label(title: str, found: Asked) -> None:
    """Draw the list of labels, of which the likeliest is the first."""
    select_box(
        title,
        {None: "the likeliest", **_titles(found)},
        shown=cast("int | None", found.question.label),  # the page numbers labels
        key="why_label",
        on_choice=lambda label: session.change(why_label=label),
        width=150,
    )


def _choose_rival(found: Asked) -> None:
    """Draw the list of labels that the chosen one can be compared with."""
    rivals = {index: title for index, title in _titles(found).items() if index != found.question.label}
    select_box(
        "Rather than",
        {None: "the likeliest other", **rivals},
        shown=found.question.rival if found.question.rival in rivals else None,
        key="why_rival",
        on_choice=lambda rival: session.change(why_rival=rival),
        width=170,
    )


def _titles(found: Asked) -> dict[int | None, str]:
    return {index: name_label(label) for index, label in found.labels.items()}
