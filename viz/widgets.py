"""Widgets that several parts of the page draw alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import streamlit as st

from viz.state import session

Value = TypeVar("Value", bound=str)


def choice(
    label: str,
    titles: Mapping[Value, str],
    *,
    field: str,
    help: str | None = None,
    disabled: bool = False,
    labelled: bool = True,
    pills: bool = False,
) -> None:
    """Buttons side by side, of which always one is chosen: the value of a field of the selection.

    Args:
        titles: what stands on the button of each value.
        labelled: whether the label is seen; it is always spoken.
        pills: whether the buttons stand apart, and go on in the next line where there is no room for all of them.
    """
    draw = st.pills if pills else st.segmented_control
    draw(
        label,
        list(titles),
        format_func=titles.__getitem__,
        required=True,
        disabled=disabled,
        help=help,
        label_visibility="visible" if labelled else "collapsed",
        wrap=pills or None,
        **session.bound(field, initial="default"),
    )
