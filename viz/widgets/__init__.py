"""Widgets that several parts of the page share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import streamlit as st

from viz.state import session

if TYPE_CHECKING:
    from viz.streamlit_internals import UploadedFile

MIME_TYPES: Final = {
    "csv": "text/csv",
    "html": "text/html",
    "md": "text/markdown",
    "safetensors": "application/octet-stream",
}

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
    **bound: Any,
) -> None:
    """Buttons in a row, one of which is always selected: the value of a field of the selection.

    Args:
        titles: the label of the button of each value.
        labelled: whether the label is visible; screen readers always read it.
        bound: further arguments of `session.bound`.
    """
    st.segmented_control(
        label,
        list(titles),
        format_func=titles.__getitem__,
        required=True,
        disabled=disabled,
        help=help,
        label_visibility="visible" if labelled else "collapsed",
        **session.bound(field, initial="default", **bound),
    )


def select_box(
    label: str,
    titles: Mapping[Option, str],
    *,
    shown: Option,
    key: str,
    on_choice: Callable[[Option], object],
    width: int | Literal["stretch"] = "stretch",
    labelled: bool = True,
) -> None:
    """A select box whose titles may change while the value stays.

    Streamlit identifies options by their titles. A browser that has not received new titles may send an old one, which
    is ignored.

    Args:
        titles: of all values, in their order; equal titles get numbers.
        shown: the current value.
        on_choice: called with the value that the user chooses.
        labelled: whether the label is visible; screen readers always read it.
    """
    numbered = dict(zip(titles, _numbered(list(titles.values())), strict=True))
    values = {title: value for value, title in numbered.items()}

    def choose() -> None:
        title: Any = st.session_state[key]
        if title in values and session.is_user_change(key):
            on_choice(values[title])

    first = session.show_value(key, numbered[shown], {"index": list(titles).index(shown)})
    st.selectbox(
        label,
        list(values),
        key=key,
        on_change=choose,
        width=width,
        label_visibility="visible" if labelled else "collapsed",
        **first,
    )


def _numbered(titles: Sequence[str]) -> list[str]:
    """Titles, with a number after those that occur several times."""
    counts = Counter(titles)
    return [title if counts[title] == 1 else f"{title} · {number}" for number, title in enumerate(titles, 1)]


def suggestions(label: str, words: Sequence[str], *, shown: str, key: str, field: str) -> None:
    """A select box whose choice is written into a text field of the selection.

    Args:
        shown: the field's value, which the box shows if it is one of the words.
        field: of the selection.
    """

    def choose() -> None:
        if chosen := st.session_state[key]:
            session.change(**{field: chosen})

    session.set_value(key, shown if shown in words else None)
    st.selectbox(label, words, key=key, on_change=choose, placeholder="Choose one")


def change_button(label: str, changes: Mapping[str, Any], *, key: str, **options: Any) -> None:
    """A button that changes fields of the selection; `options` are those of Streamlit's buttons."""
    st.button(label, key=key, on_click=session.change, kwargs=dict(changes), **options)


def save_button(label: str, data: bytes | Callable[[], bytes], name: str, *, key: str, help: str | None = None) -> None:
    """A button that saves a file.

    Args:
        data: its bytes, or a function that makes them on the click.
        name: of the file, whose ending is in `MIME_TYPES`.
    """
    st.download_button(
        label,
        data,
        file_name=name,
        mime=MIME_TYPES[name.rpartition(".")[2]],
        icon=":material/download:",
        on_click="ignore",
        key=key,
        help=help,
    )


def uploaded(key: str) -> UploadedFile | None:
    """The file in an uploader, if there is one and this server holds it.

    A page that goes on at another copy, or after a restart, names a file that only the former server had.
    """
    file = st.session_state[key]
    return file if hasattr(file, "getvalue") else None
