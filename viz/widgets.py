"""Widgets that several parts of the page draw alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

Value = TypeVar("Value", bound=str)


def choice(
    label: str,
    titles: Mapping[Value, str],
    *,
    key: str,
    help: str | None = None,
    disabled: bool = False,
    labelled: bool = True,
    on_change: Callable[[], None] | None = None,
) -> None:
    """Buttons side by side, of which always one is chosen; the session holds its value under `key`.

    Args:
        titles: what stands on the button of each value.
        labelled: whether the label is seen; it is always spoken.
    """
    st.segmented_control(
        label,
        list(titles),
        format_func=titles.__getitem__,
        key=key,
        required=True,
        disabled=disabled,
        help=help,
        label_visibility="visible" if labelled else "collapsed",
        on_change=on_change,
    )
