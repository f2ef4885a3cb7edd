"""Tours as slides in one file, built from the cached runs, and the button that saves them."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import TYPE_CHECKING

import streamlit as st

from encoder.errors import UnknownModelError
from viz import permitted
from viz.answers.room import PAGE, STOP, Room
from viz.state import session
from viz.state.selection import Selection
from viz.tours.tour import Stop, Tour
from viz.tours.visiting import state_of
from viz.views.registered import PANELS
from viz.widgets import save_button
from viz.widgets.consent import AGREED
from viz.widgets.tables import name_of_file
from viz.wording import file_names

if TYPE_CHECKING:
    from encoder import Backend
    from viz.recipes.slide import Models

HELP = (
    "One HTML file with pictures, words, notes and claims, which opens in any browser, needs no network, prints one "
    "stop a page, and saves all its pictures as SVG. It takes as long as the claims take."
)
HELP_OF_VIEW = "The pictures as they are, without hover. What the page has worked out is not worked out again."


def slides_file(tour: Tour, selection: Selection, agreed: AbstractSet[str], *, room: Room = STOP) -> bytes:
    """The file. A model without consent is not loaded.

    Args:
        selection: of the page, for stops that name no model or text.
        agreed: names of models that the user agreed to download, or to read from a folder.
        room: as `slides_of` has it.
    """
    from viz.slides.build import slides_of  # imports torch
    from viz.slides.document import slides_document

    return slides_document(slides_of(tour, selection, _models(agreed), room=room)).encode()


def still_file(stop: Stop, selection: Selection, agreed: AbstractSet[str]) -> bytes:
    """The views of one stop as they are with its answer, without words; arguments as in `slides_file`."""
    from viz.slides.build import still_of  # imports torch
    from viz.slides.document import slides_document

    return slides_document(still_of(stop, selection, _models(agreed)), is_still=True).encode()


def _models(agreed: AbstractSet[str]) -> Models:
    """The cached runs of the models that the page may open."""
    from viz.caches import revisions, run_cache, steps
    from viz.page.runs import write
    from viz.recipes.runner import StepRunner
    from viz.recipes.slide import Models

    def allowed(name: str) -> str:
        if name not in agreed and permitted.needs_consent(name):
            raise UnknownModelError(f"The model {name!r} is not opened unasked: choose it on the page first.")
        return revisions.current(name)

    def open_model(name: str) -> Backend:
        return run_cache.model(allowed(name))

    return Models(
        open=open_model,
        trace=lambda name, a, b, **changes: run_cache.trace(allowed(name), a, b, **changes),
        write=lambda at_stop: write(allowed(at_stop.decoder.model), at_stop),
        steps=StepRunner(open_model, known=lambda step, name: steps.known_result(step, allowed(name))),
    )


def slides_button(tour: Tour, *, key: str) -> None:
    """A button that saves a tour as slides, which are built on a click."""
    _button(
        tour,
        session.current(),
        "Save as slides",
        file_names.file_name(tour.title, "slides", "html"),
        key=key,
        help=HELP,
    )


def file_button(title: str, text: str, *, key: str) -> None:
    """A button that saves the file of a tour, which the editor opens."""
    save_button("Save the file", text.encode(), file_names.file_name(title, "lesson", "md"), key=key)


def view_button(selection: Selection) -> None:
    """A button that saves a view without attention, or one of a table that ships, with its charts and tables."""
    title, name = PANELS[selection.view].title, name_of_file(selection.view, "html")
    tour = Tour(title=title, stops=(Stop(title=title, state=MappingProxyType(dict(state_of(selection)))),))
    _button(tour, selection, title, name, key="save_view", help=HELP_OF_VIEW, room=PAGE)


def _button(tour: Tour, selection: Selection, label: str, name: str, *, key: str, help: str, room: Room = STOP) -> None:
    agreed = frozenset[str](st.session_state.get(AGREED, ()))
    save_button(label, lambda: slides_file(tour, selection, agreed, room=room), name, key=key, help=help)
