"""The editor of the user's tour: its Markdown next to a preview."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from viz.page.slides_file import slides_button
from viz.page.tours import custom_tour
from viz.page.tours.custom_tour import EDITOR, Draft, draft
from viz.page.tours.navigation import draw_stop, go_to
from viz.state import session
from viz.state.selection import OWN_TOUR
from viz.tours.grammar import format_claim
from viz.tours.texts import file_name_of
from viz.tours.tour import Stop
from viz.tours.visiting import number_in
from viz.wording.labels import escape_markdown

FILE = "tour_file"
MOST_MEGABYTES = 1
HEIGHT = 460  # pixels
HELP = """
`# ` begins the title of the tour, `## ` that of a stop. A stop's block says what the page shows, as a link does; it may
have a `question`, an `answer`, `notes` for the speaker, `points` such as `cell("flies" -> "fruit")`, and `claims`
such as `weight(layer=0, head=4, "flies" -> "fruit") > 0.5`. Words for the audience follow the block.
"""


def open_editor() -> None:
    """Open the editor: the callback of a button."""
    st.session_state[EDITOR] = True


def draw_editor() -> None:
    """The editor, if it is open. Every run has to render it, because a run without it closes it."""
    if EDITOR in st.session_state:
        st.dialog("Your tour", width="large", on_dismiss=_close)(_editor)()


def _close() -> None:
    st.session_state.pop(EDITOR, None)


def _editor() -> None:
    if EDITOR not in st.session_state or not custom_tour.is_sent():
        st.rerun()  # the dialog is a fragment, and the change concerns the whole page
    now = draft()
    _actions(now)
    left, right = st.columns((3, 2), gap="medium")
    with left:
        key = _key(now)
        st.text_area(
            "Markdown",
            now.text,
            key=key,
            height=HEIGHT,
            on_change=partial(_apply_typed, key),
            help=HELP,
            placeholder="# Title of the tour\n\n## Title of a stop\n\nWords for the audience.",
        )
    with right, st.container(height=HEIGHT, border=False, gap="xxsmall"):
        _preview(now)


def _key(now: Draft) -> str:
    """The key of the text area, which is new for every text that was not typed."""
    return f"tour_text_{now.revision}"


def _apply_typed(key: str) -> None:
    """Apply the text typed into the text area with a key, unless another one has replaced it."""
    if key == _key(draft()) and key in st.session_state:
        custom_tour.change(st.session_state[key], is_typed=True)


def _actions(now: Draft) -> None:
    """The buttons that change the text or save it."""
    with st.container(horizontal=True, gap="xsmall"):
        _button("Add this page", "add_page", "add", custom_tour.add_stop)
        _button("Undo", "undo", "undo", custom_tour.step, -1, disabled=now.at == 0)
        _button("Redo", "redo", "redo", custom_tour.step, 1, disabled=now.at + 1 >= len(now.history))
        with st.popover("Open", icon=":material/folder_open:"):
            st.file_uploader("A tour (.md)", ["md"], key=FILE, on_change=_open, max_upload_size=MOST_MEGABYTES)
            st.caption("Your tour comes back with Undo. Nothing in the file is run, and no model is loaded.")
        st.download_button(
            "Save",
            now.text.encode(),
            file_name=f"{file_name_of(now.tour.title if now.tour else '')}.md",
            mime="text/markdown",
            icon=":material/download:",
            on_click="ignore",
            key="tour_save",
        )
        if now.tour:
            slides_button(now.tour, key="tour_save_slides")


def _button(label: str, name: str, icon: str, act: Callable[..., None], *args: int, disabled: bool = False) -> None:
    """A button whose click first applies the typed text."""

    def act_on_typed() -> None:
        _apply_typed(_key(draft()))
        act(*args)

    st.button(label, key=f"tour_{name}", icon=f":material/{icon}:", on_click=act_on_typed, disabled=disabled)


def _open() -> None:
    """Replace the text with that of a file; the editor shows any errors in it."""
    if st.session_state[FILE] is not None:
        _apply_typed(_key(draft()))
        custom_tour.change(st.session_state[FILE].getvalue().decode("utf-8-sig", errors="replace"), stop=1)
        if draft().problem is None:
            go_to(1)


def _preview(now: Draft) -> None:
    """The stops of the last readable text, with all texts of the current one; and any error in the current text."""
    if now.problem is not None:
        st.error(escape_markdown(str(now.problem)))
        st.code(now.text.split("\n")[now.problem.line - 1], language=None)
    if now.tour is None:
        return
    st.markdown(f"**{escape_markdown(now.tour.title)}**")
    st.caption(now.tour.words)
    selection = session.current()
    shown = number_in(now.tour, selection.stop) if selection.tour == OWN_TOUR else 0
    for number, stop in enumerate(now.tour.stops, 1):
        label = f"{number} · {escape_markdown(stop.title)}"
        label = f"**{label}**" if number == shown else label
        st.button(label, key=f"tour_stop_{number}", type="tertiary", on_click=_show_stop, args=(number,))
        if number == shown:
            with st.container(border=True):
                draw_stop(stop, answered=True)
                _draw_rest(stop)


def _draw_rest(stop: Stop) -> None:
    """The claims and notes of a stop, which presentation mode does not show as text."""
    for claim in stop.claims:
        st.caption(f":material/rule: {escape_markdown(format_claim(claim))}")
    if stop.notes:
        st.caption(f":material/speaker_notes: {stop.notes}")


def _show_stop(number: int) -> None:
    _apply_typed(_key(draft()))
    session.change(tour=OWN_TOUR)
    go_to(number)
