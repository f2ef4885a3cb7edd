"""The page's state in Streamlit's session: one `Page`, and the widgets that show and change its selection.

Changes of the selection:

- `change` applies a user's change of a widget;
- `apply_browser_change` applies a change that the user made in a view or a text field in the browser;
- `adjust` stores the selection that the model and the texts allow; `note_shown` says what a view shows instead of it;
- `open_view` and `show_example` open a view, or an example, with what belongs to it;
- `restore` reads the address, `save` writes it.

Widgets: `bound` ties a widget to a field of the selection; `show_value` and `set_value` set any other one.
`is_user_change` tells a user's change from a stale value.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ParamSpec

import streamlit as st

from viz.state import history, starts
from viz.state.fields import TEXTS, value_of, with_values
from viz.state.history import Page
from viz.state.messages import BrowserMessage, Scope, read_message
from viz.state.selection import Selection, View
from viz.streamlit_internals import fragment_id, fragments_of_callback, went_through_history

PAGE = "page"
FIRST_DRAWN = "first_drawn"
VISIT = "visit"
READ, UNREAD = "texts_read", "texts_unread"  # by their fields
# The numbers of the last change and of the last text that were read, by scope; "typed" is a field of the address.
ANSWERED, ANSWERED_TEXT = "answered", "answered_text"
BROWSER_CHANGE, OVERRULED, POLLS, TEXT_REVISION = "browser_change", "overruled", "polls", "text_revision"
REPLACED = "replaced_values"
FINDING = "finding"
MOST_REPLACED = 3  # values of a widget that a browser may still report
Arguments = ParamSpec("Arguments")


@dataclass(frozen=True, slots=True)
class Binding:
    """A widget that a session draws for the first time: its field, its value, and how the widget's value is read."""

    name: str
    value: Any
    from_widget: Callable[[Any], Any]


def current() -> Selection:
    """The current selection."""
    return _page().selection


def note_texts(*, readable: bool) -> None:
    """Note whether the current texts could be read."""
    texts = _texts(current())
    st.session_state[UNREAD] = None if readable else texts
    if readable:
        st.session_state[READ] = {**st.session_state.get(READ, {}), **texts}


def readable() -> Selection:
    """The selection of the runs on the page. Texts that cannot be read are replaced by the last readable ones."""
    selection = current()
    texts = _texts(selection)
    if texts != st.session_state.get(UNREAD):
        return selection
    read: Mapping[str, str] = st.session_state.get(READ, {})
    return with_values(selection, {name: read[name] for name in texts if name in read})


def linked() -> Selection:
    """The selection that the page's address restores: without text being typed, or texts too long for an address."""
    return history.linked(_page())


def change(**values: Any) -> None:
    """Apply a user's change, in the callback of a widget. Names are those of `viz.state.fields.FIELDS`."""
    st.session_state[PAGE] = history.changed(_page(), values)
    st.session_state[TEXT_REVISION] = text_revision() + any(name in TEXTS for name in values)


def open_view(view: View) -> None:
    """Open a view that the user chose, with its start if nothing else was chosen."""
    change(**starts.opening(current(), view))


def forget_finding() -> None:
    """Forget the finding of the last run, at the start of another one."""
    st.session_state.pop(FINDING, None)


def note_finding(sentence: str) -> None:
    """Note what the view finds, as Markdown: the first sentence that is noted of a selection in a run."""
    if not finding():
        st.session_state[FINDING] = current(), sentence


def finding() -> str:
    """What the open view finds, as Markdown; "" before it has an answer for the current selection."""
    found: tuple[Selection, str] | None = st.session_state.get(FINDING)
    return found[1] if found and found[0] == current() else ""


def show_example(values: Mapping[str, Any]) -> None:
    """Apply the values of an example. The next one closes a view that this one opens, unless the user chooses it."""
    view = _page().left_view or current().view
    change(**{"view": view, **values})
    if current().view != view:
        st.session_state[PAGE] = replace(_page(), left_view=view)


def text_revision() -> int:
    """The number of times that a widget changed texts. The text fields show the new texts when they are rendered."""
    count: int = st.session_state.get(TEXT_REVISION, 0)
    return count


