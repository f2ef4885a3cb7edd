"""What every panel needs: the theme, the units of the picture, and the sentences under it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from encoder import Trace
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import Units
from encoder.runs.trace import FloatArray
from viz import cache
from viz.components.head_map import head_map
from viz.components.store import store
from viz.explanations import Explanation
from viz.state import session
from viz.state.messages import scope_of
from viz.state.selection import Selection
from viz.theme import THEMES, Theme

SIDE_BY_SIDE_TOKENS = 16


def theme() -> Theme:
    """The theme in which the page is shown now."""
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def shown_units(trace: Trace, selection: Selection) -> Units | None:
    """Words or wordpieces of a trace; where every token is hidden, says so and returns None."""
    units = cache.units(trace, level=selection.level, special=selection.special)
    if len(units):
        return units
    st.info("This text has special tokens only, and they are hidden. Show them, or type a word.")
    return None


def fit_side_by_side(traces: Sequence[Trace]) -> bool:
    """Whether pictures of these traces are readable next to each other, each in half the page's width."""
    return all(len(trace.tokens) <= SIDE_BY_SIDE_TOKENS for trace in traces)


def view_data(selection: Selection, *, place: str) -> dict[str, Any]:
    """The data that every view of ours gets; what is selected it takes from the selection in the browser.

    Args:
        place: "pair", "A", "B" or "decoder"; a token that is pinned elsewhere is not pinned there.
    """
    colours = theme()
    return {
        "scope": scope_of(selection),
        "texts": texts_in(place),
        "special": selection.special,
        "theme": {
            "heads": list(colours.head_colours),
            "sequential": [list(stop) for stop in colours.sequential],
            "diverging": [list(stop) for stop in colours.diverging],
            "muted": colours.muted,
        },
    }


def texts_in(place: str) -> list[str]:
    """The texts whose pinned tokens are seen at a place of the page: "pair", "A", "B" or "decoder"."""
    return ["A", "B"] if place == "pair" else [place]


def map_of_heads(trace: Trace, selection: Selection, *, place: str, large: bool, **options: Any) -> FloatArray:
    """Every head of a trace as a small picture; a click chooses one. Returns (L, H, U) removed mass.

    Args:
        options: of `viz.components.head_map.head_map`.
    """
    key = f"{'model_view' if large else 'map'}_{place}"
    message, removed = cache.model_message(trace, level=selection.level, special=selection.special)
    store(message, key=f"store_{key}")
    head_map(view_data(selection, place=place), message=message, large=large, key=key, **options)
    return removed


def texts_of(trace: Trace) -> tuple[str, str | None]:
    """The text or texts of a trace, for another model's run over them."""
    first, *rest = trace.tokens.sentences
    return first, rest[0] if rest else None


def head_name(selection: Selection) -> str:
    """The selected head as it is written everywhere: "L3 H7", or "L3, mean over heads"."""
    return f"L{selection.layer}, mean over heads" if selection.head == MEAN else f"L{selection.layer} H{selection.head}"


def show_explanation(explanation: Explanation) -> None:
    """How to read the picture, and what it does not show; before an audience, somebody says so."""
    if session.current().stage:
        return
    st.caption(
        f"**How to read it.** {explanation.how_to_read} **What it does not show.** {explanation.what_it_does_not_show}"
    )


def show_removed_attention(removed: FloatArray, selection: Selection) -> None:
    """How much attention went to tokens that the picture leaves out.

    Args:
        removed: (U,) removed mass of every shown query, or (..., U) of several heads.
    """
    if selection.special == "show":
        return
    rest = "scaled to sum to 1 again" if selection.special == "renormalise" else "left as they are and sum to the rest"
    heads = ", all heads counted" if removed.ndim > 1 else ""
    st.caption(
        f"**Special tokens are hidden.** They receive {np.mean(removed):.0%} of the attention of the tokens shown "
        f"(between {np.min(removed):.0%} and {np.max(removed):.0%}{heads}). The rows are {rest}."
    )
