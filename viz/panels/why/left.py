"""A slider through the removals: the sentence that is left, what the model says of it, and the way to its attention."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from encoder.attribution.questions import Question, QuestionKind
from encoder.attribution.target import Target
from encoder.runs.trace import Prediction
from viz.caches import explaining_cache
from viz.caches.run_cache import cached_with_model
from viz.panels.why.words import shown_in_words
from viz.state import session
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown, make_visible, shorten
from viz.wording.numbers import written

MOST_CLASSES = 3  # that are named
SLIDER = "why_removed"


def show_what_is_left(
    model_name: str, question: Question, number: Target, order: Sequence[int], selection: Selection
) -> None:
    """The sentence without the first words of an order, and its prediction."""
    removed = min(selection.why.removed, len(order))
    session.put(SLIDER, removed)  # told each time: a browser that is slow misses what it was told once
    st.slider("Words taken away, those that add most first", 0, len(order), key=SLIDER, on_change=_change_removed)
    gone = tuple(order[:removed])
    left = cached_with_model(explaining_cache.left, model_name, question, gone, selection.level, selection.why.removal)
    a, b = left.text
    st.markdown("**What is left:**")
    with st.container(key="why_left"):  # not as Markdown, which makes links of addresses even where they are escaped
        st.text(" · ".join(make_visible(text) or "∅" for text in (a, b) if text is not None))
    classes = _classes(left.prediction, question.kind) if question.kind in ("class", "score") else ""
    said = escape_markdown(shown_in_words(number))
    st.markdown(f"**What the model says of it:** {said}: {written(left.value, '.3f')}.{classes}")
    if not a:
        return
    st.button(
        "Open in the heat map: the attention that is left",
        key="why_open",
        on_click=session.change,
        kwargs={"a": a, "b": b or "", "view": "heat map"},
        help="The browser's Back returns to this view.",
    )
    if not left.same:
        st.caption("Typed anew, some of these pieces are read as other ones: the heat map then shows a run of its own.")


def _change_removed() -> None:
    if session.tells_a_choice(SLIDER):
        session.change(removed=st.session_state[SLIDER])


def _classes(prediction: Prediction | None, kind: QuestionKind) -> str:
    """The likeliest classes of a prediction, and the score where another number is asked about."""
    if prediction is None or prediction.probabilities is None:
        return ""
    likeliest = sorted(zip(prediction.probabilities.tolist(), prediction.labels, strict=True), reverse=True)
    named = ", ".join(f"{escape_markdown(shorten(label, 40))} {value:.2f}" for value, label in likeliest[:MOST_CLASSES])
    score = "" if prediction.score is None or kind == "score" else f"; score {written(prediction.score, '.2f')}"
    return f" Among all classes: {named}{score}."
