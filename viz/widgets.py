"""Widgets that several parts of the page draw alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import streamlit as st

from viz.state import session

Value = TypeVar("Value", bound=str)
Option = TypeVar("Option", bound=Hashable)


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


def select_box(
    label: str,
    titles: Mapping[Option, str],
    *,
    shown: Option,
    key: str,
    on_choice: Callable[[Option], object],
    help: str | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """A list from which one value is chosen, whose titles may change while the value stays.

    To Streamlit the titles are the values: it tells a browser of another value alone, and a browser that has not heard
    of new titles sends an old one, which chooses nothing.

    Args:
        titles: of all values, in their order; those that are the same are told apart by numbers.
        shown: the value that is chosen now.
        on_choice: called with the value that somebody chooses.
    """
    told_apart = dict(zip(titles, _told_apart(list(titles.values())), strict=True))
    values = {title: value for value, title in told_apart.items()}

    def choose() -> None:
        title: Any = st.session_state[key]
        if title in values and session.is_user_change(key):
            on_choice(values[title])

    first = session.show_value(key, told_apart[shown], {"index": list(titles).index(shown)})
    st.selectbox(label, list(values), key=key, on_change=choose, help=help, width=width, **first)


def _told_apart(titles: Sequence[str]) -> list[str]:
    """Titles with their numbers behind those that occur several times."""
    counts = Counter(titles)
    return [title if counts[title] == 1 else f"{title} · {number}" for number, title in enumerate(titles, 1)]
