"""Keeps the page in the browser in step with the server: its theme, and the code that it has loaded.

Streamlit recolours its own elements when the theme is switched in its menu; figures and BertViz's frames take their
colours from Python, which therefore draws again. A page that is still open when another version of the server takes
over is loaded again, because it draws with the code that it has.
"""

from pathlib import Path
from typing import Final

from viz.components.registered import FOLDER, code_version, component
from viz.theme import ThemeName

_PROBE: Final = '<span class="probe" style="display: none; color: var(--st-background-color)"></span>'
_WATCH: Final = component(Path(__file__).parent, html=_PROBE)
_CODE: Final = code_version(FOLDER)


def page_watch(drawn: ThemeName) -> None:
    """Mount the watch, which shows nothing.

    Args:
        drawn: the theme in which this run draws the page; the script runs again when the browser shows another.
    """
    # Streamlit runs the script for events that have a callback, whatever that does.
    _WATCH(key="page_watch", data={"drawn": drawn, "code": _CODE}, on_switched_change=lambda: None)
