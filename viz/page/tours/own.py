"""The tour that is being made: one in a session, with all its states before, so that every change can be undone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from encoder.errors import TourError
from viz.components import kept_tour as component
from viz.state import session, typed
from viz.state.codecs import without_lone_surrogates
from viz.state.selection import OWN_TOUR
from viz.tours import edits
from viz.tours.files import parse_tour, write_tour
from viz.tours.tour import Tour
from viz.tours.visiting import number_in, state_of

logger = logging.getLogger(__name__)

OWN = "own_tour"
SENT = "own_tour_sent"  # in the session: the file that the browser was sent last
MOST_UNDONE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTour:
    """The tour that is being made.

    Attributes:
        tour: None where there is none.
        text: its file; "" where there is none, None while it is not known whether the browser has one.
        before: its earlier states, the last one last.
        problem: why the last change was refused, or "".
    """

    tour: Tour | None = None
    text: str | None = None
    before: tuple[Tour | None, ...] = ()
    problem: str = ""


def own() -> OwnTour:
    """The tour that is being made, as it is now."""
    found: OwnTour = st.session_state.setdefault(OWN, OwnTour())
    return found


def change(edit: Callable[[Tour | None], Tour | None], *, stop: int | None = None) -> None:
    """Apply somebody's change; one that makes it no tour is refused, and told.

    Args:
        stop: the stop to show after it, counted from 1; None to stay.
    """
    before = own()
    try:
        _put(edit(before.tour), (*before.before, before.tour)[-MOST_UNDONE:])
    except TourError as error:
        st.session_state[OWN] = replace(before, problem=f"This was not done. {error}")
        return
    _show(session.current().stop if stop is None else stop)


def undo() -> None:
    """Take the last change back. A second click may come before the browser knows that there is none any more."""
    before = own().before
    if not before:
        return
    _put(before[-1], before[:-1])
    _show(session.current().stop)


def add_stop() -> None:
    """Make what the page shows a stop: the next one of the tour that is being made, or its last."""
    selection, tour = session.current(), own().tour
    count = len(tour.stops) if tour else 0
    after = selection.stop if selection.tour == OWN_TOUR and 1 <= selection.stop <= count else count
    state = state_of(selection)
    change(lambda tour: edits.with_stop(tour, state, after - 1), stop=after + 1)


def update_stop() -> None:
    """Make what the page shows the state of the stop that is shown."""
    selection = session.current()
    change(lambda tour: tour and edits.with_state(tour, number_in(tour, selection.stop) - 1, state_of(selection)))


def open_copy(tour: Tour, *, stop: int = 1) -> None:
    """Begin with a tour that there is, a file or one that ships, at one of its stops."""
    change(lambda _: tour, stop=stop)


def keep(restore_draft: Callable[[str, str], None]) -> None:
    """Have the browser keep the tour, and hear what it kept before.

    Args:
        restore_draft: called with a field of the editor and what stood in it when the page was loaded again.
    """
    st.session_state[SENT] = own().text
    component.kept_tour(
        own().text,
        visit=typed.visit(),
        awaited=session.current().tour == OWN_TOUR,
        on_kept=lambda: _hear_kept(restore_draft),
    )


def is_sent() -> bool:
    """Whether the browser has the tour as it is now: a fragment that changes it does not send it."""
    return st.session_state.get(SENT) == own().text


def _hear_kept(restore_draft: Callable[[str, str], None]) -> None:
    """Take the tour that the browser kept. One that was begun meanwhile stands, and Undo leads to the kept one."""
    message = (st.session_state.get(component.KEY) or {}).get("kept") or {}
    match message:
        case {"visit": str(visit), "text": str(text)} if visit == typed.visit():
            now = own()
        case _:
            return
    try:
        kept = parse_tour(text) if text else None
    except TourError as error:
        st.session_state[OWN] = replace(now, problem=f"The tour that this browser kept cannot be read. {error}")
        return
    if now.before:
        st.session_state[OWN] = replace(now, before=(kept, *now.before[1:]))
        return
    st.session_state[OWN] = OwnTour(tour=kept, text=text, before=tuple(_readable(message.get("older"))))
    match message:
        case {"draft": {"field": str(field), "text": str(draft)}}:
            restore_draft(field, without_lone_surrogates(draft))


def _readable(texts: Any) -> Iterator[Tour]:
    """The tours of other tabs, to which Undo leads; the browser's storage may hold anything."""
    for text in texts if isinstance(texts, list) else ():
        try:
            yield parse_tour(str(text))
        except TourError as error:
            logger.warning("A stored tour of another tab cannot be read: %s", error)


def _put(tour: Tour | None, before: tuple[Tour | None, ...]) -> None:
    """Hold a tour, unless its file would be none that can be read back. Raises TourError."""
    text = "" if tour is None else write_tour(tour)
    kept = parse_tour(text) if text else None
    st.session_state[OWN] = OwnTour(tour=kept, text=text, before=before)


def _show(number: int) -> None:
    """Name the stop that is shown after a change; what the page shows stays."""
    tour = own().tour
    if tour is None:
        session.change(tour="", stop=1)
    else:
        session.change(tour=OWN_TOUR, stop=number_in(tour, number))
