"""The menu of tours, which the page calls lessons, and the panel of the current stop."""

from __future__ import annotations

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.page.slides_file import file_button, slides_button
from viz.page.tours import custom_tour
from viz.page.tours.custom_tour import Draft, is_own
from viz.page.tours.editor import NOT_STORED, draw_editor, open_editor
from viz.page.tours.navigation import (
    close_tour,
    draw_stop,
    go_back,
    is_answered,
    next_press,
    open_tour,
    shown_stop,
    shown_tour,
)
from viz.state import session
from viz.tours.files import with_entry, write_tour
from viz.tours.shipped import NAMES, title_of
from viz.tours.tour import Stop, Tour
from viz.tours.visiting import number_in
from viz.wording.labels import escape_markdown

ADD, BEGIN, EDIT = "add", "begin", "edit"
MENU = "tours"
MORE = "tour_more"


def tour_menu() -> None:
    """The menu that opens a tour or adds to the user's own ones."""
    labels = {name: title_of(name) for name in NAMES} | _own_titles()
    now = custom_tour.draft()
    labels[ADD] = f"Add this page to “{_title(now)}”" if now.text else "Start a lesson with this page"
    if custom_tour.drafts():
        labels[BEGIN] = "Start another lesson with this page"
    labels[EDIT] = "Write or open a lesson …"
    help = "Ready-made lessons, and your own."
    st.menu_button("Lessons", list(labels), format_func=labels.__getitem__, key=MENU, on_click=_choose, help=help)


def tour_panel() -> DeltaGenerator | None:
    """The current stop, if a tour is open, and the editor. Returns the place of the stop's claims."""
    selection = session.current()
    tour, stop = shown_tour(selection), shown_stop(selection)
    place = None
    if tour is not None and stop is not None:
        with st.container(border=True, key="tour"):
            place = _stop(tour, stop, number_in(tour, selection.stop))
    if is_own(selection.tour) and custom_tour.draft().problem is not None:
        st.error(escape_markdown(f"Your lesson cannot be read. {custom_tour.draft().problem}"))
    elif selection.tour and tour is None:
        _warn_missing(selection.tour)
    draw_editor()
    return place


def _own_titles() -> dict[str, str]:
    """What the menu calls the user's tours, by their name; a title that occurs again is numbered."""
    labels = dict[str, str]()
    for name, draft in custom_tour.drafts().items():
        label = f"Mine: {_title(draft)}"
        count = sum(each == label or each.startswith(f"{label} (") for each in labels.values())
        labels[name] = f"{label} ({count + 1})" if count else label
    return labels


def _title(draft: Draft) -> str:
    return draft.tour.title if draft.tour else "unreadable"


def _choose() -> None:
    option = st.session_state[MENU]
    if option == ADD:
        custom_tour.add_stop()
    elif option == BEGIN:
        custom_tour.begin_with_page()
    elif option == EDIT:
        open_editor()
    elif option is not None:
        open_tour(option)


def _warn_missing(name: str) -> None:
    if not is_own(name):
        st.warning(escape_markdown(f"There is no lesson {name[:60]!r}: choose one of the list."))
    elif custom_tour.draft().history:
        st.warning(
            "This link leads to a lesson that is not stored in this browser. If you have its file, open it: choose "
            "**Write or open a lesson** under **Lessons**."
        )


def _stop(tour: Tour, stop: Stop, number: int) -> DeltaGenerator:
    answered = is_answered(session.current())
    with st.container(key="tour_head", horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(f"{escape_markdown(tour.title)} · {number} of {len(tour.stops)}", width="stretch")
        _more(tour)
        label = "Close the lesson"
        st.button(label, key="tour_close", icon=":material/close:", type="tertiary", on_click=close_tour, help=label)
    # Above the texts, so that the buttons do not move between stops.
    with st.container(horizontal=True, gap="xsmall"):
        st.button("Back", key="tour_back", on_click=go_back, disabled=number == 1)
        st.button(
            "Next" if answered else "Answer",
            key="tour_next",
            type="primary",
            on_click=next_press,
            disabled=answered and number == len(tour.stops),
        )
        if is_own(session.current().tour):
            st.button("Edit", key="tour_edit", on_click=open_editor)
            st.button("Add this page", key="tour_add", on_click=custom_tour.add_stop)
    if is_own(session.current().tour) and custom_tour.is_refused():
        st.warning(NOT_STORED)
        file_button(tour.title, write_tour(tour), key="tour_save_refused")
    if is_own(session.current().tour) and not session.current().shows_decoder:
        _pinned_cell_buttons()
    st.markdown(f"#### {escape_markdown(stop.title)}")
    if number == 1 and tour.words:
        st.caption(tour.words)
    draw_stop(stop, answered=answered)
    return st.container(key="tour_claims")


def _pinned_cell_buttons() -> None:
    """Buttons that make the pinned cell a point or a claim of the current stop. The card does not rerun for a pin."""
    with st.container(horizontal=True, gap="xsmall"):
        help = "This stop rings the selected cell in its answer."
        st.button("Point at the cell", key="tour_point", on_click=_add_pinned, args=("points",), help=help)
        help = "This stop checks the weight of the selected cell, on whatever model runs."
        st.button("Claim its weight", key="tour_claim", on_click=_add_pinned, args=("claims",), help=help)


def _add_pinned(name: Literal["points", "claims"]) -> None:
    """Add the pinned cell to the current stop."""
    from viz.page.tours.pinned import pinned_claim, pinned_point  # imports torch

    selection = session.current()
    entry = pinned_point(selection) if name == "points" else pinned_claim(selection)
    if entry is None:
        st.toast("Select a cell first: click one in the heat map.")
    else:
        custom_tour.change(with_entry(custom_tour.draft().text, selection.stop, name, entry))


def _more(tour: Tour) -> None:
    """What can be done with the whole tour."""
    with st.popover("More", type="tertiary", key=MORE, on_change="rerun"):
        slides_button(tour, key="tour_slides")
        file_button(tour.title, write_tour(tour), key="tour_save_file")
        st.caption("A link carries the page, not the lesson: to share a lesson, send its file or its slides.")
        if is_own(session.current().tour):
            st.button(
                "Delete from this browser", key="tour_delete", icon=":material/delete:", on_click=custom_tour.delete
            )
        else:
            st.button("Edit a copy", key="tour_edit", icon=":material/edit:", on_click=_edit_copy, args=(tour,))


def _edit_copy(tour: Tour) -> None:
    custom_tour.begin(write_tour(tour), stop=session.current().stop)
    session.set_value(MORE, False)
    open_editor()
