"""What happens on the server, for those who listen: metrics, and a line of the log (`viz.page.metrics`).

Without a listener nothing is measured. An event has names and numbers that the program chose; nothing that a visitor
typed, and no name of a file or a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Literal, TypeVar

from encoder.errors import HeadlightError

Fact = str | int | float
Listener = Callable[[str, Mapping[str, Fact]], None]
Queue = Literal["worker", "typing", "jobs"]  # short work, texts that are answered while they are typed, long work
Result = TypeVar("Result")

_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Call a function with every event from now on, in the thread in which it happens."""
    _listeners.append(listener)


def report(event: str, **facts: Fact) -> None:
    """Report an event."""
    for listener in _listeners:
        listener(event, facts)


def refused(reason: str) -> None:
    """Report that something was refused."""
    report("refusal", reason=reason)


@contextmanager
def reported(event: str, *, stopped_by: type[Exception] | None = None, **facts: Fact) -> Iterator[None]:
    """Report how long the block took, and its state.

    The state is "done"; "refused" after an error of ours, which visitors read as a sentence; "stopped" after an
    exception that ends what nobody needs any more, such as those of Streamlit; and "failed" after any other.
    """
    begun, state = perf_counter(), "done"
    try:
        yield
    except HeadlightError:
        state = "refused"
        raise
    except Exception as error:
        state = "stopped" if stopped_by and isinstance(error, stopped_by) else "failed"
        raise
    except BaseException:
        state = "stopped"
        raise
    finally:
        report(event, state=state, seconds=perf_counter() - begun, **facts)


def timed(queue: Queue, work: Callable[[], Result]) -> Callable[[], Result]:
    """The same work, which reports how long it waited from now on, and how long it took."""
    if not _listeners:
        return work
    asked = perf_counter()

    def work_and_report() -> Result:
        begun = perf_counter()
        try:
            return work()
        finally:
            report("work", queue=queue, waiting=begun - asked, seconds=perf_counter() - begun)

    return work_and_report
