"""What the cut links of runs change: at once, and next to random links when these are worked out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder import Trace
from encoder.attribution.cuts import effects_of_runs
from viz.answers.cuts import ONE_TEXT, about, effects, link_in_words
from viz.caches import run_cache
from viz.caches.steps import known_result
from viz.html.terms import opening_button
from viz.recipes.cuts import control_of, cuts
from viz.state.selection import Selection
from viz.widgets import change_button
from viz.widgets.answer import show_answer
from viz.widgets.recipe import show_or_explain
from viz.wording.labels import escape_markdown
from viz.wording.numbers import percent


def show_effects(changed: Mapping[str, Trace], selection: Selection) -> Callable[[], None] | None:
    """The outputs that change, and a button for each link.

    Args:
        changed: the runs with cut links, by place.
    Returns:
        Shows the outputs next to random links, which take longer; None where that is done.
    """
    places, how = {place: st.empty() for place in changed}, None
    if not selection.stage:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _offer_to_restore(changed, selection)
            how = st.empty()
    show_with_control = partial(_show_with_control, changed, places, how)
    if all(known_result(control_of(trace), trace.model_name) for trace in changed.values()):
        return show_with_control()
    for place, trace in changed.items():
        with places[place].container():
            show_answer(effects(effects_of_runs(_unchanged(trace), trace)), view="cuts", place=place)
    return show_with_control


def _offer_to_restore(changed: Mapping[str, Trace], selection: Selection) -> None:
    for place, trace in changed.items():
        for cut, link in zip(selection.cuts_of(place), trace.links, strict=True):
            left = f", {percent(cut.percent / 100)} left" if cut.percent else ""
            change_button(
                escape_markdown(link_in_words(link, trace.tokens)) + left,
                {"cut": tuple(each for each in selection.cuts if each != cut)},
                key=f"restore_{cut}",
                icon=":material/close:",
                help="Restore this link",
            )


def _show_with_control(
    changed: Mapping[str, Trace], places: Mapping[str, DeltaGenerator], how: DeltaGenerator | None
) -> None:
    said: list[str] = []
    for place, trace in changed.items():
        with places[place].container():
            found = show_or_explain(cuts(_unchanged(trace), trace), trace.model_name, view="cuts", place=place)
        said += [about(found)] if found else []
    if how:
        read = opening_button("How to read", " ".join(dict.fromkeys(said))) if said else ""
        how.caption(f"{ONE_TEXT} {read}", unsafe_allow_html=True)


def _unchanged(trace: Trace) -> Trace:
    """The run of the same text without its cut links."""
    return run_cache.trace(trace.model_name, *trace.tokens.sentences)
