"""The dialogs in which a tour is edited, saved and opened."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal

import streamlit as st

from encoder.errors import TourError
from viz.page.tours import own
from viz.page.tours.shown import go_to
from viz.page.tours.slides import slides_button
from viz.state import session
from viz.tours import edits
from viz.tours.files import read_tour, write_tour
from viz.tours.grammar import GrammarError
from viz.tours.texts import TextError, file_name_of
from viz.tours.tour import Tour
from viz.tours.visiting import number_in
from viz.wording.labels import escape_markdown

Dialog = Literal["edit", "open"]
DIALOG = "tour_dialog"
REFUSED = "tour_refused"  # what was typed and cannot be kept: the text and why, by the field
FILE = "tour_file"
STOPS = "tour_stops"
MOST_MEGABYTES = 1
Kind = Literal["input", "area"]
EditText = Callable[[Tour, str], Tour]  # a tour with the text of a field
TOUR_FIELDS: Mapping[str, tuple[str, Kind]] = {
    "title": ("Title of the tour", "input"),
    "words": ("Words that introduce it", "area"),
}
FIELDS: Mapping[str, tuple[str, Kind]] = {
    "title": ("Title", "input"),
    "words": ("Words", "area"),
    "question": ("Question, shown first", "area"),
    "answer": ("Its answer", "area"),
    "points": ("Points, one in each line", "area"),
    "claims": ("Claims, one in each line", "area"),
    "notes": ("Notes for the speaker", "area"),
}
FIELD_KEY = re.compile(r"(?:tour_text|stop_(?P<stop>[0-9]{1,3}))_(?P<name>[a-z]+)")
HELP = {
    "words": "Markdown without HTML and pictures.",
    "points": 'cell("flies" -> "fruit"), line("flies" -> "fruit"), token("flies") or head(layer=0, head=4).',
    "claims": 'Such as weight(layer=0, head=4, "flies" -> "fruit") > 0.5. docs/tours.md has all of them.',
}


def open_dialog(dialog: Dialog) -> None:
    """Show a dialog from the next run on, until it is closed: the callback of a button."""
    st.session_state[DIALOG] = dialog


def draw_dialog() -> None:
    """The dialog that is open, if one is. It is drawn with every run, so that none closes it."""
    dialog = st.session_state.get(DIALOG)
    if dialog == "open":
        st.dialog("Open a tour", on_dismiss=_close)(_open)()
    elif dialog == "edit" and own.own().tour is not None:
        st.dialog("Edit the tour", width="large", on_dismiss=_close)(_edit)()


def _close() -> None:
    st.session_state.pop(DIALOG, None)


def _open() -> None:
    """Choose a file."""
    st.file_uploader("A tour (.md)", type=["md"], key=FILE, on_change=_read_file, max_upload_size=MOST_MEGABYTES)
    problem = st.session_state.get(REFUSED, {}).get(FILE)
    if problem:
        st.error(escape_markdown(problem))
    st.caption("It replaces a tour of yours, which comes back with Undo. Nothing in it is run, and no model is loaded.")
    if DIALOG not in st.session_state:
        st.rerun()


def _read_file() -> None:
    uploaded = st.session_state[FILE]
    refused: dict[str, str] = st.session_state.setdefault(REFUSED, {})
    refused.pop(FILE, None)
    if uploaded is None:
        return
    try:
        tour = read_tour(uploaded.getvalue())
    except TourError as error:
        refused[FILE] = f"{uploaded.name}: {error}"
        return
    own.open_copy(tour)
    go_to(1)
    _close()


def _edit() -> None:
    """The tour's own texts, its stops, and the texts of the stop that is shown."""
    tour = own.own().tour
    if tour is None:
        st.rerun()
    with st.container(horizontal=True):
        st.button("Undo", key="tour_undo", icon=":material/undo:", on_click=_undo, disabled=not own.own().before)
        st.download_button(
            "Save as a file",
            write_tour(tour),
            file_name=f"{file_name_of(tour.title)}.md",
            mime="text/markdown",
            icon=":material/download:",
            on_click="ignore",
            key="tour_save",
        )
        slides_button(tour, key="tour_save_slides")
    if own.own().problem:
        st.error(escape_markdown(own.own().problem))
    _tour_field("title", tour.title)
    _tour_field("words", tour.words)
    left, right = st.columns((1, 2), gap="medium")
    index = number_in(tour, session.current().stop) - 1
    with left:
        _list(tour, index)
    with right:
        for name in FIELDS:
            _stop_field(name, tour, index)
    if not own.is_sent():
        st.rerun()  # this dialog is a fragment, and the rest of the page sends the tour


