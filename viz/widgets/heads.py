"""Heads on the page: the name of the selected one, a button that selects one, and the list of silenced ones."""

from __future__ import annotations

from typing import Literal

import numpy as np
import streamlit as st

from encoder import Trace
from viz.state import session
from viz.state.selection import Selection
from viz.widgets import change_button
from viz.wording.labels import head_name
from viz.wording.quantities import picture_name


def selected_head_name(selection: Selection) -> str:
    """The label of the selected head: "L3 H7", "L3, mean over heads" or "GlobEnc, input to L3"."""
    if not selection.draws_weights:
        return picture_name(selection.drawn, selection.layer, selection.head)
    return head_name(selection.layer, selection.head)


def head_button(layer: int, head: int, *, key: str, width: int | Literal["content"] = "content") -> None:
    """A button with the name of a head, which selects it for the whole page.

    Args:
        key: Streamlit's.
        width: in pixels, to align what follows in a column.
    """
    change_button(
        head_name(layer, head),
        {"layer": layer, "head": head},
        key=key,
        help="Choose this head",
        type="tertiary",
        width=width,
    )


def choose_silenced_heads(
    trace: Trace,
    *,
    key: str,
    label: str = "Heads that are silenced together",
    placeholder: str = "Choose heads: their output is replaced by zero",
) -> None:
    """A list of the heads that are silenced together.

    A browser that has not received the new model yet may name heads that it lacks; Streamlit passes these as strings.
    """
    st.multiselect(
        label,
        list(np.ndindex(trace.num_layers, trace.num_heads)),
        format_func=lambda head: f"L{head[0]} H{head[1]}",
        placeholder=placeholder,
        **session.bound(
            "silenced",
            key=key,
            to_widget=list,
            from_widget=lambda heads: tuple(head for head in heads if not isinstance(head, str)),
            initial="default",
        ),
    )