def apply_browser_change(value: Any) -> None:
    """Apply a change from the browser, of texts too. The parts that were read before are ignored."""
    message = read_message(value)
    if message is None:
        return
    scope = message.scope
    newer = message.newer(answered=answered(scope) or 0, typed=answered_text(scope) or 0, held=is_typing())
    if newer is None:
        return
    _note_read(ANSWERED, scope, message.number)
    if message.typed is not None:
        _note_read(ANSWERED_TEXT, scope, message.typed)
    st.session_state[BROWSER_CHANGE] = newer
    st.session_state[PAGE] = history.changed(_page(), newer.change, decoder=scope == "decoder", held=newer.held)


def answered(scope: Scope) -> int | None:
    """The number of the last message that was read in a scope, or None. Browsers start at the time in ms."""
    number: int | None = st.session_state.get(ANSWERED, {}).get(scope)
    return number


def answered_text(scope: Scope) -> int | None:
    """The number of the last change of a text that was read in a scope, or None."""
    number: int | None = st.session_state.get(ANSWERED_TEXT, {}).get(scope)
    return number


def overrule(scope: Scope, number: int) -> None:
    """Ignore the browser's changes up to a number, except texts, and the values that widgets report in this run.

    A browser that has not received the last change sends the old values of its widgets with the next key press, and
    Streamlit reports these as the user's changes.
    """
    _note_read(ANSWERED, scope, number)
    st.session_state[OVERRULED] = True


def _is_overruled() -> bool:
    """Whether widgets may report stale values in this run."""
    return OVERRULED in st.session_state


def pop_browser_change() -> BrowserMessage | None:
    """The message that caused this run, returned once; None where something else did."""
    message: BrowserMessage | None = st.session_state.pop(BROWSER_CHANGE, None)
    return message


def is_typing() -> bool:
    """Whether another key may follow the last one."""
    return _page().held


def visit() -> str:
    """A name of this session. A browser that receives another name knows that the server was restarted."""
    name: str = st.session_state.setdefault(VISIT, secrets.token_hex(8))
    return name


def adjust(selection: Selection) -> None:
    """Replace the selection without a user's change, by the nearest one that the model and the texts allow."""
    _note_replaced(selection)
    st.session_state[PAGE] = replace(_page(), selection=selection)


def is_linked() -> bool:
    """Whether the user has changed nothing since the address was read."""
    return not _page().touched


def note_shown(**shown: Any) -> None:
    """Say which fields of the page's link have another value than the view shows, until the user's first change."""
    _note_replaced(with_values(current(), shown))


def _note_replaced(selection: Selection) -> None:
    page = _page()
    if not page.touched:
        said = (*page.problems, *history.replaced_of_link(page, selection))
        st.session_state[PAGE] = replace(page, problems=tuple(dict.fromkeys(said)))


def restore(complete: Callable[[Mapping[str, str]], Mapping[str, str]] = dict) -> None:
    """Read the page's address: when the page opens, and when the browser goes back or forward.

    Args:
        complete: adds the parameters that an address implies, such as those of a tour's stop.
    """
    st.session_state.pop(OVERRULED, None)
    is_open = PAGE in st.session_state
    if is_open and not went_through_history():
        return  # the browser may not have received the last address
    params = complete(st.query_params.to_dict())
    st.session_state[PAGE] = history.arrived(_page(), params) if is_open else history.opened(params)


def save() -> None:
    """Write the selection into the page's address.

    After a way through the history it is always sent: the run before may have sent its own too late.
    """
    page = history.written(_page())
    if went_through_history() or st.query_params.to_dict() != page.address:
        st.query_params.from_dict(page.address)
    st.session_state[PAGE] = page


