"""The tours that the user writes: their Markdown, the parsed tours, and their history."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from encoder.errors import TourError
from viz.components.text_fields import key_of
from viz.components.wires import host, kept_tour
from viz.state import session
from viz.state.codecs import TOUR_NAME, without_lone_surrogates
from viz.state.selection import OWN_TOUR, Selection
from viz.tours.files import parse_tour, stop_lines, with_stop
from viz.tours.texts import TextError, read_title
from viz.tours.tour import Tour
from viz.tours.visiting import number_in, state_of
from viz.wording.labels import first_sentence

DRAFTS = "tour_drafts"  # in the session: the user's tours by name, the one changed last first
CURRENT = "tour_draft"  # in the session: the name of the one that was open last
EDITOR = "tour_editor"  # in the session while the editor is open
MOST_UNDONE = 100
SENDERS = (host.KEY, host.TEXTS_KEY, key_of("ab"), key_of(["source"]))  # components that send what the user changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A tour that the user writes.

    Attributes:
        name: in the address.
        history: its texts in Markdown, "" for none; empty until the browser has sent the stored tours.
        at: the index of the current text.
        revision: the number of changes that were not typed.
        tour: the parsed text, or the last one that could be parsed; None for none.
        problem: why the text cannot be parsed.
    """

    name: str = OWN_TOUR
    history: tuple[str, ...] = ()
    at: int = 0
    revision: int = 0
    tour: Tour | None = None
    problem: TourError | None = None

    @property
    def text(self) -> str:
        return self.history[self.at] if self.history else ""


def is_own(name: str) -> bool:
    """Whether an address names a tour of the user's; links of older versions name the only one."""
    return name == OWN_TOUR or name.startswith(f"{OWN_TOUR}-")


def drafts() -> Mapping[str, Draft]:
    """The user's tours by name, without deleted ones."""
    return {name: each for name, each in _all().items() if each.text}


def draft() -> Draft:
    """The user's open tour, or the one that was open or changed last."""
    opened = session.current().tour
    if is_own(opened):
        st.session_state[CURRENT] = opened
    name = st.session_state.get(CURRENT) or next(iter(drafts()), OWN_TOUR)
    return _all().get(name) or Draft(name=name)


def begin(text: str, *, stop: int = 1) -> None:
    """Begin another tour with a text, and show a stop."""
    name = f"{OWN_TOUR}-{secrets.token_hex(3)}"
    st.session_state[CURRENT] = name
    session.change(tour=name, stop=stop)
    change(text, stop=stop)


def change(text: str, *, stop: int | None = None, is_typed: bool = False) -> None:
    """Change the text, and show a stop, counted from 1; None for the current one. The view stays."""
    now, text = draft(), _cleaned(text)
    if not is_typed or text != now.text:
        history = (*(now.history[: now.at + 1] or ("",)), text)[-MOST_UNDONE:]
        _set_current(now, history, len(history) - 1, is_typed=is_typed)
        _show(stop)


def step(by: int) -> None:
    """Undo (-1) or redo (1) a change, if there is one."""
    now = draft()
    if 0 <= now.at + by < len(now.history):
        _set_current(now, now.history, now.at + by)
        _show()


def delete() -> None:
    """Delete the current tour, also from the browser, and close it."""
    st.session_state.pop(EDITOR, None)
    change("")


def add_stop() -> None:
    """Add the page as a stop: after the current stop, or as the last one; without a tour, begin one."""
    selection, now = _page(), draft()
    count = len(stop_lines(now.text))
    after = selection.stop if selection.tour == now.name and 1 <= selection.stop <= count else count
    text = with_stop(now.text, state_of(selection), after, title=_finding())
    if now.text:
        change(text, stop=after + 1)
    else:
        begin(text)


def begin_with_page() -> None:
    """Begin another tour whose only stop is the page."""
    begin(with_stop("", state_of(_page()), 0, title=_finding()))


def _page() -> Selection:
    """The selection with what the browser sends with a click: Streamlit calls components after the button."""
    for key in SENDERS:
        session.apply_browser_change((st.session_state.get(key) or {}).get("selection"))
    return session.current()


def _finding() -> str:
    """What the open view finds, as the title of a stop; "" if it is too long for one."""
    from viz.html.markdown import plain_text_of_markdown  # imports latex2mathml

    try:
        return read_title(plain_text_of_markdown(first_sentence(session.finding())))
    except TextError:
        return ""


def is_editor_open() -> bool:
    """Whether the editor is open."""
    return EDITOR in st.session_state


def store_draft() -> None:
    """Mount the component that stores the text in the browser; shows nothing."""
    now, selection = draft(), session.current()
    lines = stop_lines(now.text)
    is_edited = EDITOR in st.session_state and 1 <= selection.stop <= len(lines)
    kept_tour.kept_tour(
        now.name,
        now.text if now.history else None,
        revision=now.revision,
        visit=session.visit(),
        awaited=is_own(selection.tour),
        place=(selection.stop, lines[selection.stop - 1]) if is_edited else None,
        on_stored=_receive_stored,
    )


def is_refused() -> bool:
    """Whether the browser did not store the last change of a tour."""
    return bool(_from_browser("refused"))


def save_asked_for() -> int:
    """The number of the last request to save the open tour, 0 for none."""
    asked = _from_browser("asked")
    return asked if isinstance(asked, int) else 0


def _receive_stored() -> None:
    """Add the tours that the browser stored. One that the session has stays as it is."""
    match _from_browser("stored"):
        case {"visit": str(visit), "tours": list(stored)} if visit == session.visit():
            pass
        case _:
            return
    for entry in stored:
        match entry:
            case [str(name), str(text)] if is_own(name) and TOUR_NAME.fullmatch(name) and name not in _all():
                _set_current(Draft(name=name), (_cleaned(text),), 0, is_typed=True)
    opened = session.current().tour
    if not is_own(opened):
        return
    if opened not in _all():
        _all()[opened] = Draft(name=opened, history=("",))
    elif draft().problem is not None:
        st.session_state[EDITOR] = True


def _from_browser(name: str) -> Any:
    """A value of the component that stores the text, None before it has sent one."""
    return (st.session_state.get(kept_tour.KEY) or {}).get(name)


def _all() -> dict[str, Draft]:
    found: dict[str, Draft] = st.session_state.setdefault(DRAFTS, {})
    return found


def _cleaned(text: str) -> str:
    """The text with the line ends of a text area, and without lone surrogates."""
    return without_lone_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")


def _set_current(now: Draft, history: tuple[str, ...], at: int, *, is_typed: bool = False) -> None:
    """Make one of the texts the current one of a tour, and parse it."""
    tour, problem = None, None
    try:
        tour = parse_tour(history[at]) if history[at] else None
    except TourError as error:
        tour, problem = now.tour, error
    revision = now.revision + (not is_typed)
    changed = replace(now, history=history, at=at, revision=revision, tour=tour, problem=problem)
    _all()[now.name] = changed


def _show(stop: int | None = None) -> None:
    selection, now = session.current(), draft()
    if now.tour is not None:
        session.change(tour=now.name, stop=number_in(now.tour, stop or selection.stop))
    elif selection.tour == now.name and not now.text:
        session.change(tour="", stop=1)
