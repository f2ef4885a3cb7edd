"""Named folds below the answer of a long view, and a list of them that stays in sight while one is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st

from viz.state import session
from viz.widgets.tables import folded

STYLE: Final = Path(__file__).with_name("folds.css")
POINTED_AT: Final = "folds_pointed_at"  # in the session: the names of each view's, in its last run


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A part of a view that is computed only while it is open.

    Attributes:
        name: identifies it within the view; letters and "_".
        title: plain Markdown.
        show: renders the contents.
        pointed_at: whether the link or the stop of a tour is about it; it opens when this becomes true.
    """

    name: str
    title: str
    show: Callable[[], object]
    pointed_at: bool = False


def show_folds(folds: Sequence[Fold], *, view: str) -> None:
    """Render the folds and, while one is open, links to all of them.

    Args:
        view: begins the keys.
    """
    if not folds:
        return
    pointed_at: dict[str, frozenset[str]] = st.session_state.setdefault(POINTED_AT, {})
    before = pointed_at.get(view, frozenset())
    pointed_at[view] = frozenset(fold.name for fold in folds if fold.pointed_at)
    for name in pointed_at[view]:
        key = f"{_key(view, name)}_folded"
        if name not in before or key not in st.session_state:  # Streamlit forgets a widget that a run did not draw
            st.session_state[key] = True
    st.html(STYLE)
    with st.container(key=f"{view}_folds", gap="xsmall"):
        is_open = False
        for fold in folds:
            part = folded(fold.title, key=_key(view, fold.name))
            if part.open:
                is_open = True
                with part:
                    fold.show()
        if is_open and not session.current().stage:
            with st.container(key=f"{view}_contents"):
                # A click on one of these links opens the fold of that key and scrolls to it: viz/components/wires/host.
                st.markdown(" · ".join(f"[{fold.title}](#{_key(view, fold.name)}_folded)" for fold in folds))


def _key(view: str, name: str) -> str:
    return f"{view}_{name}"
