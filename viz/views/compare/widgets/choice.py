"""The choice of what is compared."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from itertools import groupby
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder import Trace
from encoder.comparison.alignment import Matching
from encoder.errors import SelectionError
from encoder.measures.unit_attention import MEAN
from encoder.shipped.names import SCRATCH, steps
from viz import permitted
from viz.caches import revisions, run_cache
from viz.caches.steps import result_of
from viz.examples import MINIMAL_PAIRS
from viz.recipes.patching import run_without_heads
from viz.recipes.step import Step
from viz.state import session
from viz.state.selection import Compared, Selection
from viz.views.compare.answer.sides import Heads, Sides, nearest_step, same_size, sides_of, step_of
from viz.widgets import change_button, choice
from viz.widgets.consent import ANY_ENCODER, offered_encoders, open_another
from viz.widgets.heads import choose_silenced_heads
from viz.wording.labels import heads_in_words
from viz.wording.models import title_of_model

KINDS: Final[Mapping[Compared, str]] = {
    "texts": "A and B",
    "heads": "Heads silenced",
    "models": "Two models",
    "steps": "Two training steps",
}
MATCHINGS: Final[Mapping[Matching, str]] = {"number": "Heads by number", "likeness": "Heads by likeness"}


def choose_sides(traces: Mapping[str, Trace], selection: Selection) -> DeltaGenerator | None:
    """Draw the choice. Returns the place of `offer_minimal_pairs` or of `choose_matching`, None for others.

    Raises:
        SelectionError: the model has no training steps.
    """
    with st.container(horizontal=True):
        choice("Compare", KINDS, field="compare", labelled=False)
        beside = st.container(width="content")
    kind, run = selection.compare.kind, next(iter(traces.values()))
    if kind != "texts" and len(traces) > 1:
        st.caption(
            "The sentences are encoded separately: this compares runs of sentence A. Encode them as a pair to compare "
            "runs of both."
        )
    match kind:
        case "texts":
            return beside.popover("Minimal pairs", icon=":material/compare_arrows:")
        case "heads":
            _choose_heads(run, selection)
        case "models":
            _choose_model(selection.compare.model)
            return beside
        case "steps":
            _choose_step(run.model_name, selection.compare.step)
    return None


def open_other_model(selection: Selection) -> bool:
    """Open the other model if two are compared. Returns False, and shows what is missing, if that needs consent."""
    compared = selection.compare
    return compared.kind != "models" or open_another(compared.model, prefix="compare_")


def choose_matching(place: DeltaGenerator, sides: Sides) -> None:
    """Draw the choice of the heads that are compared in the place from `choose_sides`, if all have a counterpart."""
    if same_size(sides.a, sides.b):
        with place:
            choice("Heads of the two models", MATCHINGS, field="matched", labelled=False)


def run_sides(traces: Mapping[str, Trace], selection: Selection) -> Sides:
    """Run what the page has not run. Raises what `sides_of` does."""
    own = revisions.unrevised(next(iter(traces.values())).model_name)  # which the page goes on with until another loads
    with st.spinner("Running the other model …") if selection.compare.kind == "models" else nullcontext():
        return sides_of(traces, replace(selection, model=own), _run)


def _run(model_name: str, a: str, b: str | None, silenced: Heads) -> Trace:
    if not silenced:
        return run_cache.trace(model_name, a, b)
    return result_of(Step(run_without_heads, (a, b, silenced)), model_name)


def offer_minimal_pairs(place: DeltaGenerator) -> None:
    """Fill the place from `choose_sides`, which is closed at first: what is visible should be sent before."""
    with place:
        st.caption("Two sentences that differ in one thing. Both fields are filled with them.")
        for phenomenon, pairs in groupby(MINIMAL_PAIRS, key=lambda pair: pair.phenomenon):
            st.markdown(f"**{phenomenon.capitalize()}**")
            for pair in pairs:
                change_button(
                    f"{pair.a} / {pair.b}",
                    {"a": pair.a, "b": pair.b},
                    key=f"compare_pair_{MINIMAL_PAIRS.index(pair)}",
                    type="tertiary",
                )


def _choose_heads(run: Trace, selection: Selection) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose_silenced_heads(run, key="compare_silenced")
        chosen = (selection.layer, selection.head)
        change_button(
            f"Silence {heads_in_words([chosen])} alone" if selection.head != MEAN else "Silence the selected head",
            {"silenced": (chosen,)},
            key="compare_silence",
            disabled=selection.head == MEAN,
        )


def _choose_model(chosen: str) -> None:
    names = offered_encoders(chosen)
    st.selectbox(
        "The other model",
        names,
        format_func=title_of_model,
        accept_new_options=not permitted.is_limited(),
        help=None if permitted.is_limited() else ANY_ENCODER,
        **session.bound("with_model", options=names),
    )


def _choose_step(model_name: str, step: int) -> None:
    """Raises SelectionError where the model is not the one with steps."""
    try:
        step_of(model_name)
    except SelectionError:
        change_button("Open the from-scratch model", {"model": SCRATCH}, key="compare_scratch")
        raise
    session.note_shown(with_step=nearest_step(step))
    st.select_slider(
        "The other step",
        steps(),
        help="The page's own step is chosen below its model.",
        **session.bound("with_step", to_widget=lambda _: nearest_step(step), initial="value"),
    )
