"""The button that saves a tour as slides."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import streamlit as st

from encoder.errors import UnknownModelError
from encoder.offers import needs_consent
from viz.state import session
from viz.state.selection import Selection
from viz.tours.texts import file_name_of
from viz.tours.tour import Tour

if TYPE_CHECKING:
    from encoder import Backend

HELP = (
    "Saves the tour as slides: one HTML file with its pictures, words, notes and claims, which opens in any browser, "
    "needs no network, prints one stop a page, and saves all its pictures as SVG. It takes as long as the claims take."
)


def slides_button(tour: Tour, *, key: str, small: bool = False) -> None:
    """A button that saves a tour as slides, which are made when somebody asks for them.

    Args:
        small: a symbol alone, whose tooltip says what it does.
    """
    selection, agreed = session.current(), frozenset(st.session_state.get("agreed", ()))
    st.download_button(
        ":material/slideshow:" if small else "Save as slides",
        lambda: _slides(tour, selection, agreed),
        file_name=f"{file_name_of(tour.title)}-slides.html",
        mime="text/html",
        icon=None if small else ":material/download:",
        type="tertiary" if small else "secondary",
        on_click="ignore",
        key=key,
        help=HELP,
    )


def _slides(tour: Tour, selection: Selection, agreed: AbstractSet[str]) -> bytes:
    """The file. A model that nobody agreed to load is not opened.

    Args:
        selection: what the page shows, for stops that name no model or text.
        agreed: names of models that somebody agreed to download, or to read from a folder.
    """
    from viz import attribution_cache, cache, experiment_cache
    from viz.exports.slides_document import slides_document
    from viz.page.runs import write
    from viz.slides.making import slides_of  # imports torch
    from viz.slides.models import Models

    def allowed(name: str) -> str:
        if name not in agreed and needs_consent(name):
            raise UnknownModelError(f"The model {name!r} is not opened unasked: choose it on the page first.")
        return name

    def open_model(name: str) -> Backend:
        return cache.model(allowed(name))

    models = Models(
        open=open_model,
        trace=lambda name, a, b: cache.trace(allowed(name), a, b),
        band=lambda name: experiment_cache.band(allowed(name)),
        maps=lambda trace, quantity: attribution_cache.maps(trace, quantity=quantity),
        write=lambda at_stop: write(allowed(at_stop.decoder.model), at_stop),
    )
    return slides_document(slides_of(tour, selection, models)).encode()
