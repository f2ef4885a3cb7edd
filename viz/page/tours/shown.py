"""The tour and the stop that are shown, and going to another one."""

from __future__ import annotations

import streamlit as st

from viz.page.tours.own import own, stop_of
from viz.state import session
from viz.state.selection import OWN_TOUR, Selection
from viz.tours.shipped import NAMES, shipped_tour
from viz.tours.tour import Stop, Tour

ANSWERED = "answered_stop"  # in the session: the tour and the stop whose question was answered


def shown_tour(selection: Selection) -> Tour | None:
    """The tour that is given; None where none is, or where it is not here."""
    if selection.tour == OWN_TOUR:
        return own().tour
    return shipped_tour(selection.tour) if selection.tour in NAMES else None


def shown_stop(selection: Selection) -> Stop | None:
    """The stop of the tour that is given, the nearest one that there is; None without a tour."""
    tour = shown_tour(selection)
    return None if tour is None else tour.stops[min(max(selection.stop, 1), len(tour.stops)) - 1]


def open_tour(name: str) -> None:
    """Begin a tour."""
    session.change(tour=name)
    go_to(1)


def go_to(number: int) -> None:
    """Show a stop of the tour that is given, counted from 1; the callback of a button."""
    selection = session.current()
    tour = shown_tour(selection)
    if tour is not None:
        session.go(stop_of(tour, selection.tour, number))
        st.session_state.pop(ANSWERED, None)


def next_press() -> None:
    """Answer the stop's question, or show the next stop."""
    if is_answered():
        go_to(session.current().stop + 1)
    else:
        answer()


def answer() -> None:
    """Show the answer to the stop's question."""
    selection = session.current()
    st.session_state[ANSWERED] = (selection.tour, selection.stop)
    session.ignore_stale_address()


def is_answered() -> bool:
    """Whether the stop has no question, or its answer is shown."""
    selection = session.current()
    stop = shown_stop(selection)
    asks = stop is not None and bool(stop.question)
    return not asks or st.session_state.get(ANSWERED) == (selection.tour, selection.stop)


def close_tour() -> None:
    """Leave the tour; what the page shows stays."""
    session.change(tour="", stop=1)
