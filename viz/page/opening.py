"""The page setup and its first rows, shown before anything that takes seconds to import."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.html import terms
from viz.page.text_inputs import draw_inputs
from viz.page.tours.custom_tour import is_editor_open, store_draft
from viz.page.tours.tour_panel import tour_menu, tour_panel
from viz.state import session
from viz.tours.visiting import completed
from viz.widgets import change_button

if TYPE_CHECKING:
    from viz.streamlit_internals import PopoverContainer

ICON = Path(__file__).parents[1] / "icon.svg"  # a symbol or an emoji would come from the network
SCROLLING = Path(__file__).parents[1] / "components" / "shared" / "scrolling.css"
SHEETS = (Path(__file__).with_name("page.css"), SCROLLING, terms.STYLE)
STYLE = f"<style>{''.join(sheet.read_text(encoding='utf-8') for sheet in SHEETS)}</style>"
STAGE_STYLE = Path(__file__).with_name("stage.css")
SIDEBAR = 320  # pixels of a tour's panel, until the user chooses another width


@dataclass(frozen=True, slots=True)
class Places:
    """Places of the first rows that the body fills: for the model, exports, settings, and the claims of a tour."""

    model: DeltaGenerator
    export: DeltaGenerator
    settings: PopoverContainer
    claims: DeltaGenerator | None


def draw() -> Places:
    """Set the page up, restore the selection from its address, and draw the first rows and the open tour."""
    st.set_page_config(page_title="Headlight", page_icon=str(ICON), layout="wide", initial_sidebar_state=SIDEBAR)
    st.html(STYLE)
    session.restore(completed)
    if session.current().stage:
        st.html(STAGE_STYLE)
    _run_after_reconnecting()
    with st.container(key="opening"):
        # A browser loads the code of components at the first one. Until then it shows placeholders, each for at least
        # 0.3 s, so an invisible component comes first.
        if not is_editor_open():  # which stores what is typed there
            store_draft()
        export, settings = _draw_bar()
        model = draw_inputs()
    # The sidebar exists only while a tour is open.
    with st.sidebar if session.current().tour else st.container():
        claims = tour_panel()
    return Places(model, export, settings, claims)


def _draw_bar() -> tuple[DeltaGenerator, PopoverContainer]:
    """The page's title and menus. Returns the places of the exports and of the settings."""
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("# Headlight", width="content")
        tour_menu()
        _present_button()
        export = st.container(width="content", key="export")
        settings = st.popover("Settings", icon=":material/tune:", key="settings", on_change="rerun")
    return export, settings


@st.fragment(run_every=timedelta(days=1))
def _run_after_reconnecting() -> None:
    """Make the browser request a run when it reconnects to the server; shows nothing.

    A restarted server has no state of the page. If a click caused the first run, it would be lost, because Streamlit
    ignores clicks on widgets that it has not rendered. The browser requests a run on reconnecting only if a part of
    the page reruns on a timer.
    """


def _present_button() -> None:
    change_button("Present", {"stage": True}, key="present", help="Full-screen view for the projector (P).")
