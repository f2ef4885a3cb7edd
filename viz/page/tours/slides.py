"""The button that saves a tour as slides."""

from __future__ import annotations

import streamlit as st

from viz.page.slides_file import agreed_models, slides_file
from viz.state import session
from viz.tours.texts import file_name_of
from viz.tours.tour import Tour

HELP = (
    "Saves the tour as slides: one HTML file with its pictures, words, notes and claims, which opens in any browser, "
    "needs no network, prints one stop a page, and saves all its pictures as SVG. It takes as long as the claims take."
)


def slides_button(tour: Tour, *, key: str, small: bool = False) -> None:
    """A button that saves a tour as slides, which are made when somebody asks for them.

    Args:
        small: a symbol alone, with the tooltip; `page.css` hides the label from the eye.
    """
    selection, agreed = session.current(), agreed_models()
    st.download_button(
        "Save as slides",
        lambda: slides_file(tour, selection, agreed),
        file_name=f"{file_name_of(tour.title)}-slides.html",
        mime="text/html",
        icon=":material/slideshow:" if small else ":material/download:",
        type="tertiary" if small else "secondary",
        on_click="ignore",
        key=key,
        help=HELP,
    )
