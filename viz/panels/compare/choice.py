"""The choice of what is compared."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from itertools import groupby
from types import MappingProxyType
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder import Backend, Trace
from encoder.errors import SelectionError
from encoder.measures.unit_attention import MEAN
from encoder.offers import CATALOGUE, needs_consent
from encoder.shipped.names import SCRATCH, steps
from viz.answers.compare.sides import Heads, Sides, nearest_step, sides_of, step_of
from viz.caches import run_cache
from viz.examples import MINIMAL_PAIRS
from viz.panels.heads import choose_silenced_heads
from viz.state import session
from viz.state.selection import Compared, Selection
from viz.widgets import choice
from viz.wording.labels import heads_in_words

KINDS: Final[Mapping[Compared, str]] = MappingProxyType(
    {"texts": "A and B", "heads": "Heads silenced", "models": "Two models", "steps": "Two training steps"}
)


def choose_sides(traces: Mapping[str, Trace], selection: Selection) -> DeltaGenerator | None:
    """Draw the choice. Returns the place of `offer_minimal_pairs`, None where two texts are not compared.

    Raises:
        SelectionError: the other model would be downloaded, or the model has no training steps.
    """
    with st.container(horizontal=True):
        choice("Compare", KINDS, field="compare", labelled=False)
        minimal_pairs = st.container(width="content")
    kind, run = selection.compare.kind, next(iter(traces.values()))
    if kind != "texts" and len(traces) > 1:
        st.caption(
            "The sentences are encoded separately: this compares runs of sentence A. Encode them as a pair to compare "
            "runs of both."
        )
    match kind:
        case "texts":
            return minimal_pairs.popover("Minimal pairs", icon=":material/compare_arrows:")
        case "heads":
            _choose_heads(run, selection)
        case "models":
            _choose_model(selection.compare.model)
        case "steps":
            _choose_step(run.model_name, selection.compare.step)
    return None


def run_sides(traces: Mapping[str, Trace], selection: Selection) -> Sides:
    """Run what the page has not run. Raises what `sides_of` does."""
    with st.spinner("Running the other model …") if selection.compare.kind == "models" else nullcontext():
        return sides_of(traces, selection, _run)


def _run(model_name: str, a: str, b: str | None, silenced: Heads) -> Trace:
    if not silenced:
        return run_cache.trace(model_name, a, b)
    return run_cache.cached_with_model(Backend.trace, model_name, a, b, silenced_heads=silenced)


def offer_minimal_pairs(place: DeltaGenerator) -> None:
    """Fill the place from `choose_sides`, which is closed at first: what is visible should be sent before."""
    with place:
        st.caption("Two sentences that differ in one thing. Both fields are filled with them.")
        for phenomenon, pairs in groupby(MINIMAL_PAIRS, key=lambda pair: pair.phenomenon):
            st.markdown(f"**{phenomenon.capitalize()}**")
            for pair in pairs:
                st.button(
                    f"{pair.a} / {pair.b}",
                    key=f"compare_pair_{MINIMAL_PAIRS.index(pair)}",
                    type="tertiary",
                    on_click=session.change,
                    kwargs={"a": pair.a, "b": pair.b},
                )


def _choose_heads(run: Trace, selection: Selection) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose_silenced_heads(
            run,
            label="Heads that are silenced together",
            placeholder="Choose heads: their output is replaced by zero",
            key="compare_silenced",
        )
        chosen = (selection.layer, selection.head)
        st.button(
            f"Silence {heads_in_words([chosen])} alone" if selection.head != MEAN else "Silence the selected head",
            key="compare_silence",
            disabled=selection.head == MEAN,
            on_click=session.change,
            kwargs={"silenced": (chosen,)},
        )


def _choose_model(chosen: str) -> None:
    """Raises SelectionError where the model would be downloaded."""
    offered = [name for name in CATALOGUE if not needs_consent(name)]
    names = list(dict.fromkeys([*offered, chosen]))
    st.selectbox(
        "The other model",
        names,
        format_func=lambda name: CATALOGUE[name].title,
        **session.bound("with_model", options=names),
    )
    if chosen not in offered:
        title = CATALOGUE[chosen].title
        raise SelectionError(f"{title} has to be downloaded first: choose it once as the page's model.")


def _choose_step(model_name: str, step: int) -> None:
    """Raises SelectionError where the model is not the one with steps."""
    try:
        step_of(model_name)
    except SelectionError:
        st.button(
            "Open the from-scratch model",
            key="compare_scratch",
            on_click=session.change,
            kwargs={"model": SCRATCH},
        )
        raise
    st.select_slider(
        "The other step",
        steps(),
        help="The page's own step is chosen below its model.",
        **session.bound("with_step", to_widget=lambda _: nearest_step(step), initial="value"),
    )
