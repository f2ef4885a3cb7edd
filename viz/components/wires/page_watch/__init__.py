"""Keeps the browser's page in sync with the server: its theme, and the code that it has loaded.

Streamlit recolours its own elements when the user switches the theme; figures and BertViz's frames get their colours
from Python, which has to render them again. A page that is open when another version of the server starts is reloaded,
because its code is outdated.
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
        drawn: the theme of this run; the script reruns when the browser shows another one.
    """
    # Streamlit reruns the script only for events with a callback.
    _WATCH(key="page_watch", data={"drawn": drawn, "code": _CODE}, on_switched_change=lambda: None)
