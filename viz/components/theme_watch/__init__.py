"""Runs the script again when the theme is switched in Streamlit's menu; Streamlit itself does not.

Streamlit recolours its own elements then; the figures and BertViz's frames take their colours from Python.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from viz.components.registered import component
from viz.theme import ThemeName

_WATCH: Final = component(Path(__file__).parent, html='<span class="probe"></span>')


def theme_watch(drawn: ThemeName, *, on_switch: Callable[[], None]) -> None:
    """Mount the watch, which shows nothing.

    Args:
        drawn: the theme in which this run draws the page; the script runs again when the browser shows another.
        on_switch: called before that run.
    """
    _WATCH(key="theme_watch", data={"drawn": drawn}, on_switched_change=on_switch)
