"""Which tokens' states, and which heads, carry the difference of what the model says of A and of B."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

import streamlit as st

from encoder.attribution.questions import OutputKind
from encoder.errors import ArgumentError, SelectionError
from viz.answers.answer import Answer
from viz.answers.compare import carriers as answers
from viz.answers.compare.sides import Sides
from viz.caches import estimate_cache
from viz.caches.run_cache import cached_job, cached_with_model
from viz.panels.answer import show_answer
from viz.panels.jobs import follow
from viz.panels.patched_tokens import show_patched_tokens
from viz.state import session
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown

NUMBERS: Final[Mapping[OutputKind, str]] = MappingProxyType(
    {"class": "Class", "score": "Score", "similarity": "Similarity of A and B"}
)


def show_carriers(sides: Sides, selection: Selection) -> None:
    """Maps of estimates, which exact values replace, for two texts; else nothing, or why there is none."""
    if sides.texts is None:
        return
    show_answer(Answer((answers.TOKENS,)), view="compare")
    number = _choose_number(sides, selection)
    with _reasons_shown():
        _show_tokens(sides, sides.texts, number)
    show_answer(Answer((answers.HEADS,)), view="compare")
    with _reasons_shown():
        _show_heads(sides, sides.texts, number, selection)


def _choose_number(sides: Sides, selection: Selection) -> OutputKind:
    """Draw the choice if there is one; returns the chosen number, or the first if that is not available."""
    number, kinds = answers.number_of(sides, selection)
    if len(kinds) > 1:
        st.segmented_control(
            "Number of the model",
            kinds,
            format_func=NUMBERS.__getitem__,
            required=True,
            label_visibility="collapsed",
            **session.bound("compared_number", initial="default", to_widget=lambda _: number),
        )
    return number


@contextmanager
def _reasons_shown() -> Iterator[None]:
    try:
        yield
    except (ArgumentError, SelectionError) as error:
        st.caption(escape_markdown(str(error)))


def _show_tokens(sides: Sides, texts: tuple[str, str], number: OutputKind) -> None:
    name = sides.b.model_name
    patched = estimate_cache.patched_texts(name, number, *texts)
    values = cached_with_model(estimate_cache.output_values, name, number, *texts)
    show_patched_tokens(
        sides.a,
        sides.b,
        cached_with_model(estimate_cache.output_estimates, name, number, *texts),
        cached_job(estimate_cache.output_effects, name, number, *texts),
        view="compare",
        **answers.describe_patches(patched.name, values),
    )


def _show_heads(sides: Sides, texts: tuple[str, str], number: OutputKind, selection: Selection) -> None:
    name = sides.b.model_name
    names = estimate_cache.output_of_texts(name, number, *texts).names
    estimates = cached_with_model(estimate_cache.silencing_estimates_of_texts, name, number, *texts)
    picture = st.container()
    exact = follow(
        cached_job(estimate_cache.silencing_effects_on_texts, name, number, *texts),
        name,
        tokens=(1 + estimates[0].size) * (len(sides.a.tokens) + len(sides.b.tokens)),
        what="Every head silenced",
        key="compare_silencing",
    )
    with picture:
        show_answer(answers.silenced_heads(number, names, estimates, exact, selection), view="compare")
