"""Presentation mode: its key commands, and its line of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.components import stage as component
from viz.page import tour_on_stage
from viz.page.settings import Size, title
from viz.state import session
from viz.state.messages import scope_of
from viz.state.selection import DEFAULT, Selection
from viz.views.registered import PANELS
from viz.wording.quantities import SHOWS, SYMBOLS, TITLES

NAMES: Mapping[str, str] = {DEFAULT.model: "all-MiniLM-L6-v2"}  # short names of models with long titles


def show_stage(model_name: str, size: Size) -> DeltaGenerator | None:
    """Mount the component that handles the keys, and show the words of a tour.

    Returns the place of a tour's claims in presentation mode, None without a tour.
    """
    selection = session.current()
    component.stage(
        {
            "on": selection.stage,
            "scope": scope_of(selection),
            "layers": size.num_layers,
            "heads": size.num_heads,
            "seen": _seen(model_name, selection),
            "tour": tour_on_stage.tour_payload(selection) if selection.stage else None,
        },
        on_asked=_apply_request,
    )
    with st.container(key="tour_on_stage"):
        return tour_on_stage.draw_words(selection) if selection.stage else None


def _seen(model_name: str, selection: Selection) -> dict[str, Any]:
    panel = PANELS[selection.view]
    drawn = selection.drawn
    unit = f", {SYMBOLS[drawn.method]}" if drawn.facts.scale == "norm" else ""
    quantity = {
        "name": f"{TITLES[drawn.method]}{unit}",
        "heads": drawn.facts.has_heads,
        "from_input": drawn.is_from_input,
    }
    return {
        "model": NAMES.get(model_name) or title(model_name),
        "shows": panel.shows if selection.draws_weights else SHOWS[selection.view],
        "quantity": None if selection.draws_weights else quantity,
        "follows": panel.shows_one_head,
        "shows_heads": selection.view == "head view",
    }


def _apply_request() -> None:
    asked = (st.session_state.get(component.KEY) or {}).get("asked")
    match asked:
        case {"stage": bool(on)}:
            session.change(stage=on)
        case {
            "stop": int(number),
            "answered": bool(answered),
            "scope": "encoder" | "decoder" as scope,
            "after": int(after),
        }:
            tour_on_stage.go(number, answered=answered, scope=scope, after=after)
