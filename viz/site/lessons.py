"""The lessons of a page without a server: tours as slides, each a page of its own, which leads back to the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from encoder import Backend
from viz.claims.check import read_file
from viz.claims.stops import open_encoder
from viz.saved_page.contents import VIEW_NAMES
from viz.slides.build import slides_of
from viz.slides.command import models_by
from viz.slides.document import Site, slides_document
from viz.state.fields import text_of
from viz.state.selection import DEFAULT, Selection
from viz.tours.shipped import NAMES, path_of
from viz.tours.tour import Tour
from viz.tours.visiting import selection_at

FOLDER: Final = "lessons"
_UP: Final = "../"
_LINKED: Final = ("view", "layer", "head", "mode", "a", "b")  # that the page reads in its address


@dataclass(frozen=True, slots=True)
class Lesson:
    """A tour of a site; `address` is that of its page, from the site's folder."""

    title: str
    address: str
    html: str


def lessons_of(names: Sequence[str], model: Backend) -> Iterator[Lesson]:
    """The lessons of a site, with their claims tested on its model.

    Args:
        names: of tours that ship, or files.
        model: reads the stops that name no other.
    Raises:
        TourError: a file is no tour.
    """
    models = models_by(lambda name: model if name == model.name else open_encoder(name, asked=False))
    for name in names:
        tour = read_file(path_of(name) if name in NAMES else Path(name))
        start = replace(DEFAULT, model=model.name)
        site = Site(folder=_UP, links=tuple(_links(tour, start)))
        html = slides_document(slides_of(tour, start, models), site=site)
        yield Lesson(tour.title, f"{FOLDER}/{Path(name).stem}.html", html)


def _links(tour: Tour, selection: Selection) -> Iterator[str]:
    """The address of the page with what each stop shows; "" where the page does not show it."""
    model = selection.model
    for stop in tour.stops:
        selection = selection_at(stop, selection)
        is_shown = (
            selection.model == model
            and not selection.shows_decoder
            and selection.view in VIEW_NAMES
            and selection.draws_weights
        )
        yield f"{_UP}?{urlencode({name: text_of(selection, name) for name in _LINKED})}" if is_shown else ""
