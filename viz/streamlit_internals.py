"""Everything that Headlight uses of Streamlit beyond its documented API.

No other module imports Streamlit's internals; ruff checks that (TID251). A later version of Streamlit may move or
rename them: then the function here logs a warning and returns its fallback, and the page works without the feature.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from copy import copy, deepcopy
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import streamlit as st

if TYPE_CHECKING:
    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer as ExpanderContainer
    from streamlit.elements.lib.mutable_popover_container import PopoverContainer as PopoverContainer
    from streamlit.runtime.caching.ttl_cache import TTLCache
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.session_manager import SessionInfo
    from streamlit.runtime.state import SessionState
    from streamlit.runtime.uploaded_file_manager import UploadedFile as UploadedFile
    from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

CHECKED_WITH: Final = "1.67"  # the last minor version of Streamlit that these functions were checked with

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
Fallback = TypeVar("Fallback")

_warned: set[tuple[str, str]] = set()


def _falling_back_to(fallback: Fallback) -> Callable[[Callable[[], Result]], Callable[[], Result | Fallback]]:
    """Return `fallback` where this version of Streamlit lacks a name that the function uses."""

    def decorate(function: Callable[[], Result]) -> Callable[[], Result | Fallback]:
        @wraps(function)
        def call() -> Result | Fallback:
            try:
                return function()
            except (ImportError, AttributeError) as error:
                _warn_once(function.__name__, str(error))
                return fallback

        return call

    return decorate


def _warn_once(name: str, error: str) -> None:
    if (name, error) not in _warned:
        _warned.add((name, error))
        logger.warning("%s() does not work with Streamlit %s: %s", name, st.__version__, error)


@_falling_back_to(None)
def run_check() -> Callable[[], None] | None:
    """A function that ends the current script run if a newer run supersedes it; None outside a script run.

    Used while a run waits for the worker or for the browser. Fallback: superseded runs wait to the end.
    """
    from streamlit.runtime.scriptrunner_utils.script_run_context import get_run_yield_check

    return get_run_yield_check()


def _assume_browser() -> bool:
    return True


@_falling_back_to(_assume_browser)
def browser_check() -> Callable[[], bool]:
    """A function that returns whether the current session has a browser; any thread may call it.

    Streamlit retains a session for at least two minutes after its browser disconnects, but calls it active only while
    its websocket is open. Used to cancel jobs of closed tabs. Fallback: these jobs run to their end.
    """
    from streamlit.runtime import Runtime
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    if context is None or not Runtime.exists():
        return _assume_browser
    return partial(Runtime.instance().is_active_session, context.session_id)


@_falling_back_to("")
def browser_secret() -> str:
    """What only the browser of this session and its own other tabs send: Streamlit's secret against forged uploads.

    Used to find the table of a page that was reloaded. "" if the browser stores no cookie. Fallback: the table is gone.
    """
    return secret_in(st.context.cookies)


def secret_in(cookies: Mapping[str, str]) -> str:
    """What `browser_secret` returns, from the cookies of a browser."""
    cookie = cookies.get("_streamlit_xsrf")
    found = re.fullmatch(r"2\|([0-9a-f]{8})\|([0-9a-f]{32})\|[0-9]+", cookie if isinstance(cookie, str) else "")
    if found is None:
        return ""
    mask, masked = map(bytes.fromhex, found.groups())
    return bytes(a ^ b for a, b in zip(masked, mask * 4, strict=True)).hex()


@_falling_back_to(False)
def went_through_history() -> bool:
    """Whether the browser's back or forward button caused the current run.

    Fallback: these buttons change the address, and the page follows when it is reloaded.
    """
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


@_falling_back_to(None)
def fragment_id() -> str | None:
    """The id of the fragment that is being run; None outside fragments.

    Used with `fragments_of_callback`, and with the same fallback.
    """
    from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

    return ThreadState.get().fragment_id


@_falling_back_to(frozenset())
def fragments_of_callback() -> frozenset[str]:
    """The fragments that the current run is limited to, in a callback of a widget outside them; none elsewhere.

    Used to ignore stale values of widgets in runs that a timer caused. Fallback: such a value may undo a change that
    the page made at the same moment.
    """
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.scriptrunner_utils.script_run_context import RunLocation, ThreadState

    context = get_script_run_ctx()
    fragments = frozenset((context.fragment_ids_this_run if context else None) or ())
    if not fragments:
        return fragments
    thread = ThreadState.get()
    in_outer_callback = thread.run_location is RunLocation.CALLBACK and thread.fragment_id not in fragments
    return fragments if in_outer_callback else frozenset()


def _is_same_origin(origin: str | None, host: str | None) -> bool:
    return origin is None or origin.partition("://")[2] == host


@_falling_back_to(_is_same_origin)
def origin_check() -> Callable[[str | None, str | None], bool]:
    """A function that returns whether a websocket with this `Origin` and this `Host` is accepted.

    Used to refuse the same pages at our own routes: it follows `server.enableCORS`, `server.corsAllowedOrigins` and
    `server.allowedHosts`. Fallback: the origin has to be the server's own, and any host is accepted.
    """
    from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

    return _is_origin_allowed


@_falling_back_to(None)
def frontend_folder() -> Path | None:
    """The folder of Streamlit's HTML and JavaScript.

    Used to serve these files faster than Streamlit does. Fallback: Streamlit serves them.
    """
    from streamlit.file_util import get_static_dir

    return Path(get_static_dir())


@_falling_back_to(None)
def disable_address_lookup() -> None:
    """Stop Streamlit from asking a server on the internet for this network's address.

    It asks when a page of another origin connects. Fallback: it asks.
    """
    from streamlit import net_util

    net_util.get_external_ip = lambda: None


@_falling_back_to(None)
def present_plain_states() -> None:
    """Let the session show the state of a component, and what it has triggered in this run, as a plain dictionary.

    Streamlit makes a class for it each time that it reads the session: fifty in a run of the page, a tenth of its time.
    Nothing here writes into such a state. Fallback: as in Streamlit.
    """
    from streamlit.components.v2.bidi_component import main

    module = cast("Any", main)

    @wraps(module.make_bidi_component_presenter)
    def make_presenter(aggregator_id: str, *_: object) -> Callable[[object, SessionState], object]:
        def present(value: object, state: SessionState) -> object:
            if not isinstance(value, dict):
                return value
            triggered = state._new_widget_state.get(aggregator_id) or ()
            return {each["event"]: each.get("value") for each in triggered} | value

        return present

    module.make_bidi_component_presenter = make_presenter


@_falling_back_to(None)
def identify_components_by_key() -> None:
    """Compute no digest of the data of a component: the page's components have keys, which identify them.

    Streamlit encodes and hashes all data before it drops the digest, a twentieth of a run's time. Fallback: as in
    Streamlit.
    """
    from streamlit.components.v2.bidi_component.main import BidiComponentMixin

    @wraps(BidiComponentMixin._build_bidi_identity_kwargs)
    def identify(*_: object, **__: object) -> dict[str, object]:
        return {}

    BidiComponentMixin._build_bidi_identity_kwargs = identify  # type: ignore[method-assign]


@_falling_back_to(None)
def copy_places_at_once() -> None:
    """Let a fragment copy the places around it without a search for what is in them, a twentieth of a run's time.

    Fallback: as in Streamlit.
    """
    from streamlit.cursor import Cursor, SparseList

    def copy_place(place: Cursor, _: object) -> Cursor:
        copied, transient = copy(place), place._transient_elements
        copied._transient_elements = deepcopy(transient) if transient else SparseList()
        return copied

    Cursor.__deepcopy__ = copy_place  # type: ignore[attr-defined]


@_falling_back_to(None)
def ignore_gone_widgets() -> None:
    """Call no callback of a widget that the last run did not draw.

    A browser may report such a widget's value once more. Streamlit then counts it as changed, and calls the callback of
    the run that drew it. Fallback: the value may undo what the user has chosen since, such as another step.
    """
    from streamlit.runtime.state import SessionState

    has_changed = SessionState._widget_changed

    def has_drawn_and_changed(state: SessionState, widget_id: str) -> bool:
        return widget_id in state._old_state and has_changed(state, widget_id)

    SessionState._widget_changed = has_drawn_and_changed  # type: ignore[assignment, method-assign]


@_falling_back_to(None)
def draw_all_that_changed() -> None:
    """Rerun the whole page after a run of one fragment to which the browser reported a change in another.

    A browser reports the changes of a moment together, such as of a field that is left by a tap on a menu. It names the
    fragment of the first one alone, and Streamlit runs no other. Fallback: the other is drawn at the next change.
    """
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.state import SessionState

    call_callbacks = SessionState._call_callbacks

    @wraps(call_callbacks)
    def call(state: SessionState, **replayed: Any) -> None:
        context, widgets = get_script_run_ctx(), state._new_widget_state
        changed = {each for each in widgets if each in widgets.widget_metadata and state._widget_changed(each)}
        call_callbacks(state, **replayed)
        if context is None or not context.fragment_ids_this_run or context.script_requests is None:
            return
        if {widgets.widget_metadata[each].fragment_id for each in changed}.difference(context.fragment_ids_this_run):
            context.script_requests.request_rerun(state._build_full_app_rerun(context))

    SessionState._call_callbacks = call  # type: ignore[assignment, method-assign]


@_falling_back_to(None)
def shorten_warnings() -> None:
    """Log what is wrong with a message of a browser in a line, without a traceback, which any client could cause.

    Fallback: with the traceback.
    """
    from streamlit.web.server.starlette.starlette_websocket import _LOGGER

    def without_traceback(record: logging.LogRecord) -> bool:
        record.exc_info = None if record.levelno == logging.WARNING else record.exc_info
        return True

    _LOGGER.addFilter(without_traceback)


@_falling_back_to(None)
def upload_manager() -> MemoryUploadedFileManager | None:
    """What holds uploaded files in memory as long as Streamlit stores their session.

    Used to bound them. Fallback: only those that are arriving are bounded.
    """
    from streamlit.runtime import Runtime

    return cast("MemoryUploadedFileManager", Runtime.instance().uploaded_file_mgr)


@_falling_back_to(False)
def is_script_running() -> bool:
    """Whether the script runs for a page that is open.

    Used to answer pages before the server ends. Fallback: their runs are lost.
    """
    from streamlit.runtime import Runtime
    from streamlit.runtime.app_session import AppSessionState

    sessions = Runtime.instance()._session_mgr.list_active_sessions()
    return any(each.session._state is AppSessionState.APP_IS_RUNNING for each in sessions)


@_falling_back_to(None)
def end_gone_sessions() -> None:
    """Let a session whose browser has gone hold no open file, and shut it down when it can no longer be resumed.

    Streamlit stores the event loop of such a session, which is three files, and drops expired sessions only when
    another one goes. Called once, when Streamlit's runtime has started. Fallback: as in Streamlit.
    """
    from streamlit.runtime import Runtime
    from streamlit.runtime.memory_session_storage import MemorySessionStorage

    class Storage(MemorySessionStorage):
        def save(self, session_info: SessionInfo) -> None:
            super().save(session_info)
            session_info.session._script_event_loop.close()  # which no script of ours uses
            asyncio.get_running_loop().call_later(seconds + 0.1, self._expire)

        def get(self, session_id: str) -> SessionInfo | None:
            found = super().get(session_id)
            if found is not None and found.session._script_event_loop.is_closed():
                found.session._script_event_loop = asyncio.new_event_loop()
            return found

        def _expire(self) -> None:
            for _, expired in cast("TTLCache[str, SessionInfo]", self._cache).expire():
                expired.session.shutdown()

    seconds = st.get_option("server.disconnectedSessionTTL")
    manager = cast("WebsocketSessionManager", Runtime.instance()._session_mgr)
    manager._session_storage = Storage(ttl_seconds=seconds)
