"""Changes of a tour that is being made: each takes a tour and gives the next one. Stops are counted from 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from viz.tours.grammar import format_claim, format_point, parse_claim, parse_point
from viz.tours.texts import read_title, read_words
from viz.tours.tour import Stop, Tour

FIRST_TITLE = "A tour of mine"
Stops = tuple[Stop, ...]


def with_stop(tour: Tour | None, state: Mapping[str, str], after: int) -> Tour:
    """The tour with a new stop; without a tour, one of that stop alone."""
    stops = tour.stops if tour else ()
    stop = Stop(title=f"Stop {len(stops) + 1}", state=MappingProxyType(dict(state)))
    if tour is None:
        return Tour(title=FIRST_TITLE, stops=(stop,))
    return replace(tour, stops=_inserted(stops, after + 1, stop))


def moved(tour: Tour, index: int, by: int) -> Tour:
    """The tour with a stop so many places later, as far as there are places."""
    others = (*tour.stops[:index], *tour.stops[index + 1 :])
    place = min(max(index + by, 0), len(others))
    return replace(tour, stops=_inserted(others, place, tour.stops[index]))


def duplicated(tour: Tour, index: int) -> Tour:
    """The tour with a stop twice."""
    return replace(tour, stops=_inserted(tour.stops, index + 1, tour.stops[index]))


def without_stop(tour: Tour, index: int) -> Tour | None:
    """The tour without a stop; None where that was the only one."""
    others = (*tour.stops[:index], *tour.stops[index + 1 :])
    return replace(tour, stops=others) if others else None


def with_state(tour: Tour, index: int, state: Mapping[str, str]) -> Tour:
    """The tour with another state of a stop."""
    return _with_stop_changed(tour, index, state=MappingProxyType(dict(state)))


def with_tour_text(tour: Tour, name: str, text: str) -> Tour:
    """The tour with another "title", or other "words" that introduce it.

    Raises:
        TextError: a tour may not hold the text.
    """
    return replace(tour, title=read_title(text)) if name == "title" else replace(tour, words=read_words(text))


def with_stop_text(tour: Tour, index: int, name: str, text: str) -> Tour:
    """The tour with another text of a stop.

    Args:
        name: "title", "words", "question", "answer" or "notes"; "points" and "claims" have one in each line.
    Raises:
        TextError: a tour may not hold the text.
        GrammarError: a line is no point, or no claim.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    value: Any
    if name == "points":
        value = tuple(map(parse_point, lines))
    elif name == "claims":
        value = tuple(map(parse_claim, lines))
    else:
        value = read_title(text) if name == "title" else read_words(text)
    return _with_stop_changed(tour, index, **{name: value})


def text_of(stop: Stop, name: str) -> str:
    """The text of a stop that `with_stop_text` reads back."""
    if name == "points":
        return "\n".join(map(format_point, stop.points))
    if name == "claims":
        return "\n".join(map(format_claim, stop.claims))
    text: str = getattr(stop, name)
    return text


def _with_stop_changed(tour: Tour, index: int, **changes: Any) -> Tour:
    stop = replace(tour.stops[index], **changes)
    return replace(tour, stops=(*tour.stops[:index], stop, *tour.stops[index + 1 :]))


def _inserted(stops: Stops, index: int, stop: Stop) -> Stops:
    return (*stops[:index], stop, *stops[index:])
