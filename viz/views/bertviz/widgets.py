"""BertViz's own head view and model view, offline and in step with the page, for short texts."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from encoder import Trace
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import Units
from viz.caches import message_cache
from viz.caches.memo import cached
from viz.components.bertviz import (
    ALL_LAYERS_MAX_TOKENS,
    HEAD_VIEW_MAX_TOKENS,
    head_view_height,
    model_view_height,
)
from viz.state.selection import BertViz, Selection
from viz.widgets import choice
from viz.widgets.canvas import theme
from viz.widgets.captions import show_removed_attention
from viz.widgets.units import shown_units
from viz.wording.explanations import HEAD_VIEW, OF_PATTERNS, Explanation


def choose_view() -> None:
    """The choice between BertViz's two views."""
    choice("BertViz shows its", {view: view for view in get_args(BertViz)}, field="bertviz")


def bertviz(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """One of BertViz's two views."""
    return (_head_view if selection.bertviz == "head view" else _model_view)(trace, selection)


def _head_view(trace: Trace, selection: Selection) -> Explanation | None:
    """Tokens twice, with a line for every weight of the selected layer; the selected head first."""
    units = _drawable_units(trace, selection)
    if units is None:
        return None
    _draw("head view", trace, selection, (selection.layer,), head_view_height(len(units)))
    if selection.head == MEAN:
        st.caption("BertViz has no mean over heads, so it shows all heads of the layer.")
    return Explanation(
        "A line runs from a token (query, left) to a token that it looks at (key, right); the stronger, the more "
        "attention. Hover over a token to see its lines alone. Click a coloured box to add or remove a head; "
        "double-click it to see that head alone.",
        HEAD_VIEW.what_it_does_not_show,
    )


def _model_view(trace: Trace, selection: Selection) -> Explanation | None:
    """Every layer and head as a small picture; beyond a few tokens, the heads of the selected layer."""
    units = _drawable_units(trace, selection)
    if units is None:
        return None
    every_layer = len(units) <= ALL_LAYERS_MAX_TOKENS
    layers = tuple(range(trace.num_layers)) if every_layer else (selection.layer,)
    if not every_layer:
        st.caption(
            f"BertViz shows all layers of up to {ALL_LAYERS_MAX_TOKENS} tokens. This text has {len(units)}, so it "
            f"shows layer {selection.layer} only."
        )
    _draw("model view", trace, selection, layers, model_view_height(len(units), len(layers), trace.num_heads))
    framed = "" if selection.head == MEAN else "; the selected head has a frame"
    return Explanation(
        f"Each row is a layer, each column a head{framed}. Click a picture to enlarge it.",
        OF_PATTERNS,
    )


def _drawable_units(trace: Trace, selection: Selection) -> Units | None:
    units = shown_units(trace, selection)
    if units is not None and len(units) > HEAD_VIEW_MAX_TOKENS:
        st.info(
            f"BertViz shows up to {HEAD_VIEW_MAX_TOKENS} tokens, and this text has {len(units)}. Our own head view and "
            "model view show all of them."
        )
        return None
    return units


def _draw(view: BertViz, trace: Trace, selection: Selection, layers: tuple[int, ...], height: int) -> None:
    html, removed = cached(  # N layers: (N, H, U)
        message_cache.bertviz_document,
        trace,
        view=view,
        layers=layers,
        layer=selection.layer,
        head=selection.head,
        level=selection.level,
        special=selection.special,
        theme=theme().name,
    )
    st.iframe(html, height=height, alt=f"BertViz's {view}")
    show_removed_attention(removed, selection)
