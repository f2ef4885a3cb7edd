"""The editor of the user's tour: a form of the shown stop, or its Markdown, next to a preview."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder.errors import TourError
from viz.page.slides_file import file_button, slides_button
from viz.page.tours import custom_tour
from viz.page.tours.custom_tour import EDITOR, Draft, draft
from viz.page.tours.navigation import draw_stop, go_to
from viz.state import session
from viz.tours.files import parse_tour, write_tour
from viz.tours.grammar import format_claim
from viz.tours.tour import Tour
from viz.tours.visiting import number_in
from viz.widgets import uploaded
from viz.wording.labels import escape_markdown

FILE = "tour_file"
MOST_MEGABYTES = 1
HEIGHT = 460  # pixels
NOT_STORED = "This browser could not store your last change: **save the file**, or it is lost when this tab closes."
HELP = """
`# ` begins the title of the lesson, `## ` that of a stop. A stop's block says what the page shows, as a link does; it
may have a `question`, an `answer`, `notes` for the speaker, `points` such as `cell("flies" -> "fruit")`, and `claims`
such as `weight(layer=0, head=4, "flies" -> "fruit") > 0.5`. An arrow is `->`, `→` or `>`. Words for the audience follow
the block.
"""


AS, FORM, MARKDOWN = "tour_as", "Form", "Markdown"
REFUSED = "tour_refused"  # in the session: why the last typed texts of the form cannot be applied
WARNED = "tour_warned"  # in the session: the refusal for which the editor has stayed open
LESSON_TITLE, TITLE = "lesson", "title"
FIELDS: Final[Mapping[str, str]] = {
    LESSON_TITLE: "Title of the lesson",
    TITLE: "Title of this stop: what it finds",
    "question": "Question",
    "answer": "Answer",
    "words": "Words for the audience",
    "notes": "Notes for the speaker",
}
Drawn = tuple[str, int, int]  # the tour that a form shows, its revision, and the index of the stop


def open_editor() -> None:
    """Open the editor: the callback of a button."""
    st.session_state[EDITOR] = True


def draw_editor() -> None:
    """The editor, if it is open. Every run has to render it, because a run without it closes it."""
    if EDITOR in st.session_state:
        st.dialog("Your lesson", width="large", on_dismiss=_close)(_editor)(_page_state())


def _close() -> None:
    """Close the editor. It stays open once for texts that are refused, because they are lost with it."""
    refused = st.session_state.get(REFUSED)
    if refused != st.session_state.get(WARNED):
        st.session_state[WARNED] = refused
        st.rerun()
    for name in (EDITOR, REFUSED, WARNED):
        st.session_state.pop(name, None)


def _page_state() -> object:
    """What of the tour reruns the page: not its texts, because a browser closes a dialog during a run of the page."""
    return draft().name, session.current().stop


def _editor(drawn: object) -> None:
    """The content of the dialog, a fragment; `drawn` is the `_page_state` of the whole page."""
    if EDITOR not in st.session_state or _page_state() != drawn:
        st.rerun()
    custom_tour.store_draft()
    now = draft()
    _actions(now)
    if custom_tour.is_refused():
        st.warning(NOT_STORED)
    left, right = st.columns((3, 2), gap="medium")
    with left:
        if now.tour is not None and now.problem is None:
            row = st.container(horizontal=True, vertical_alignment="center", gap="xsmall")
            if REFUSED in st.session_state or AS not in st.session_state:
                st.session_state[AS] = FORM
            row.segmented_control("Edit as", (FORM, MARKDOWN), required=True, key=AS, label_visibility="collapsed")
            if st.session_state[AS] == FORM:
                _form(now, now.tour, row)
        if now.tour is None or now.problem is not None or st.session_state[AS] == MARKDOWN:
            key = _key(now)
            st.text_area(
                "Markdown",
                now.text,
                key=key,
                height=HEIGHT,
                on_change=partial(_apply_typed, key),
                help=HELP,
                placeholder="# Title of the lesson\n\n## Title of a stop\n\nWords for the audience.",
            )
    with right, st.container(height=HEIGHT, border=False, gap="xxsmall"):
        _preview(now)


def _form(now: Draft, tour: Tour, row: DeltaGenerator) -> None:
    """The texts of the lesson's shown stop and, in a row, what can be done with it."""
    number = _shown(now, tour) - 1
    stop, drawn = tour.stops[number], (now.name, now.revision, number)

    last = len(tour.stops) - 1
    with row:
        for action, icon, enabled in (
            ("Up", ":material/arrow_upward:", number > 0),
            ("Down", ":material/arrow_downward:", number < last),
            ("Duplicate", ":material/content_copy:", True),
            ("Delete", ":material/delete:", last > 0),
        ):
            key = f"form_{action.lower()}"
            st.button(action, key=key, icon=icon, on_click=_arrange, args=(drawn, action), disabled=not enabled)
    if refused := st.session_state.get(REFUSED):
        st.error(escape_markdown(refused))
    for name, label in FIELDS.items():
        key, value = _field_key(drawn, name), tour.title if name == LESSON_TITLE else getattr(stop, name)
        if not refused:
            session.set_value(key, value)
        if name in (LESSON_TITLE, TITLE):
            st.text_input(label, key=key, on_change=_apply_form, args=(drawn,))
        else:
            st.text_area(label, key=key, height="content", on_change=_apply_form, args=(drawn,))


