"""Errors on the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from encoder.errors import HeadlightError
from viz.computing import events
from viz.wording.labels import escape_markdown

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
UNEXPECTED = "Unexpected error: see the server log. Choose another view or text, or reload the page."


def show_error(error: HeadlightError) -> None:
    """Show the message of an error."""
    events.refused(type(error).__name__)
    st.error(escape_markdown(str(error)), icon=":material/error:")


def show_unexpected(_: Exception) -> bool:
    """Show one sentence in place of Streamlit's for an unexpected error, which it has logged: `on_script_error`."""
    events.report("error", where="page")
    st.error(UNEXPECTED, icon=":material/error:")
    return True


def show_errors(draw: Callable[Arguments, Result]) -> Callable[Arguments, Result | None]:
    """Decorate a part of the page to show its errors: as a fragment, it runs outside the page's script.

    The part returns None after an error.
    """

    @wraps(draw)
    def draw_or_show_error(*args: Arguments.args, **options: Arguments.kwargs) -> Result | None:
        try:
            return draw(*args, **options)
        except HeadlightError as error:
            show_error(error)
            return None

    return draw_or_show_error
