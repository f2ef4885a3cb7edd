"""Widgets that several parts of the page draw alike."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st


def choice(label: str, titles: Mapping[str, str], *, key: str, help: str, disabled: bool = False) -> None:
    """Buttons side by side, of which always one is chosen; the session holds its value under `key`.

    Args:
        titles: what stands on the button of each value.
    """
    st.segmented_control(
        label, list(titles), format_func=titles.__getitem__, key=key, required=True, disabled=disabled, help=help
    )
