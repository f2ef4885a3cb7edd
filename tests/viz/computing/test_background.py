"""Background work is done once and in order; waiting threads continue when it is done or has failed."""

import gc
import threading

import pytest

from encoder.errors import CheckpointError
from viz.computing.background import Background

SECONDS = 60


class Steps:
    """Two steps that wait for a signal each, and what was done."""

    def __init__(self) -> None:
        self.go = [threading.Event(), threading.Event()]
        self.entered = [threading.Event(), threading.Event()]
        self.done: list[str] = []
        self.background = Background(
            [("the first", lambda: self.step(0)), ("the second", lambda: self.step(1))], afterwards=self.after
        )
        self.over = threading.Event()

    def step(self, index: int) -> None:
        self.entered[index].set()
        assert self.go[index].wait(SECONDS)
        self.done.append(f"{index}, collecting" if gc.isenabled() else str(index))

    def after(self) -> None:
        self.done.append("after, collecting" if gc.isenabled() else "after")
        self.over.set()


def test_steps_are_done_in_order_and_named_while_they_are() -> None:
    steps = Steps()
    background = steps.background
    assert not background.wait(0)
    background.start()
    assert steps.entered[0].wait(SECONDS)
    assert (background.step, background.done) == ("the first", False)
    steps.go[0].set()
    assert steps.entered[1].wait(SECONDS)
    assert (background.step, background.done) == ("the second", False)
    steps.go[1].set()
    assert background.wait(SECONDS)
    assert background.done
    assert steps.over.wait(SECONDS)
    assert steps.done == ["0", "1", "after, collecting"]


def test_it_is_started_once_however_many_start_it() -> None:
    steps = Steps()
    for event in steps.go:
        event.set()
    starters = [threading.Thread(target=steps.background.start) for _ in range(8)]
    for thread in starters:
        thread.start()
    for thread in starters:
        thread.join()
    assert steps.background.wait(SECONDS)
    assert steps.over.wait(SECONDS)
    steps.background.start()
    assert steps.done == ["0", "1", "after, collecting"]


def test_a_step_that_fails_ends_the_wait_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise CheckpointError("The weights are damaged.")

    after = threading.Event()
    background = Background([("the model", fail)], afterwards=after.set)
    background.start()
    assert background.wait(SECONDS)
    assert after.wait(SECONDS)
    assert "could not load the model beforehand: The weights are damaged." in caplog.text
    assert gc.isenabled()
