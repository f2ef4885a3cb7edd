"""Which request has its turn next, which are replaced, and which are refused."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.threads import in_a_thread
from viz.computing.worker import DroppedError
from viz.page.request_queue import FullError, RequestQueue, Ticket


class Requests:
    """Requests to a queue, each of which notes its turn and has it until it is told to end."""

    def __init__(self, *, at_once: int = 1, most_waiting: int = 9) -> None:
        self.queue = RequestQueue(at_once=at_once, most_waiting=most_waiting)
        self.turns: list[str] = []
        self.tickets: dict[str, Ticket] = {}
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, name: str, *, client: str = "", number: int = 0, size: int = 1) -> None:
        """A request, under a name of the test's, until it waits or has its turn."""
        self.tickets[name] = Ticket(client or name, number=number, size=size)
        self._ends[name] = asyncio.Event()
        self._tasks[name] = asyncio.create_task(self._work(name))
        await settled()

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await self._tasks[name]
        await settled()

    async def cancel(self, name: str) -> None:
        self._tasks[name].cancel()
        await settled()

    def error(self, name: str) -> BaseException | None:
        return self._tasks[name].exception()

    async def _work(self, name: str) -> None:
        async with self.queue.turn(self.tickets[name]):
            self.turns.append(name)
            await self._ends[name].wait()


async def settled() -> None:
    """Until every task has gone as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_no_more_have_their_turn_than_are_allowed() -> None:
    async def run() -> None:
        requests = Requests(at_once=2)
        for name in ("first", "second", "third"):
            await requests.ask(name)
        assert requests.turns == ["first", "second"]
        await requests.end("second")
        assert requests.turns == ["first", "second", "third"]
        await requests.end("first")
        await requests.end("third")

    in_a_thread(run)


def test_the_shortest_text_goes_first_and_equal_ones_in_their_order() -> None:
    async def run() -> None:
        requests = Requests()
        for name, size in (("now", 5), ("long", 900), ("one", 20), ("other", 20)):
            await requests.ask(name, size=size)
        for name in ("now", "one", "other", "long"):
            await requests.end(name)
        assert requests.turns == ["now", "one", "other", "long"]

    in_a_thread(run)


def test_a_newer_request_replaces_the_one_of_its_client_that_waits() -> None:
    async def run() -> None:
        requests = Requests()
        await requests.ask("now", client="page")
        await requests.ask("old", client="page")
        await requests.ask("new", client="page", number=1)
        assert isinstance(requests.error("old"), DroppedError)
        await requests.ask("late", client="page")  # such as the maps of an old text
        assert isinstance(requests.error("late"), DroppedError)
        await requests.end("now")
        await requests.end("new")
        assert requests.turns == ["now", "new"]

    in_a_thread(run)


def test_the_longest_is_refused_if_too_many_wait() -> None:
    async def run() -> None:
        requests = Requests(most_waiting=2)
        for name, size in (("now", 1), ("long", 900), ("short", 3), ("shorter", 2), ("longer", 950)):
            await requests.ask(name, size=size)
        assert [isinstance(requests.error(name), FullError) for name in ("long", "longer")] == [True, True]
        for name in ("now", "shorter", "short"):
            await requests.end(name)
        assert requests.turns == ["now", "shorter", "short"]

    in_a_thread(run)


def leave(requests: Requests, name: str) -> Coroutine[Any, Any, None]:
    async def drop() -> None:
        requests.tickets[name].drop()
        await settled()
        assert isinstance(requests.error(name), DroppedError)

    return drop()


@pytest.mark.parametrize("ended_by", [leave, Requests.cancel], ids=["dropped", "cancelled"])
def test_a_request_that_ends_while_it_waits_has_no_turn(ended_by: Any) -> None:
    async def run() -> None:
        requests = Requests()
        for name in ("now", "gone", "next"):
            await requests.ask(name)
        await ended_by(requests, "gone")
        await requests.end("now")
        await requests.end("next")
        assert requests.turns == ["now", "next"]

    in_a_thread(run)


def test_a_request_that_is_cancelled_when_it_is_called_hands_its_turn_on() -> None:
    async def run() -> None:
        requests = Requests()
        for name in ("now", "gone", "next"):
            await requests.ask(name)
        requests._ends["now"].set()
        while not requests.tickets["gone"].called.done():
            await asyncio.sleep(0)
        await requests.cancel("gone")  # before it has noticed that it was called
        assert requests.turns == ["now", "next"]
        await requests.end("next")

    in_a_thread(run)
