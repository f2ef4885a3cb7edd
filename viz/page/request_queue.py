"""A queue of requests in the event loop: requests that wait in threads would occupy these.

Few requests are processed at once, so that runs of the page's script wait for few of them. The shortest text goes
first, because a few words take far less time than 512 tokens. A new request replaces the waiting request of the same
client; if too many wait, the longest is refused.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from viz.computing.worker import DroppedError

Outcome = Literal["turn", "dropped", "full"]


class FullError(Exception):
    """Too many requests wait."""


class Ticket:
    """A request of a client; any code in the event loop may drop it.

    Attributes:
        client: the client's name.
        number: the largest of a client is its newest.
        size: characters of the texts.
        dropped: set when the answer is no longer needed; for threads.
    """

    def __init__(self, client: str, *, number: int, size: int) -> None:
        self.client, self.number, self.size = client, number, size
        self.dropped = threading.Event()
        self.called: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    def drop(self) -> None:
        """Drop the request: its answer is no longer needed."""
        self.dropped.set()
        self.call("dropped")

    def call(self, outcome: Outcome) -> None:
        """End the wait, unless it is over."""
        if not self.called.done():
            self.called.set_result(outcome)


class RequestQueue:
    """A queue: at most `at_once` requests are processed and at most `most_waiting` wait, one of each client."""

    def __init__(self, *, at_once: int, most_waiting: int) -> None:
        self._at_once, self._most_waiting = at_once, most_waiting
        self._waiting: dict[str, Ticket] = {}  # by client
        self._having_turns: set[Ticket] = set()

    @asynccontextmanager
    async def turn(self, ticket: Ticket) -> AsyncIterator[None]:
        """Wait for a ticket's turn, which ends with the block.

        Raises:
            DroppedError: the ticket is dropped before its turn, or the client has a newer one.
            FullError: too many wait.
        """
        if other := self._waiting.get(ticket.client):
            if other.number > ticket.number:
                raise DroppedError
            other.drop()
        self._waiting[ticket.client] = ticket
        self._call_next()
        if len(self._waiting) > self._most_waiting:
            longest = max(self._waiting.values(), key=lambda each: each.size)
            del self._waiting[longest.client]
            longest.call("full")
        try:
            match await ticket.called:
                case "dropped":
                    raise DroppedError
                case "full":
                    raise FullError
            yield
        finally:
            self._having_turns.discard(ticket)
            if self._waiting.get(ticket.client) is ticket:
                del self._waiting[ticket.client]
            self._call_next()

    def waiting_and_running(self) -> tuple[int, int]:
        """How many requests wait, and how many are processed."""
        return len(self._waiting), len(self._having_turns)

    def _call_next(self) -> None:
        while len(self._having_turns) < self._at_once:
            waiting = [each for each in self._waiting.values() if not each.called.done()]
            if not waiting:
                return
            ticket = min(waiting, key=lambda each: each.size)
            del self._waiting[ticket.client]
            self._having_turns.add(ticket)
            ticket.call("turn")
