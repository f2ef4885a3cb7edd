"""How many files the server may open, for how many pages that is enough, and how long a request may take to arrive.

uvicorn waits without a limit for the rest of a request, and has no setting for it: whoever sends half a request holds a
connection, also without the password. Here a request has some seconds, and more only as long as it arrives at some
rate. If too many connections wait, the oldest are closed, so that newer ones find a file.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress
from typing import Any, Final

from viz.computing import events

if sys.platform != "win32":
    import resource

MOST_FILES: Final = 65_536
MOST_PAGES: Final = 500
FILES_OF_A_PAGE: Final = 4  # its websocket, and the event loop that Streamlit makes for each session
RESERVED_FILES: Final = 128  # for models, threads and the program itself
SHARE_OF_REQUESTS: Final = 4  # one in so many files is for requests that have not arrived
SECONDS_TO_SEND: Final = 10.0  # for a request; more of the same as long as it arrives at this rate
BYTES_A_SECOND: Final = 20_000
SECONDS_OF_A_BURST: Final = 1.0  # in which many connect at once, and none is closed for another
LARGEST_FRAME: Final = 11_000_000  # bytes of a message from a page, somewhat more than `server.maxWidgetStateSize`
TIMED_OUT: Final = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

logger = logging.getLogger(__name__)


def raise_file_limit() -> int:
    """Let this process open as many files as it may, which is often far more than at first. Returns how many."""
    if sys.platform == "win32":  # where sockets are no files
        return MOST_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(MOST_FILES, *(limit for limit in (hard,) if limit != resource.RLIM_INFINITY))
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    with suppress(OSError, ValueError):  # macOS allows less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return soft


def pages_for(files: int) -> int:
    """How many pages may be open at a time if the process may open so many files."""
    return max(1, min(MOST_PAGES, (files - files // SHARE_OF_REQUESTS - RESERVED_FILES) // FILES_OF_A_PAGE))


class Arrivals:
    """Connections that wait for a request or the rest of it, the oldest first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[Any, tuple[asyncio.TimerHandle, int]] = {}  # the next check, and the bytes until then

    def begin(self, connection: Any) -> None:
        """Wait for a connection's next request, or its next part."""
        loop = asyncio.get_running_loop()
        connection.config.ws_max_size = LARGEST_FRAME
        self._waiting[connection] = loop.call_later(SECONDS_TO_SEND, self._check, connection), 0
        if len(self._waiting) > self._most:
            loop.call_later(SECONDS_OF_A_BURST, self._make_room)

    def receive(self, connection: Any, size: int) -> None:
        """Note that bytes arrive."""
        if connection not in self._waiting:
            self.begin(connection)
        check, before = self._waiting[connection]
        self._waiting[connection] = check, before + size

    def end_if_complete(self, connection: Any) -> None:
        """Wait no longer if the request is complete, or the connection has become a websocket."""
        cycle = connection.cycle
        is_complete = cycle is not None and not cycle.more_body and not cycle.response_complete
        if is_complete or connection.transport.get_protocol() is not connection:
            self.end(connection)

    def end(self, connection: Any) -> None:
        """Wait no longer."""
        if connection in self._waiting:
            self._waiting.pop(connection)[0].cancel()

    def _make_room(self) -> None:
        while len(self._waiting) > self._most:
            self._give_up(next(iter(self._waiting)))

    def _check(self, connection: Any) -> None:
        if self._waiting[connection][1] >= SECONDS_TO_SEND * BYTES_A_SECOND:
            self.begin(connection)
        else:
            self._give_up(connection)

    def _give_up(self, connection: Any) -> None:
        events.refused("slow request")
        self.end(connection)
        if connection.cycle is None or not connection.cycle.response_started:
            connection.transport.write(TIMED_OUT)
        connection.transport.close()


def limit_arrivals(files: int) -> None:
    """Limit how long the requests of this process's server may take to arrive; once only.

    With a version of uvicorn that has other names, this is a warning, and nothing else.
    """
    try:
        from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol

        made, received, lost = Protocol.connection_made, Protocol.data_received, Protocol.connection_lost
    except (ImportError, AttributeError) as error:
        logger.warning("Requests may take as long as they like to arrive: %s", error)
        return
    arrivals = Arrivals(files // SHARE_OF_REQUESTS)

    def connection_made(self: Any, transport: Any) -> None:
        made(self, transport)
        arrivals.begin(self)

    def data_received(self: Any, data: bytes) -> None:
        arrivals.receive(self, len(data))
        received(self, data)
        arrivals.end_if_complete(self)

    def connection_lost(self: Any, error: Exception | None) -> None:
        arrivals.end(self)
        lost(self, error)

    for method in (connection_made, data_received, connection_lost):
        setattr(Protocol, method.__name__, method)
