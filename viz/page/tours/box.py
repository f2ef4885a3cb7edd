"""The menu of tours, and the box of the stop that is shown: both in the sidebar, beside the picture."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.page.tours import editor, own
from viz.page.tours.shown import (
    close_tour,
    go_to,
    is_answered,
    next_press,
    open_tour,
    shown_stop,
    shown_tour,
)
from viz.page.tours.slides import slides_button
from viz.state import session
from viz.state.selection import OWN_TOUR
from viz.tours.grammar import point_in_words
from viz.tours.shipped import NAMES, title_of
from viz.tours.tour import Stop, Tour
from viz.tours.visiting import number_in
from viz.wording.labels import escape_markdown

ADD, OPEN, UNDO = "add", "open", "undo"
MENU = "tours"


def tour_menu() -> None:
    """The choice of a tour, and what makes one."""
    mine = [OWN_TOUR] if own.own().tour else []
    st.menu_button(
        "Tours",
        [*NAMES, *mine, ADD, OPEN, *([UNDO] if own.own().before else [])],
        format_func=_entry,
        key=MENU,
        on_click=_choose,
        help="Talks in stops: those that ship, and your own.",
    )


def keep_tour() -> None:
    """Have the browser keep the tour that is being made; shows nothing."""
    own.keep(editor.restore_draft)


def tour_box() -> DeltaGenerator | None:
    """The stop that is shown, if a tour is given. Returns the place of its claims."""
    selection = session.current()
    tour, stop = shown_tour(selection), shown_stop(selection)
    place = None
    if selection.tour and (tour is None or stop is None):
        _tell_missing(selection.tour)
    elif tour is not None and stop is not None:
        with st.container(border=True, key="tour"):
            place = _stop(tour, stop, number_in(tour, selection.stop))
    if own.own().problem:
        st.error(escape_markdown(own.own().problem))
    editor.draw_dialog()
    return place


def _entry(option: str) -> str:
    if option == OWN_TOUR:
        tour = own.own().tour
        return f"Yours: {tour.title if tour else ''}"
    actions = {ADD: "Add this as a stop", OPEN: "Open a file …", UNDO: "Undo the last change of your tour"}
    return actions.get(option) or title_of(option)


def _choose() -> None:
    option = st.session_state[MENU]
    if option == ADD:
        own.add_stop()
    elif option == OPEN:
        editor.open_dialog("open")
    elif option == UNDO:
        own.undo()
    elif option is not None:
        open_tour(option)


def _tell_missing(name: str) -> None:
    if name != OWN_TOUR:
        st.warning(escape_markdown(f"There is no tour {name[:60]!r}: choose one of the list."))
    elif own.own().text is not None:
        st.warning("The tour of this link is not stored in this browser: open its file.")


def _stop(tour: Tour, stop: Stop, number: int) -> DeltaGenerator:
    answered = is_answered(session.current())
    with st.container(key="tour_head", horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(f"{escape_markdown(tour.title)} · {number} of {len(tour.stops)}", width="stretch")
        slides_button(tour, key="tour_slides", small=True)
        label = "Close the tour"
        st.button(label, key="tour_close", icon=":material/close:", type="tertiary", on_click=close_tour, help=label)
    # Above what is said, so that the buttons stay where they are from stop to stop.
    with st.container(horizontal=True, gap="xsmall"):
        st.button("Back", key="tour_back", on_click=go_to, args=(number - 1,), disabled=number == 1)
        st.button(
            "Next" if answered else "Answer",
            key="tour_next",
            type="primary",
            on_click=next_press,
            disabled=answered and number == len(tour.stops),
        )
        _make(tour)
    st.markdown(f"#### {escape_markdown(stop.title)}")
    if number == 1 and tour.words:
        st.caption(tour.words)
    if stop.question:
        st.markdown(f":material/help: {stop.question}")
    if stop.question and answered and stop.answer:
        st.markdown(f":material/subdirectory_arrow_right: {stop.answer}")
    if answered and stop.words:
        st.markdown(stop.words)
    if answered and stop.points:
        st.caption(escape_markdown(f"Look at {'; '.join(map(point_in_words, stop.points))}."))
    return st.container(key="tour_claims")


def _make(tour: Tour) -> None:
    """What changes the tour: of one that ships, a copy."""
    if session.current().tour == OWN_TOUR:
        st.button("Edit", key="tour_edit", on_click=editor.open_dialog, args=("edit",))
        st.button("Add this", key="tour_add", on_click=own.add_stop, help="Adds what the page shows as the next stop.")
    else:
        st.button(
            "Edit",
            key="tour_edit",
            on_click=_edit_copy,
            args=(tour,),
            help="Makes a copy of it a tour of yours. One that you have now comes back with Undo.",
        )


def _edit_copy(tour: Tour) -> None:
    own.open_copy(tour, stop=session.current().stop)
    editor.open_dialog("edit")
