"""Background work is done once and in order; waiting threads continue when it is done or has failed."""

import gc
import threading

import pytest

from encoder.errors import CheckpointError
from viz.computing.background import ATTEMPTS, Background

SECONDS = 60


class Steps:
    """Two steps that wait for a signal each, and what was done."""

    def __init__(self) -> None:
        self.go = [threading.Event(), threading.Event()]
        self.entered = [threading.Event(), threading.Event()]
        self.done: list[str] = []
        self.background = Background(
            [("the first", lambda: self.step(0)), ("the second", lambda: self.step(1))],
            afterwards=[("the rest", self.after)],
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


def test_several_starts_run_the_steps_once() -> None:
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
    background = Background([("the model", fail)], afterwards=[("the rest", after.set)])
    background.start()
    assert background.wait(SECONDS)
    assert after.wait(SECONDS)
    assert "could not load the model beforehand: The weights are damaged." in caplog.text
    assert gc.isenabled()


@pytest.mark.parametrize(("failures", "failed"), [(1, ()), (ATTEMPTS, ("torch",))])
def test_a_step_is_tried_again_and_the_others_are_done(
    failures: int, failed: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    left = [ModuleNotFoundError("No module named 'httpcore2'")] * failures
    done: list[str] = []
    over = threading.Event()

    def import_torch() -> None:
        if left:
            raise left.pop()
        done.append("torch")

    background = Background(
        [("torch", import_torch), ("the model", lambda: done.append("the model"))],
        afterwards=[("the views", over.set)],
    )
    background.start()
    assert over.wait(SECONDS)
    assert (background.failed, done) == (failed, ["the model"] if failed else ["torch", "the model"])
    assert caplog.text.count("could not load torch beforehand\nTraceback") == failures


@pytest.mark.parametrize(
    "refusal", ["cannot schedule new futures after interpreter shutdown", "can't register atexit after shutdown"]
)
def test_a_server_that_ends_while_it_starts_logs_no_error(refusal: str, caplog: pytest.LogCaptureFixture) -> None:
    def work() -> None:
        raise RuntimeError(refusal)

    background = Background([("the model", work)])
    background.start()
    assert background.wait(60)
    assert background.failed == ()
    assert not caplog.text
