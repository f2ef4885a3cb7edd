"""The editor of the user's tour: its Markdown next to a preview."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from viz.page.slides_file import file_button, slides_button
from viz.page.tours import custom_tour
from viz.page.tours.custom_tour import EDITOR, Draft, draft
from viz.page.tours.navigation import draw_stop, go_to
from viz.state import session
from viz.tours.grammar import format_claim
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


def open_editor() -> None:
    """Open the editor: the callback of a button."""
    st.session_state[EDITOR] = True


def draw_editor() -> None:
    """The editor, if it is open. Every run has to render it, because a run without it closes it."""
    if EDITOR in st.session_state:
        st.dialog("Your lesson", width="large", on_dismiss=_close)(_editor)(_page_state())


def _close() -> None:
    st.session_state.pop(EDITOR, None)


def _page_state() -> object:
    """What the rest of the page shows of the tour: the last text that was not typed, and the stop."""
    return draft().name, draft().revision, session.current().stop


def _editor(drawn: object) -> None:
    """The content of the dialog, a fragment; `drawn` is the `_page_state` of the whole page."""
    if EDITOR not in st.session_state or _page_state() != drawn:
        st.rerun()
    now = draft()
    _actions(now)
    if custom_tour.is_refused():
        st.warning(NOT_STORED)
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
            placeholder="# Title of the lesson\n\n## Title of a stop\n\nWords for the audience.",
        )
    with right, st.container(height=HEIGHT, border=False, gap="xxsmall"):
        _preview(now)


def _key(now: Draft) -> str:
    """The key of the text area, which is new for every text that was not typed."""
    return f"tour_text_{now.name}_{now.revision}"


def _apply_typed(key: str | None = None) -> None:
    """Apply the text typed into the current text area, or into that of a key, unless another one has replaced it."""
    current = _key(draft())
    if key in (None, current) and current in st.session_state:
        custom_tour.change(st.session_state[current], is_typed=True)


def _after_typing(act: Callable[..., None], *args: int) -> None:
    """The callback of a button whose click first applies the typed text."""
    _apply_typed()
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
        file_button(now.tour.title if now.tour else "", now.text, key="tour_save")
        if now.tour:
            slides_button(now.tour, key="tour_save_slides")


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
