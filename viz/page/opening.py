"""The page setup and the top of the sidebar, shown before anything that takes seconds to import."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.page.text_inputs import choose_sentences, choose_source
from viz.page.tours.custom_tour import store_draft
from viz.page.tours.tour_panel import tour_menu, tour_panel
from viz.state import session
from viz.tours.visiting import completed

ICON = Path(__file__).parents[1] / "icon.svg"  # a symbol or an emoji would come from the network
STYLE, STAGE_STYLE = (Path(__file__).with_name(name) for name in ("page.css", "stage.css"))
SIDEBAR = 320  # pixels of its width, until the user chooses another one


def draw() -> DeltaGenerator | None:
    """Set the page up, restore what its address says, and draw the top of the sidebar.

    Returns the place of a tour's claims, None where no tour is given.
    """
    st.set_page_config(page_title="Headlight", page_icon=str(ICON), layout="wide", initial_sidebar_state=SIDEBAR)
    st.html(STYLE)
    session.restore(completed)
    if session.current().stage:
        st.html(STAGE_STYLE)
    _run_after_reconnecting()
    with st.sidebar:
        # A browser fetches the code of components when it meets the first one. What it meets meanwhile gets a
        # placeholder, and React leaves one for 0.3 s at least: the first one comes before all that is seen.
        store_draft()
        st.markdown("## Headlight", help="What a Transformer encoder attends to.")
        with st.container(horizontal=True, gap="xsmall"):
            tour_menu()
            _present_button()
        claims_place = tour_panel()
        if session.current().shows_decoder:
            choose_source()
        else:
            choose_sentences()
    return claims_place


@st.fragment(run_every=timedelta(days=1))
def _run_after_reconnecting() -> None:
    """Draws nothing, and makes the browser ask for a run when it has lost the server and found it again.

    A server that was started again knows nothing of the page. Were the first run that of a click, Streamlit could not
    tell that something was clicked, because it has not drawn the widget yet, and the click would be lost. The browser
    asks for a run on reconnecting only where a part of the page runs by itself from time to time.
    """


def _present_button() -> None:
    st.button(
        "Present",
        key="present",
        help="For an audience: the picture and the sentences alone, and large. Or press P; there, ? shows the keys.",
        on_click=session.change,
        kwargs={"stage": True},
    )
