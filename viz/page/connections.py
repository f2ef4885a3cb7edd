"""How many files the server may open, for how many pages that is enough, and how long a request may take to arrive.

uvicorn waits without a limit for the rest of a request, and has no setting for it: whoever sends half a request holds a
connection, also without the password. Here a request has some seconds, and more only as long as it arrives at some
rate. If too many connections wait, the oldest is closed, so that a newer one finds a file.
"""

from __future__ import annotations

import asyncio
import logging
from functools import wraps
from typing import Any, Final

MOST_FILES: Final = 65_536
MOST_PAGES: Final = 500
FILES_OF_A_PAGE: Final = 4  # its websocket, and the event loop that Streamlit makes for each session
RESERVED_FILES: Final = 128  # for models, threads and the program itself
SHARE_OF_REQUESTS: Final = 4  # one in so many files is for requests that have not arrived
SECONDS_TO_SEND: Final = 10.0  # for a request, and for each of its following parts of this rate:
BYTES_A_SECOND: Final = 20_000
SECONDS_OF_A_BURST: Final = 1.0  # in which many connect at once, and none is closed for another
LARGEST_FRAME: Final = 11_000_000  # bytes of a message from a page, somewhat more than `server.maxWidgetStateSize`
TIMED_OUT: Final = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

logger = logging.getLogger(__name__)


def raise_file_limit() -> int:
    """Let this process open as many files as it may, which is often far more than at first. Returns how many."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are no files
        return MOST_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return MOST_FILES if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError) as error:  # macOS allows less than it says
        logger.warning("The limit of open files stays at %d: %s", soft, error)
        return soft
    return wanted


def pages_for(files: int) -> int:
    """How many pages may be open at a time if the process may open so many files."""
    return max(1, min(MOST_PAGES, (files - files // SHARE_OF_REQUESTS - RESERVED_FILES) // FILES_OF_A_PAGE))


class Arrivals:
    """Connections that wait for a request or the rest of it, the oldest first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[Any, tuple[float, int]] = {}  # since when, and the bytes that arrived
        self._sweeping = False

    def __len__(self) -> int:
        return len(self._waiting)

    def begin(self, connection: Any) -> None:
        """Wait for a connection's next request."""
        loop = asyncio.get_running_loop()
        self._waiting[connection] = loop.time(), 0
        connection.config.ws_max_size = LARGEST_FRAME
        oldest, (since, _) = next(iter(self._waiting.items()))
        if len(self._waiting) > self._most and loop.time() - since > SECONDS_OF_A_BURST:
            self._give_up(oldest)
        if not self._sweeping:
            self._sweeping = True
            loop.call_later(1.0, self._sweep)

    def receive(self, connection: Any, size: int) -> None:
        """Note that bytes arrive."""
        if connection not in self._waiting:
            self.begin(connection)
        since, before = self._waiting.get(connection, (0.0, 0))
        self._waiting[connection] = since, before + size

    def check(self, connection: Any) -> None:
        """Wait no longer if the request is complete, or the connection has become a websocket."""
        cycle = connection.cycle
        is_complete = cycle is not None and not cycle.more_body and not cycle.response_complete
        if is_complete or connection.transport.get_protocol() is not connection:
            self.end(connection)

    def end(self, connection: Any) -> None:
        """Wait no longer."""
        self._waiting.pop(connection, None)

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection, (since, size) in list(self._waiting.items()):
            if now - since > SECONDS_TO_SEND + size / BYTES_A_SECOND:
                self._give_up(connection)
        self._sweeping = bool(self._waiting)
        if self._sweeping:
            loop.call_later(1.0, self._sweep)

    def _give_up(self, connection: Any) -> None:
        self.end(connection)
        if connection.cycle is None or not connection.cycle.response_started:
            connection.transport.write(TIMED_OUT)
        connection.transport.close()


def limit_arrivals(files: int) -> Arrivals | None:
    """Limit how long the requests of this process's server may take to arrive; once only.

    Returns:
        The connections that wait; None, and a warning, with a version of uvicorn that has other names.
    """
    try:
        from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol

        made, received, lost = Protocol.connection_made, Protocol.data_received, Protocol.connection_lost
    except (ImportError, AttributeError) as error:
        logger.warning("Requests may take as long as they like to arrive: %s", error)
        return None
    arrivals = Arrivals(files // SHARE_OF_REQUESTS)

    @wraps(made)
    def connection_made(self: Any, transport: Any) -> None:
        made(self, transport)
        arrivals.begin(self)

    @wraps(received)
    def data_received(self: Any, data: bytes) -> None:
        arrivals.receive(self, len(data))
        received(self, data)
        arrivals.check(self)

    @wraps(lost)
    def connection_lost(self: Any, error: Exception | None) -> None:
        arrivals.end(self)
        lost(self, error)

    for method in (connection_made, data_received, connection_lost):
        setattr(Protocol, method.__name__, method)
    return arrivals
