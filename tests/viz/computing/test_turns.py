"""Which job runs, and which ones wait for it."""

import threading
from collections.abc import Iterator

import pytest

from viz.computing import turns as turns_module
from viz.computing.turns import Turns

SECONDS = 30
ANN, BEN, CAT, DAN = "Ann", "Ben", "Cat", "Dan"  # sessions


class UnwantedError(Exception):
    """Ends a job that waits."""


class Waiting:
    """A job that some sessions wait for. It ends on request."""

    def __init__(self, turns: Turns, *watchers: object) -> None:
        self.watchers = frozenset(watchers)
        self.begun, self.over, self.unwanted = threading.Event(), threading.Event(), threading.Event()
        self._asked, self._turns = threading.Event(), turns
        self._thread = threading.Thread(target=self._run)

    def start(self) -> "Waiting":
        """Until it has begun, or waits."""
        self._thread.start()
        while not self.begun.is_set() and not self._asked.is_set():
            self._asked.wait(0.001)
        return self

    def end(self) -> None:
        self.over.set()
        self._thread.join(SECONDS)

    def give_up(self) -> None:
        self.unwanted.set()
        self._thread.join(SECONDS)

    def _run(self) -> None:
        try:
            with self._turns.turn(self, self._end_if_unwanted):
                self.begun.set()
                assert self.over.wait(SECONDS)
        except UnwantedError:
            return

    def _end_if_unwanted(self) -> None:
        self._asked.set()
        if self.unwanted.is_set():
            raise UnwantedError


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Iterator[Turns]:
    monkeypatch.setattr(turns_module, "CHECK_INTERVAL", 0.001)
    return Turns(2)


def test_so_many_run_at_once_and_the_others_follow_in_their_order(turns: Turns) -> None:
    jobs = [Waiting(turns, watcher).start() for watcher in (ANN, BEN, CAT, DAN)]
    assert [job.begun.is_set() for job in jobs] == [True, True, False, False]
    assert [turns.ahead_of(job) for job in jobs] == [0, 0, 2, 3]
    jobs[1].end()
    assert jobs[2].begun.wait(SECONDS)
    assert not jobs[3].begun.is_set()
    jobs[0].end()
    assert jobs[3].begun.wait(SECONDS)
    for job in jobs[2:]:
        job.end()


def test_one_session_has_one_turn_and_others_go_before_its_next_job(turns: Turns) -> None:
    first, second = Waiting(turns, ANN).start(), Waiting(turns, ANN).start()
    other = Waiting(turns, BEN).start()
    assert [job.begun.is_set() for job in (first, second, other)] == [True, False, True]
    other.end()
    assert not second.begun.is_set()
    first.end()
    assert second.begun.wait(SECONDS)
    second.end()


def test_a_job_that_two_sessions_wait_for_is_the_turn_of_both(turns: Turns) -> None:
    shared, own = Waiting(turns, ANN, BEN).start(), Waiting(turns, BEN).start()
    assert [job.begun.is_set() for job in (shared, own)] == [True, False]
    shared.end()
    assert own.begun.wait(SECONDS)
    own.end()


def test_a_shared_job_begins_for_the_session_that_has_no_turn(turns: Turns) -> None:
    own, shared = Waiting(turns, ANN).start(), Waiting(turns, ANN, BEN).start()
    assert [job.begun.is_set() for job in (own, shared)] == [True, True]
    for job in (own, shared):
        job.end()


def test_a_job_that_is_unwanted_while_it_waits_leaves_its_place(turns: Turns) -> None:
    jobs = [Waiting(turns, watcher).start() for watcher in (ANN, BEN, CAT, DAN)]
    jobs[2].give_up()
    assert turns.ahead_of(jobs[3]) == 2
    jobs[0].end()
    assert jobs[3].begun.wait(SECONDS)
    assert not jobs[2].begun.is_set()
    for job in jobs[1], jobs[3]:
        job.end()


def test_a_job_that_fails_hands_its_turn_on(turns: Turns) -> None:
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), turns.turn(Waiting(turns, ANN), lambda: None):
            raise ZeroDivisionError
    last = Waiting(turns, ANN).start()
    assert last.begun.wait(SECONDS)
    last.end()
