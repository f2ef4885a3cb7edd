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
    """Set the page up, restore the selection from its address, and draw the top of the sidebar.

    Returns the place of a tour's claims, None without a tour.
    """
    st.set_page_config(page_title="Headlight", page_icon=str(ICON), layout="wide", initial_sidebar_state=SIDEBAR)
    st.html(STYLE)
    session.restore(completed)
    if session.current().stage:
        st.html(STAGE_STYLE)
    _run_after_reconnecting()
    with st.sidebar:
        # A browser loads the code of components at the first one. Until then it shows placeholders, each for at least
        # 0.3 s, so an invisible component comes first.
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
    """Make the browser request a run when it reconnects to the server; shows nothing.

    A restarted server has no state of the page. If a click caused the first run, it would be lost, because Streamlit
    ignores clicks on widgets that it has not rendered. The browser requests a run on reconnecting only if a part of
    the page reruns on a timer.
    """


def _present_button() -> None:
    st.button(
        "Present",
        key="present",
        help="For an audience: the picture and the sentences alone, and large. Or press P; there, ? shows the keys.",
        on_click=session.change,
        kwargs={"stage": True},
    )
