"""The page's state in Streamlit's session: one `Page`, and the widgets that show and change its selection.

A widget is drawn from the selection with `bound`, and its callback applies a change; nothing else is read from it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ParamSpec

import streamlit as st

from viz.state import history
from viz.state.fields import TEXTS, value_of, with_values
from viz.state.history import Page
from viz.state.messages import BrowserMessage, Scope, read_message
from viz.state.selection import Selection
from viz.streamlit_internals import fragment_id, fragments_of_callback, went_through_history

PAGE = "page"
FIRST_DRAWN = "first_drawn"
VISIT = "visit"
READ, UNREAD = "texts_read", "texts_unread"  # by their fields
ANSWERED, BROWSER_CHANGE, OVERRULED, POLLS, TEXT_REVISION = (
    "answered",
    "browser_change",
    "overruled",
    "polls",
    "text_revision",
)
REPLACED = "replaced_values"
MOST_REPLACED = 3  # values of a widget that a browser may still tell
Arguments = ParamSpec("Arguments")


@dataclass(frozen=True, slots=True)
class Binding:
    """A widget that a session draws for the first time: its field, what it is to show, and how it is read."""

    name: str
    value: Any
    from_widget: Callable[[Any], Any]


def current() -> Selection:
    """The selection as it is now."""
    return _page().selection


def note_texts(*, readable: bool) -> None:
    """Note whether the current texts could be read."""
    texts = _texts(current())
    st.session_state[UNREAD] = None if readable else texts
    if readable:
        st.session_state[READ] = {**st.session_state.get(READ, {}), **texts}


def readable() -> Selection:
    """The selection of the runs on the page: where the current texts cannot be read, with those that were read last."""
    selection = current()
    texts = _texts(selection)
    if texts != st.session_state.get(UNREAD):
        return selection
    read: Mapping[str, str] = st.session_state.get(READ, {})
    return with_values(selection, {name: read[name] for name in texts if name in read})


def linked() -> Selection:
    """What the page's address brings back: not what is being typed, nor texts that are too long for it."""
    return history.linked(_page())


def change(**values: Any) -> None:
    """Apply somebody's change: the callback of a widget. Names are those of `viz.state.fields.FIELDS`."""
    st.session_state[PAGE] = history.changed(_page(), values)
    st.session_state[TEXT_REVISION] = text_revision() + any(name in TEXTS for name in values)


def text_revision() -> int:
    """How often a widget has put texts into the fields, which show them when they are drawn anew."""
    count: int = st.session_state.get(TEXT_REVISION, 0)
    return count


def apply_browser_change(value: Any) -> None:
    """Apply what was changed in the browser, texts included. A message that is not newer than the last one is left."""
    message = read_message(value)
    if message is None or message.number <= (answered(message.scope) or 0):
        return
    st.session_state.setdefault(ANSWERED, {})[message.scope] = message.number
    st.session_state[BROWSER_CHANGE] = message
    decoder = message.scope == "decoder"
    st.session_state[PAGE] = history.changed(_page(), message.change, decoder=decoder, held=message.held)


def answered(scope: Scope) -> int | None:
    """The number of the last message about that selection that was read, or None: browsers count from a large one."""
    number: int | None = st.session_state.get(ANSWERED, {}).get(scope)
    return number


def overrule(scope: Scope, number: int) -> None:
    """Let what comes now be newer than all that the browser sent, up to that number.

    A browser that has not heard of the last change yet sends its widgets' old values with the next key, and Streamlit
    takes these for somebody's choice: they count no more in this run.
    """
    st.session_state.setdefault(ANSWERED, {})[scope] = max(number, answered(scope) or 0)
    st.session_state[OVERRULED] = True


def is_overruled() -> bool:
    """Whether what widgets report in this run is no choice of anybody's."""
    return OVERRULED in st.session_state


def pop_browser_change() -> BrowserMessage | None:
    """The message that this run was made for, told once; None for a run of any other reason."""
    message: BrowserMessage | None = st.session_state.pop(BROWSER_CHANGE, None)
    return message


def is_typing() -> bool:
    """Whether another key may follow the last one."""
    return _page().held


def visit() -> str:
    """A name for this session: a browser that was sent another one before knows that the server has forgotten it."""
    name: str = st.session_state.setdefault(VISIT, secrets.token_hex(8))
    return name


def adjust(selection: Selection) -> None:
    """Hold another selection, which nobody asked for: the nearest one that the model or the text has."""
    st.session_state[PAGE] = replace(_page(), selection=selection)


def restore(complete: Callable[[Mapping[str, str]], Mapping[str, str]] = dict) -> None:
    """Read the page's address: when the page opens, and when the browser goes back or forward.

    Args:
        complete: puts into an address what it stands for.
    """
    st.session_state.pop(OVERRULED, None)
    is_open = PAGE in st.session_state
    if is_open and not went_through_history():
        return  # the browser may not have heard of the last address yet
    params = complete(st.query_params.to_dict())
    st.session_state[PAGE] = history.arrived(_page(), params) if is_open else history.opened(params)


def save() -> None:
    """Write the selection into the page's address."""
    page = history.written(_page())
    if st.query_params.to_dict() != page.address:
        st.query_params.from_dict(page.address)
    st.session_state[PAGE] = page


