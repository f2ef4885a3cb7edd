"""The tour that the user writes: its Markdown, the parsed tour, and its history."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from encoder.errors import TourError
from viz.components.wires import kept_tour
from viz.state import session
from viz.state.codecs import without_lone_surrogates
from viz.state.selection import OWN_TOUR
from viz.tours.files import parse_tour, stop_lines, with_stop
from viz.tours.tour import Tour
from viz.tours.visiting import number_in, state_of

DRAFT = "tour_draft"
EDITOR = "tour_editor"  # in the session while the editor is open
MOST_UNDONE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The tour that the user writes.

    Attributes:
        history: its texts in Markdown, "" for none; empty until the browser has sent the stored text.
        at: the index of the current text.
        revision: the number of changes that were not typed.
        tour: the parsed text, or the last one that could be parsed; None for none.
        problem: why the text cannot be parsed.
    """

    history: tuple[str, ...] = ()
    at: int = 0
    revision: int = 0
    tour: Tour | None = None
    problem: TourError | None = None

    @property
    def text(self) -> str:
        return self.history[self.at] if self.history else ""


def draft() -> Draft:
    """The user's current tour."""
    found: Draft = st.session_state.setdefault(DRAFT, Draft())
    return found


def change(text: str, *, stop: int | None = None, is_typed: bool = False) -> None:
    """Change the text, and show a stop, counted from 1; None for the current one. The view stays."""
    now, text = draft(), _cleaned(text)
    if not is_typed or text != now.text:
        history = (*(now.history[: now.at + 1] or ("",)), text)[-MOST_UNDONE:]
        _set_current(history, len(history) - 1, is_typed=is_typed)
        _show(stop)


def step(by: int) -> None:
    """Undo (-1) or redo (1) a change, if there is one."""
    now = draft()
    if 0 <= now.at + by < len(now.history):
        _set_current(now.history, now.at + by)
        _show()


def add_stop() -> None:
    """Add the page as a stop: after the current stop, or as the last one."""
    selection, text = session.current(), draft().text
    count = len(stop_lines(text))
    after = selection.stop if selection.tour == OWN_TOUR and 1 <= selection.stop <= count else count
    change(with_stop(text, state_of(selection), after), stop=after + 1)


def store_draft() -> None:
    """Mount the component that stores the text in the browser; shows nothing."""
    now, number = draft(), session.current().stop
    lines = stop_lines(now.text)
    is_edited = EDITOR in st.session_state and 1 <= number <= len(lines)
    kept_tour.kept_tour(
        now.text if now.history else None,
        revision=now.revision,
        visit=session.visit(),
        awaited=session.current().tour == OWN_TOUR,
        place=(number, lines[number - 1]) if is_edited else None,
        on_stored=_receive_stored,
    )


def _receive_stored() -> None:
    """Put the text that the browser stored first in the history. A text begun in the meantime stays current."""
    match (st.session_state.get(kept_tour.KEY) or {}).get("stored"):
        case {"visit": str(visit), "text": str(text)} if visit == session.visit():
            stored, now = _cleaned(text), draft()
        case _:
            return
    if now.history:
        st.session_state[DRAFT] = replace(now, history=(stored, *now.history[1:]))
        return
    _set_current((stored,), 0)
    if draft().problem is not None and session.current().tour == OWN_TOUR:
        st.session_state[EDITOR] = True


def _cleaned(text: str) -> str:
    """The text with the line ends of a text area, and without lone surrogates."""
    return without_lone_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")


def _set_current(history: tuple[str, ...], at: int, *, is_typed: bool = False) -> None:
    """Make one of the texts the current one, and parse it."""
    now, problem = draft(), None
    try:
        tour = parse_tour(history[at]) if history[at] else None
    except TourError as error:
        tour, problem = now.tour, error
    revision = now.revision + (not is_typed)
    st.session_state[DRAFT] = Draft(history=history, at=at, revision=revision, tour=tour, problem=problem)


def _show(stop: int | None = None) -> None:
    selection, tour = session.current(), draft().tour
    if tour is not None:
        session.change(tour=OWN_TOUR, stop=number_in(tour, stop or selection.stop))
    elif selection.tour == OWN_TOUR and not draft().text:
        session.change(tour="", stop=1)