def problems() -> tuple[str, ...]:
    """The problems of the link that opened the page, until the user's first change."""
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

    A widget that already shows the value is not set again, so that a run does not overwrite what the user is typing.
    Every run still passes the value as the widget's initial one: a browser that loads a widget's code after several
    runs renders it from the last run alone, and would report Streamlit's own initial value as the user's change.
    In the first run of a session the browser's value takes precedence: `finish` reads it. Buttons of which one is
    always selected report None if a rerun ends that run, which is not a change.

    Args:
        name: of the field.
        key: Streamlit's; the field's name unless two widgets show one field, or one shows it in another form.
        to_widget, from_widget: convert the field's value to the widget's, and back.
        initial: the argument in which this widget takes its initial value, "value" or "default".
        options: of a select box, which takes the index of its initial value instead.
    """
    key = key or name
    value = to_widget(value_of(current(), name))
    first_value = {initial: value} if initial else {"index": options.index(value)}

    def change_field() -> None:
        is_emptied = initial == "default" and st.session_state[key] is None  # buttons, which a user cannot empty
        if not is_emptied and is_user_change(key):
            change(**{name: from_widget(st.session_state[key])})

    bound_to: dict[str, Any] = {"key": key, "on_change": change_field}
    if not _page().drawn:
        first_drawn: dict[str, Binding] = st.session_state.setdefault(FIRST_DRAWN, {})
        if key not in st.session_state:
            first_drawn[key] = Binding(name, value, from_widget)
            return bound_to | first_value
        if key in first_drawn and first_drawn[key].value == value:  # by a run that was not completed
            return bound_to | first_value
    return bound_to | show_value(key, value, first_value)


def show_value(key: str, value: Any, first_value: dict[str, Any]) -> dict[str, Any]:
    """Make a widget show a value. Returns `first_value`, or nothing if the value is set in the session.

    Args:
        first_value: the argument that makes the value the widget's initial one. Streamlit accepts either an initial
            value or one that is set in the session.
    """
    if key in st.session_state and st.session_state[key] == value:
        return first_value
    set_value(key, value)
    return {}


def set_value(key: str, value: Any) -> None:
    """Make a widget show a value, whatever the browser reports."""
    if st.session_state.get(key, value) != value:
        replaced: dict[str, list[Any]] = st.session_state.setdefault(REPLACED, {})
        replaced[key] = [*replaced.get(key, ()), st.session_state[key]][-MOST_REPLACED:]
    st.session_state[key] = value


def is_user_change(key: str) -> bool:
    """Whether the user chose the value that a widget reports: for callbacks of widgets that `set_value` sets.

    A run that a timer caused may report a replaced value, because the browser requested the run before it received
    the new one. Such a run may also be the first to report a click.
    """
    if _is_overruled():
        return False
    return not _is_poll_callback() or st.session_state[key] not in st.session_state.get(REPLACED, {}).get(key, ())


def finish() -> None:
    """End the first complete run of the page, and apply values of widgets that are newer in the browser.

    They are newer if the server was restarted under an open page and the user clicked before the first run was
    complete: Streamlit calls no callback of a widget that the session has not rendered. A widget that reports None was
    not clicked; `bound` says when buttons do.
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
    """Rerun a part of the page every so many seconds. The part must not have widgets of `bound`."""

    def draw(*args: Arguments.args, **options: Arguments.kwargs) -> None:
        polls: set[str | None] = st.session_state.setdefault(POLLS, set())
        polls.add(fragment_id())
        part(*args, **options)

    return st.fragment(draw, run_every=every)


def _is_poll_callback() -> bool:
    """Whether a timer caused the run that calls a widget's callback: one limited to polled parts."""
    fragments = fragments_of_callback()
    return bool(fragments) and fragments <= st.session_state.get(POLLS, set())


def _note_read(numbers: str, scope: Scope, number: int) -> None:
    """Note that a change was read: a number of `ANSWERED` or of `ANSWERED_TEXT`."""
    last: dict[Scope, int] = st.session_state.setdefault(numbers, {})
    last[scope] = max(number, last.get(scope, number))


def _texts(selection: Selection) -> dict[str, str]:
    """The texts that the page runs, by their fields."""
    names = ("source",) if selection.shows_decoder else ("a", "b")
    return {name: value_of(selection, name) for name in names}


def _page() -> Page:
    page: Page = st.session_state[PAGE]
    return page
