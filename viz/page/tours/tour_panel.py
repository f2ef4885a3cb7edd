"""The menu of tours and the panel of the current stop, both in the sidebar."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.page.slides_file import slides_button
from viz.page.tours import custom_tour
from viz.page.tours.editor import draw_editor, open_editor
from viz.page.tours.navigation import (
    close_tour,
    draw_stop,
    go_to,
    is_answered,
    next_press,
    open_tour,
    shown_stop,
    shown_tour,
)
from viz.state import session
from viz.state.selection import OWN_TOUR
from viz.tours.files import write_tour
from viz.tours.shipped import NAMES, title_of
from viz.tours.tour import Stop, Tour
from viz.tours.visiting import number_in
from viz.wording.labels import escape_markdown

ADD, EDIT = "add", "edit"
MENU = "tours"


def tour_menu() -> None:
    """The menu that opens a tour or adds to the user's own."""
    mine = [OWN_TOUR] if custom_tour.draft().tour else []
    st.menu_button(
        "Tours",
        [*NAMES, *mine, ADD, EDIT],
        format_func=_entry,
        key=MENU,
        on_click=_choose,
        help="Talks in stops: those that ship, and your own.",
    )


def tour_panel() -> DeltaGenerator | None:
    """The current stop, if a tour is open, and the editor. Returns the place of the stop's claims."""
    selection = session.current()
    tour, stop = shown_tour(selection), shown_stop(selection)
    place = None
    if tour is not None and stop is not None:
        with st.container(border=True, key="tour"):
            place = _stop(tour, stop, number_in(tour, selection.stop))
    if selection.tour == OWN_TOUR and custom_tour.draft().problem is not None:
        st.error(escape_markdown(f"Your tour cannot be read. {custom_tour.draft().problem}"))
    elif selection.tour and tour is None:
        _warn_missing(selection.tour)
    draw_editor()
    return place


def _entry(option: str) -> str:
    if option == OWN_TOUR:
        tour = custom_tour.draft().tour
        return f"Yours: {tour.title if tour else ''}"
    actions = {ADD: "Add this page as a stop", EDIT: "Write, open or save your own …"}
    return actions.get(option) or title_of(option)


def _choose() -> None:
    option = st.session_state[MENU]
    if option == ADD:
        custom_tour.add_stop()
    elif option == EDIT:
        open_editor()
    elif option is not None:
        open_tour(option)


def _warn_missing(name: str) -> None:
    if name != OWN_TOUR:
        st.warning(escape_markdown(f"There is no tour {name[:60]!r}: choose one of the list."))
    elif custom_tour.draft().history:
        st.warning("The tour of this link is not stored in this browser: open its file.")


def _stop(tour: Tour, stop: Stop, number: int) -> DeltaGenerator:
    answered = is_answered(session.current())
    with st.container(key="tour_head", horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(f"{escape_markdown(tour.title)} · {number} of {len(tour.stops)}", width="stretch")
        slides_button(tour, key="tour_slides", small=True)
        label = "Close the tour"
        st.button(label, key="tour_close", icon=":material/close:", type="tertiary", on_click=close_tour, help=label)
    # Above the texts, so that the buttons do not move between stops.
    with st.container(horizontal=True, gap="xsmall"):
        st.button("Back", key="tour_back", on_click=go_to, args=(number - 1,), disabled=number == 1)
        st.button(
            "Next" if answered else "Answer",
            key="tour_next",
            type="primary",
            on_click=next_press,
            disabled=answered and number == len(tour.stops),
        )
        if session.current().tour == OWN_TOUR:
            st.button("Edit", key="tour_edit", on_click=open_editor)
            help = "Adds what the page shows as the next stop."
            st.button("Add this", key="tour_add", on_click=custom_tour.add_stop, help=help)
        else:
            help = "Makes a copy of it your tour. One that you have now comes back with Undo."
            st.button("Edit", key="tour_edit", on_click=_edit_copy, args=(tour,), help=help)
    st.markdown(f"#### {escape_markdown(stop.title)}")
    if number == 1 and tour.words:
        st.caption(tour.words)
    draw_stop(stop, answered=answered)
    return st.container(key="tour_claims")


def _edit_copy(tour: Tour) -> None:
    custom_tour.change(write_tour(tour), stop=session.current().stop)
    open_editor()
