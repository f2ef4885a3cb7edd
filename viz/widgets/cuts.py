"""The cut links of a run on the page, where a view shows that run; elsewhere, that it does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from encoder import Trace
from viz.state.selection import CUT_VIEWS, Selection
from viz.widgets import change_button

ELSEWHERE: Final = "This view shows the run without the cut."


def show_cuts(traces: Mapping[str, Trace], selection: Selection) -> Callable[[], None] | None:
    """What the cut links of each run change, each with a button that restores it; nothing without one.

    Returns:
        Adds what takes longer; None where everything is there.
    """
    if not selection.cuts:
        return None
    with st.container(key="cuts", gap="xsmall"):
        if selection.view in CUT_VIEWS:
            from viz.widgets.cut_effects import show_effects  # imports torch

            changed = {place: trace for place, trace in traces.items() if selection.cuts_of(place)}
            return show_effects(changed, selection)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(ELSEWHERE, width="content")
            if not selection.stage:
                change_button("Take the cut away", {"cut": ()}, key="restore_all")
    return None
