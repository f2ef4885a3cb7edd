"""One browser's side of Streamlit's protocol, without a browser: its messages over a websocket.

A visitor sends what Streamlit's own page sends: the widgets that were touched, and the address. It draws nothing, but
reports at once that it has painted, and keeps no messages for the server to refer to, as Headlight's settings switch
that off.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import StringTriggerValue
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import is_element_id, user_key_from_element_id
from websockets.asyncio.client import ClientConnection, connect

from viz.page.errors import UNEXPECTED

LIMIT = 120.0  # seconds for one answer
DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
# Values that last one run, and the id under which they are sent: a component's triggers have one of their own.
TRIGGERS = {
    "trigger_value": "{}",
    "string_trigger_value": "{}",
    "json_trigger_value": "$$STREAMLIT_INTERNAL_KEY_{}__events",
}


@dataclass(frozen=True, slots=True)
class Change:
    """What somebody does to a widget.

    Attributes:
        key: the widget's Streamlit key.
        field: of `WidgetState`, where the value goes. What is in one of `TRIGGERS` lasts one run.
    """

    key: str
    field: str
    value: Any


def typed(key: str, text: str) -> Change:
    """A text in a text field, or the title of an option in a select box."""
    return Change(key, "string_value", text)


def picked(key: str, title: str) -> Change:
    """An item of a menu."""
    return Change(key, "string_trigger_value", StringTriggerValue(data=title))


def put(key: str, name: str, value: Any) -> Change:
    """What a component passes to `setStateValue`."""
    return Change(key, "json_value", json.dumps({name: value}))


def triggered(key: str, event: str, value: Any) -> Change:
    """What a component passes to `setTriggerValue`."""
    return Change(key, "json_trigger_value", json.dumps([{"event": event, "value": value}]))


def pressed(key: str) -> Change:
    """A button."""
    return Change(key, "trigger_value", True)


@dataclass(frozen=True, slots=True)
class Answer:
    """One run of the page's script: seconds from asking to its end, bytes sent for it, exceptions on the page."""

    seconds: float
    bytes: int
    errors: tuple[str, ...]


class Widget(NamedTuple):
    """A widget on the page, and the fragment that is run when it is touched, or ""."""

    id: str
    fragment: str


class Visitor:
    """A session of a Streamlit page.

    Attributes:
        address: the query of the page's address.
        widgets: those with a key of their own that are on the page, by that key.
        texts: the Markdown that the last run sent.
    """

    def __init__(self, connection: ClientConnection, url: str, address: Mapping[str, str]) -> None:
        self.widgets: dict[str, Widget] = {}
        self.texts: list[str] = []
        self._connection = connection
        self._url = url
        self._reports: set[asyncio.Task[None]] = set()
        self.address = urlencode(address)
        self._values: dict[str, WidgetState] = {}  # of the widgets that were touched, by their ids

    async def open(self) -> Answer:
        """Ask for the page."""
        return await self._ask([], "")

    async def request(self) -> None:
        """The same, without waiting for the page."""
        await self._send([], "")

    async def act(self, change: Change) -> Answer:
        """Touch a widget, and wait until the page's script has run.

        Raises:
            KeyError: it is not on the page.
            TimeoutError: that takes longer than LIMIT.
            websockets.ConnectionClosed: the server has gone.
        """
        widget = self.widgets[change.key]
        if change.field in TRIGGERS:
            return await self._ask([_state(TRIGGERS[change.field].format(widget.id), change)], widget.fragment)
        self._values[widget.id] = _state(widget.id, change)
        return await self._ask([], widget.fragment)

    async def _ask(self, triggers: list[WidgetState], fragment: str) -> Answer:
        started = time.perf_counter()
        await self._send(triggers, fragment)
        async with asyncio.timeout(LIMIT):
            size, errors = await self._read_run(whole=not fragment)
        return Answer(time.perf_counter() - started, size, tuple(errors))

    async def _send(self, triggers: list[WidgetState], fragment: str) -> None:
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string, asked.fragment_id = self.address, fragment
        asked.widget_states.widgets.extend([*self._values.values(), *triggers])
        await self._connection.send(message.SerializeToString())

    async def _read_run(self, *, whole: bool) -> tuple[int, list[str]]:
        """Read messages to the end of a run: how many bytes they were, and which exceptions the page shows."""
        size, errors = 0, list[str]()
        widgets: dict[str, Widget] = {}
        while True:
            received = await self._connection.recv(decode=False)
            size += len(received)
            message = ForwardMsg.FromString(received)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                widgets, errors, self.texts = {}, [], []
            elif kind == "delta":
                errors += self._read_delta(message, widgets)
            elif kind == "page_info_changed":
                self.address = message.page_info_changed.query_string
            elif kind == "script_finished" and message.script_finished in DONE:
                break
        self.widgets = widgets if whole else self.widgets | widgets
        return size, errors

    def _read_delta(self, message: ForwardMsg, widgets: dict[str, Widget]) -> list[str]:
        """Add a new element to the widgets where it is one, or return the exception that it shows."""
        if message.delta.WhichOneof("type") != "new_element":
            return []
        element = message.delta.new_element
        kind = str(element.WhichOneof("type"))
        content = getattr(element, kind)
        if kind == "exception":
            return [f"{content.type}: {content.message}"]
        if kind == "alert" and content.body == UNEXPECTED:
            return [UNEXPECTED]
        if kind == "markdown":
            self.texts.append(content.body)
        widget_id = str(getattr(content, "id", ""))
        if is_element_id(widget_id) and (key := user_key_from_element_id(widget_id)):
            widgets[key] = Widget(widget_id, message.delta.fragment_id)
            if kind == "bidi_component" and content.component_name.endswith("paint_report"):
                self._report_painted(content)
            if getattr(content, "set_value", False):  # the page's script changed it
                self._values.pop(widget_id, None)
        return []

    def _report_painted(self, content: Any) -> None:
        """Report what `viz.components.wires.paint_report` asks for, as a hidden page does; the run waits for it."""
        [data] = json.loads(content.json)
        if data["token"] and data["address"]:
            report = asyncio.create_task(asyncio.to_thread(_post, f"{self._url}{data['address']}/{data['token']}"))
            self._reports.add(report)
            report.add_done_callback(self._reports.discard)


def _post(url: str) -> None:
    urlopen(Request(url, method="POST"), timeout=LIMIT).close()


def _state(widget_id: str, change: Change) -> WidgetState:
    state = WidgetState(id=widget_id)
    if change.field == "string_array_value":
        state.string_array_value.data.extend(change.value)
    elif change.field == "string_trigger_value":
        state.string_trigger_value.CopyFrom(change.value)
    else:
        setattr(state, change.field, change.value)
    return state


@asynccontextmanager
async def visit(url: str, **address: str) -> AsyncIterator[Visitor]:
    """A new session of the page under a server's URL, not opened yet, until the block ends."""
    stream = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
    options: dict[str, Any] = {"max_size": None, "compression": None, "open_timeout": LIMIT}
    async with connect(stream, subprotocols=["streamlit"], **options) as connection:  # type: ignore[list-item]
        yield Visitor(connection, url.rstrip("/"), address)
