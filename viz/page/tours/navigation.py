"""The open tour, its current stop, and going to another one."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.page.tours.custom_tour import draft, is_own
from viz.state import session
from viz.state.fields import FIELDS, value_of, with_values
from viz.state.selection import Selection
from viz.tours.grammar import point_in_words
from viz.tours.shipped import NAMES, shipped_tour
from viz.tours.tour import Stop, Tour
from viz.tours.visiting import number_in, selection_at
from viz.wording.labels import escape_markdown

ANSWERED = "answered_stop"  # in the session: the tour and the stop whose question was answered
WITHHELD_STYLE = Path(__file__).parents[1] / "withheld.css"
WITHHELD = "picture_withheld"  # key of the question's container while the picture is hidden
FIELDS_OF_PICTURE = ("view", "model", "a", "b", "mode", "writer", "task", "source")  # a change of one shows another
PINNED = "pinned_at_stop"  # in the session: the tour and the stop at which the user pinned a cell


def shown_tour(selection: Selection) -> Tour | None:
    """The open tour; None without one, or if it is missing."""
    if is_own(selection.tour):
        return draft().tour
    return shipped_tour(selection.tour) if selection.tour in NAMES else None


def shown_stop(selection: Selection) -> Stop | None:
    """The current stop of the open tour; None without a tour."""
    tour = shown_tour(selection)
    return None if tour is None else tour.stops[number_in(tour, selection.stop) - 1]


def open_tour(name: str) -> None:
    """Open a tour at its first stop."""
    session.change(tour=name)
    go_to(1)


def close_tour() -> None:
    """Close the tour; the selection stays."""
    session.change(tour="", stop=1)


def go_to(number: int, *, answered: bool = False) -> None:
    """Show a stop of the open tour, as a link would, and its answer if it is `answered`."""
    selection = session.current()
    tour = shown_tour(selection)
    if tour is None:
        return
    number = number_in(tour, number)
    target = with_values(selection_at(tour.stops[number - 1], selection), {"stop": number})
    session.change(**{name: value_of(target, name) for name in FIELDS})
    st.session_state.pop(PINNED, None)
    if answered:
        st.session_state[ANSWERED] = (selection.tour, number)
    elif st.session_state.get(ANSWERED) == (selection.tour, number):
        del st.session_state[ANSWERED]


def next_press() -> None:
    """Answer the stop's question, or show the next stop."""
    selection = session.current()
    if is_answered(selection):
        go_to(selection.stop + 1)
    else:
        st.session_state[ANSWERED] = (selection.tour, selection.stop)


def go_back() -> None:
    """Show the stop before, if there is one."""
    go_to(session.current().stop - 1)


def note_pin() -> None:
    """Record that the user pinned a cell at the current stop, possibly the stop's own."""
    selection = session.current()
    st.session_state[PINNED] = (selection.tour, selection.stop)


def without_answer(selection: Selection) -> Selection:
    """The selection without the stop's pinned cell until its question is answered: the cell reveals the answer."""
    stop = shown_stop(selection)
    if stop is None or is_answered(selection) or st.session_state.get(PINNED) == (selection.tour, selection.stop):
        return selection
    if selection_at(stop, selection).shown_place.pins != selection.shown_place.pins:
        return selection
    return with_values(selection, {"query": None, "key": None})


def _withholds_picture(selection: Selection) -> bool:
    """Whether the stop's picture is hidden until its question is answered, or the user shows another one."""
    stop = shown_stop(selection)
    if stop is None or not stop.reveals_picture or is_answered(selection):
        return False
    target = selection_at(stop, selection)
    return all(value_of(target, name) == value_of(selection, name) for name in FIELDS_OF_PICTURE)


def is_answered(selection: Selection) -> bool:
    """Whether the stop shows its words, and not only its question."""
    stop = shown_stop(selection)
    return stop is None or not stop.question or st.session_state.get(ANSWERED) == (selection.tour, selection.stop)


def draw_stop(stop: Stop, *, answered: bool) -> None:
    """The texts of a stop: only its question, until it is answered."""
    withheld = not answered and _withholds_picture(session.current())
    if stop.question:
        with st.container(key=WITHHELD if withheld else None):
            if withheld:
                st.html(WITHHELD_STYLE)
            st.markdown(f":material/help: {stop.question}")
    if stop.question and answered and stop.answer:
        st.markdown(f":material/subdirectory_arrow_right: {stop.answer}")
    if answered and stop.words:
        st.markdown(stop.words)
    if answered and stop.points:
        st.caption(escape_markdown(f"Look at {'; '.join(map(point_in_words, stop.points))}."))