def _shown(now: Draft, tour: Tour) -> int:
    """The stop that the form shows, counted from 1."""
    selection = session.current()
    return number_in(tour, selection.stop) if selection.tour == now.name else 1


def _field_key(drawn: Drawn, name: str) -> str:
    """The key of a field, which stays while its stop does: the focus is in the next one when a text arrives."""
    tour, _, number = drawn
    return f"tour_form_{name}_{tour}_{number}"


def _apply_form(drawn: Drawn) -> None:
    """Apply the texts of a form, unless another change has come first."""
    now = draft()
    name, revision, number = drawn
    if (name, revision) != (now.name, now.revision) or now.tour is None:
        return
    typed = {name: st.session_state[_field_key(drawn, name)] for name in FIELDS}
    title = typed.pop(LESSON_TITLE)
    stops = list(now.tour.stops)
    stops[number] = replace(stops[number], **typed)
    text = write_tour(replace(now.tour, title=title, stops=tuple(stops)))
    try:
        parse_tour(text)
    except TourError as error:
        st.session_state[REFUSED] = str(error).partition(": ")[2]  # the line is of no text that the form shows
    else:
        for name in (REFUSED, WARNED):
            st.session_state.pop(name, None)
        custom_tour.change(text)


def _arrange(drawn: Drawn, action: str) -> None:
    """Apply the typed texts, and move, duplicate or delete the shown stop: after an earlier press, the one of now."""
    _apply_form(drawn)
    now = draft()
    if now.tour is None or REFUSED in st.session_state:
        return
    stops, number = list(now.tour.stops), _shown(now, now.tour) - 1
    stop = stops.pop(number)
    place, put = {
        "Up": (number - 1, [stop]),
        "Down": (number + 1, [stop]),
        "Duplicate": (number, [stop, stop]),
        "Delete": (number, []),
    }[action]
    if 0 <= place <= len(stops) and (stops or put):
        stops[place:place] = put
        custom_tour.change(write_tour(replace(now.tour, stops=tuple(stops))), stop=place + max(len(put), 1))


def _key(now: Draft) -> str:
    """The key of the text area, which is new for every text that was not typed."""
    return f"tour_text_{now.name}_{now.revision}"


def _apply_typed(key: str | None = None) -> None:
    """Apply the text typed into the current text area, or into that of a key, unless another one has replaced it."""
    current = _key(draft())
    if key in (None, current) and current in st.session_state:
        custom_tour.change(st.session_state[current], is_typed=True)


def _after_typing(act: Callable[..., None], *args: int) -> None:
    """The callback of a button whose click first applies the typed text, and does no more if that is refused."""
    _apply_typed()
    if REFUSED not in st.session_state:
        act(*args)


def _actions(now: Draft) -> None:
    """The buttons that change the text or save it."""

    def button(label: str, key: str, icon: str, act: Callable[..., None], *args: int, enabled: bool = True) -> None:
        st.button(label, key=key, icon=icon, on_click=_after_typing, args=(act, *args), disabled=not enabled)

    with st.container(horizontal=True, gap="xsmall"):
        button("Add this page", "tour_add_page", ":material/add:", custom_tour.add_stop)
        button("Undo", "tour_undo", ":material/undo:", custom_tour.step, -1, enabled=now.at > 0)
        can_redo = now.at + 1 < len(now.history)
        button("Redo", "tour_redo", ":material/redo:", custom_tour.step, 1, enabled=can_redo)
        with st.popover("Open", icon=":material/folder_open:"):
            st.file_uploader("A lesson (.md)", ["md"], key=FILE, on_change=_open, max_upload_size=MOST_MEGABYTES)
            st.caption("It joins your lessons. Nothing in the file is run, and no model is loaded.")
        asked = custom_tour.save_asked_for()
        file_button(now.tour.title if now.tour else "", now.text, key=f"tour_save_{asked}")
        if now.tour:
            slides_button(now.tour, key=f"tour_save_slides_{asked}")


def _open() -> None:
    """Begin a tour with the text of a file; the editor shows any errors in it."""
    if file := uploaded(FILE):
        _apply_typed()
        custom_tour.begin(file.getvalue().decode("utf-8-sig", errors="replace"))
        if draft().problem is None:
            go_to(1)


def _preview(now: Draft) -> None:
    """Any error in the current text, and the stops of the last readable text, with all texts of the shown one."""
    if now.problem is not None:
        st.error(escape_markdown(str(now.problem)))
        st.code(now.text.split("\n")[now.problem.line - 1], language=None)
    if now.tour is None:
        return
    st.markdown(f"**{escape_markdown(now.tour.title)}**")
    st.caption(now.tour.words)
    selection = session.current()
    shown = number_in(now.tour, selection.stop) if selection.tour == now.name else 0
    for number, stop in enumerate(now.tour.stops, 1):
        label = f"{number} · {escape_markdown(stop.title)}"
        label = f"**{label}**" if number == shown else label
        args = (_show_stop, number)
        st.button(label, key=f"tour_stop_{number}", type="tertiary", on_click=_after_typing, args=args)
        if number == shown:
            with st.container(border=True):
                draw_stop(stop, answered=True)
                for claim in stop.claims:
                    st.caption(f":material/rule: {escape_markdown(format_claim(claim))}")
                if stop.notes:
                    st.caption(f":material/speaker_notes: {stop.notes}")


def _show_stop(number: int) -> None:
    session.change(tour=draft().name)
    go_to(number)
