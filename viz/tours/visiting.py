"""Converts a stop to the page's selection, and a selection to a stop."""

from __future__ import annotations

from collections.abc import Mapping

from viz.state.address import differences, from_query
from viz.state.fields import FIELDS, text_of, value_of, with_values
from viz.state.selection import DEFAULT, Selection
from viz.tours.files import NOT_OF_A_STOP
from viz.tours.measures import is_number
from viz.tours.shipped import NAMES, shipped_tour
from viz.tours.tour import Stop, Tour

# Groups of fields that a stop leaves unchanged if it names none of them.
KEPT_TOGETHER = (("model",), ("writer",), ("a", "b", "mode"), ("task", "source"), *((name,) for name in NOT_OF_A_STOP))


def number_in(tour: Tour, number: int) -> int:
    """The number of a stop, counted from 1, clamped to the tour."""
    return min(max(number, 1), len(tour.stops))


def selection_at(stop: Stop, page: Selection) -> Selection:
    """The page's selection at a stop, as if its state were a link.

    The page keeps its model and texts if the stop names none, so that a tour can be given on any model, and one
    without texts on any sentence.
    """
    selection, _ = from_query(stop.state, page)
    kept = {
        name: value_of(page, name)
        for group in KEPT_TOGETHER
        if not any(name in stop.state for name in group)
        for name in group
        if name in FIELDS
    }
    return with_values(selection, kept)


def state_of(selection: Selection) -> Mapping[str, str]:
    """The state of a stop for the current page: non-default fields, the texts, and the view."""
    state = {name: text for name, text in differences(selection).items() if name not in NOT_OF_A_STOP}
    named: tuple[str, ...] = ("a", "b", "mode")
    if selection.shows_decoder:
        named = ("writer", "task", "source")
    elif selection.shows_collection:
        named = ("collection",)
    needed = {name: text_of(selection, name) for name in ("view", *named)}
    return needed | state


def completed(params: Mapping[str, str]) -> Mapping[str, str]:
    """The parameters of an address, completed with those of its stop.

    An address with a shipped tour and no view stands for the stop; its other parameters override the stop's state.
    """
    if "view" in params or params.get("tour") not in NAMES:
        return params
    tour, number = shipped_tour(params["tour"]), params.get("stop", "1")
    stop = tour.stops[number_in(tour, int(number) if is_number(number) else 1) - 1]
    return {"view": DEFAULT.view, **stop.state, **params}