def _list(tour: Tour, index: int) -> None:
    """The stops, of which one is chosen, and what can be done with it."""
    st.radio(
        "Stops",
        range(len(tour.stops)),
        format_func=lambda at: f"{at + 1} · {escape_markdown(tour.stops[at].title)}",
        key=STOPS,
        on_change=_show_chosen,
        **session.shown(STOPS, index, {"index": index}),
    )
    with st.container(horizontal=True):
        last = len(tour.stops) - 1
        _action("up", "Earlier", ":material/arrow_upward:", _earlier, index, shown=index, disabled=index == 0)
        _action("down", "Later", ":material/arrow_downward:", _later, index, shown=index + 2, disabled=index == last)
        _action("copy", "Duplicate", ":material/content_copy:", edits.duplicated, index, shown=index + 2)
        _action("delete", "Delete", ":material/delete:", edits.without_stop, index, shown=index + 1)
    st.button("Add what the page shows", key="tour_edit_add", on_click=own.add_stop)
    st.button(
        "Let this stop show what the page shows",
        key="tour_update",
        on_click=own.update_stop,
        help="Its texts, points and claims stay as they are.",
    )


def _show_chosen() -> None:
    chosen = st.session_state[STOPS]
    if isinstance(chosen, int):  # else the browser named a stop by the title that it had before
        go_to(chosen + 1)


def _action(
    name: str,
    label: str,
    icon: str,
    edit: Callable[[Tour, int], Tour | None],
    index: int,
    *,
    shown: int,
    disabled: bool = False,
) -> None:
    """A button that changes the list at a stop, unless a click of the same moment has deleted it.

    Args:
        index: of the stop, counted from 0.
        shown: the stop that is shown after the change, counted from 1.
    """

    def act() -> None:
        own.change(lambda tour: edit(tour, index) if tour and index < len(tour.stops) else tour, stop=shown)

    st.button(label, key=f"tour_{name}", icon=icon, on_click=act, disabled=disabled)


def _earlier(tour: Tour, index: int) -> Tour:
    return edits.moved(tour, index, -1)


def _later(tour: Tour, index: int) -> Tour:
    return edits.moved(tour, index, 1)


def _undo() -> None:
    st.session_state.pop(REFUSED, None)
    own.undo()


def restore_draft(key: str, text: str) -> None:
    """Take up what stood in a field when the page was loaded again, and show the editor."""
    edit = _edit_of_field(key)
    if edit is None:
        return
    st.session_state[key] = text
    _apply(key, edit)
    if key not in st.session_state[REFUSED]:
        del st.session_state[key]  # the tour has it; Streamlit warns of a field that has a first value and is put one
    open_dialog("edit")


def _edit_of_field(key: str) -> EditText | None:
    """What a field's text changes; None where the tour has no such field."""
    tour = own.own().tour
    match = FIELD_KEY.fullmatch(key)
    if tour is None or match is None:
        return None
    name = match["name"]
    if match["stop"] is None:
        return _tour_edit(name) if name in TOUR_FIELDS else None
    index = int(match["stop"])
    return _stop_edit(name, tour, index) if name in FIELDS and index < len(tour.stops) else None


def _tour_edit(name: str) -> EditText:
    return lambda tour, text: edits.with_tour_text(tour, name, text)


def _stop_edit(name: str, drawn: Tour, index: int) -> EditText:
    """Changes a text of the stop that the editor has drawn at an index.

    A click of the same moment may have moved that stop, which is followed, or deleted it, and nothing changes then.
    """

    def edit(tour: Tour, text: str) -> Tour:
        places = [place for place, stop in enumerate(tour.stops) if stop == drawn.stops[index]]
        if not places and len(tour.stops) < len(drawn.stops):
            return tour
        place = places[0] if places and index not in places else index
        return edits.with_stop_text(tour, place, name, text)

    return edit


def _tour_field(name: str, value: str) -> None:
    label, kind = TOUR_FIELDS[name]
    _field(f"tour_text_{name}", label, value, kind, _tour_edit(name))


def _stop_field(name: str, tour: Tour, index: int) -> None:
    label, kind = FIELDS[name]
    edit = _stop_edit(name, tour, index)
    _field(f"stop_{index}_{name}", label, edits.text_of(tour.stops[index], name), kind, edit, HELP.get(name))


def _field(key: str, label: str, value: str, kind: Kind, edit: EditText, help: str | None = None) -> None:
    """A field that changes the tour when it is left. What the tour cannot hold stays in it, and is told."""
    refused: dict[str, str] = st.session_state.setdefault(REFUSED, {})
    first = {} if key in refused else session.shown(key, value, {"value": value})
    draw = st.text_input if kind == "input" else st.text_area
    draw(label, key=key, on_change=lambda: _apply(key, edit), help=help, **first)
    if key in refused:
        st.error(escape_markdown(f"Not kept yet: {refused[key]}"))


def _apply(key: str, edit: EditText) -> None:
    """Change the tour as a field says."""
    refused: dict[str, str] = st.session_state.setdefault(REFUSED, {})
    refused.pop(key, None)
    text = st.session_state[key]
    try:
        own.change(lambda tour: tour and edit(tour, text))
    except (GrammarError, TextError) as error:
        refused[key] = str(error.args[0])