def problems() -> tuple[str, ...]:
    """What is wrong with the link that opened the page, until somebody changes something."""
    return _page().problems


def bound(
    name: str,
    *,
    key: str | None = None,
    to_widget: Callable[[Any], Any] = lambda value: value,
    from_widget: Callable[[Any], Any] = lambda value: value,
    initial: str | None = None,
    options: Sequence[Any] = (),
) -> dict[str, Any]:
    """The arguments that tie a widget to a field: it shows the field's value and changes it.

    A widget that shows the value already is left alone, so that a run does not take from somebody what is being typed.
    Every run names the value as the widget's first one nevertheless: a browser that loads a widget's code late draws
    it from the last run alone, and would tell Streamlit's own first value as somebody's choice.
    In the first run of a session a value that the browser has is kept: `finish` reads it. Buttons of which one is
    always chosen report none where a rerun ends that run: that is no change.

    Args:
        name: of the field.
        key: Streamlit's; the field's name unless two widgets show one field, or one shows it in another form.
        to_widget, from_widget: the field's value as the widget holds it, and back.
        initial: the argument in which this widget takes its first value, "value" or "default".
        options: of a select box, which takes the index of its first value instead.
    """
    key = key or name
    value = to_widget(value_of(current(), name))
    first_value = {initial: value} if initial else {"index": options.index(value)}

    def change_field() -> None:
        is_emptied = initial == "default" and st.session_state[key] is None  # buttons, which no person can empty
        if not is_emptied and is_user_change(key):
            change(**{name: from_widget(st.session_state[key])})

    bound_to: dict[str, Any] = {"key": key, "on_change": change_field}
    if not _page().drawn:
        first_drawn: dict[str, Binding] = st.session_state.setdefault(FIRST_DRAWN, {})
        if key not in st.session_state:
            first_drawn[key] = Binding(name, value, from_widget)
            return bound_to | first_value
        if key in first_drawn and first_drawn[key].value == value:  # by a run that was not drawn to its end
            return bound_to | first_value
    return bound_to | show_value(key, value, first_value)


def show_value(key: str, value: Any, first_value: dict[str, Any]) -> dict[str, Any]:
    """Have a widget show a value, unless it does. Returns `first_value`, or nothing where the value is `put`.

    Args:
        first_value: the argument that makes the value the widget's first one. Streamlit takes it, or a value that is
            put, and not both.
    """
    if key in st.session_state and st.session_state[key] == value:
        return first_value
    set_value(key, value)
    return {}


def set_value(key: str, value: Any) -> None:
    """Have a widget show a value, whatever the browser says."""
    if st.session_state.get(key, value) != value:
        replaced: dict[str, list[Any]] = st.session_state.setdefault(REPLACED, {})
        replaced[key] = [*replaced.get(key, ()), st.session_state[key]][-MOST_REPLACED:]
    st.session_state[key] = value


def is_user_change(key: str) -> bool:
    """Whether the value that a widget reports was chosen by somebody: for callbacks of widgets whose value is `put`.

    A run that nobody's click made, one that draws polled parts alone, may tell a value that was replaced, because the
    browser asked for the run before it learned that. It may also be the first to tell of a click.
    """
    if is_overruled():
        return False
    return not _is_poll_callback() or st.session_state[key] not in st.session_state.get(REPLACED, {}).get(key, ())


def finish() -> None:
    """End the run that drew the page first, and change what the browser's widgets say otherwise.

    They do where the server was started again under an open page, and somebody clicked before it had drawn itself:
    Streamlit calls no callback for a widget that the session has not drawn. A widget that says nothing was not clicked:
    `bound` says when buttons do.
    """
    page = _page()
    if page.drawn:
        return
    st.session_state[PAGE] = replace(page, drawn=True)
    first_drawn: Mapping[str, Binding] = st.session_state.pop(FIRST_DRAWN, {})
    newer = {
        binding.name: binding.from_widget(st.session_state[key])
        for key, binding in first_drawn.items()
        if st.session_state.get(key) not in (None, binding.value)
    }
    if newer:
        change(**newer)
        st.rerun()


def polled(part: Callable[Arguments, None], *, every: float) -> Callable[Arguments, None]:
    """A part of the page, without widgets of `bound`, that is drawn again by itself, every so many seconds."""

    def draw(*args: Arguments.args, **options: Arguments.kwargs) -> None:
        polls: set[str | None] = st.session_state.setdefault(POLLS, set())
        polls.add(fragment_id())
        part(*args, **options)

    return st.fragment(draw, run_every=every)


def _is_poll_callback() -> bool:
    """Whether a widget's callback is called in a run that nobody's click made: one that draws polled parts alone."""
    fragments = fragments_of_callback()
    return bool(fragments) and fragments <= st.session_state.get(POLLS, set())


def _texts(selection: Selection) -> dict[str, str]:
    """The texts that the page runs, by their fields."""
    names = ("source",) if selection.shows_decoder else ("a", "b")
    return {name: value_of(selection, name) for name in names}


def _page() -> Page:
    page: Page = st.session_state[PAGE]
    return page
