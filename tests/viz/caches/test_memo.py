"""The memo: which values it drops first, and how it identifies and measures them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from encoder import Backend
from viz.caches import memo as memo_module
from viz.caches.memo import IDLE, Memo, key_of, key_of_run, size_of
from viz.computing.worker import in_worker

KILOBYTE = 1_000
SMALL = 0.4 * KILOBYTE  # at most, of an entry's key and containers


class Computed:
    """A function that records its calls; its value takes as many kilobytes as its argument says."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, kilobytes: int) -> bytes:
        self.calls.append(kilobytes)
        if kilobytes < 0:
            raise ValueError("negative")
        return bytes(kilobytes * KILOBYTE)


@pytest.fixture
def computed() -> Computed:
    return Computed()


def test_a_value_is_computed_once(computed: Computed) -> None:
    memo = Memo(100 * KILOBYTE)
    assert memo.get(computed, 5) is memo.get(computed, 5)
    memo.get(computed, 6)
    assert computed.calls == [5, 6]


def test_the_least_recently_used_value_is_dropped_first(computed: Computed) -> None:
    memo = Memo(100 * KILOBYTE)
    for kilobytes in (30, 31, 32, 30, 33):
        memo.get(computed, kilobytes)
    assert computed.calls == [30, 31, 32, 33]
    memo.get(computed, 30)
    memo.get(computed, 32)
    assert computed.calls == [30, 31, 32, 33]
    memo.get(computed, 31)
    assert computed.calls == [30, 31, 32, 33, 31]


def test_large_values_that_nobody_used_lately_have_less_room(
    computed: Computed, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(memo_module, "monotonic", lambda: now)
    memo = Memo(1000 * KILOBYTE, idle_bytes=500 * KILOBYTE)
    for kilobytes in (50, 200, 201, 202):
        memo.get(computed, kilobytes)
    now = IDLE + 1
    for kilobytes in (201, 203):  # drops 200 and then 202
        memo.get(computed, kilobytes)
    assert computed.calls == [50, 200, 201, 202, 203]
    for kilobytes in (50, 201, 203, 202, 200):
        memo.get(computed, kilobytes)
    assert computed.calls == [50, 200, 201, 202, 203, 202, 200]


def test_small_values_fit_besides_one_that_is_larger_than_the_memo(computed: Computed) -> None:
    memo = Memo(100 * KILOBYTE, most_of_one=60 * KILOBYTE)
    for kilobytes in (500, 20, 500, 20, 501, 500):
        memo.get(computed, kilobytes)
    assert computed.calls == [500, 20, 501, 500]


def test_a_value_larger_than_the_memo_is_held_alone(computed: Computed) -> None:
    memo = Memo(100 * KILOBYTE)
    for kilobytes in (1, 500, 500, 1, 500):
        memo.get(computed, kilobytes)
    assert computed.calls == [1, 500, 1, 500]


def test_an_exception_is_not_cached(computed: Computed) -> None:
    memo = Memo(100 * KILOBYTE)
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            memo.get(computed, -1)
    assert computed.calls == [-1, -1]


def test_a_cleared_value_is_computed_again_and_takes_no_memory(computed: Computed) -> None:
    memo = Memo(100 * KILOBYTE)
    memo.get(computed, 60)
    memo.clear()
    for kilobytes in (60, 38, 60):
        memo.get(computed, kilobytes)
    assert computed.calls == [60, 60, 38]


def test_threads_with_one_key_wait_for_one_computation(computed: Computed) -> None:
    memo = Memo(100 * KILOBYTE)
    begun, go_on = threading.Event(), threading.Event()

    def slow(kilobytes: int) -> bytes:
        begun.set()
        assert go_on.wait(30)
        return computed(kilobytes)

    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(memo.get, slow, 7) for _ in range(4)]
        assert begun.wait(30)
        go_on.set()
        assert len({id(answer.result()) for answer in answers}) == 1
    assert computed.calls == [7]


def test_a_waiting_thread_computes_what_another_could_not() -> None:
    memo, attempts = Memo(100 * KILOBYTE), []
    begun, go_on = threading.Event(), threading.Event()

    def second_time_lucky() -> str:
        attempts.append(threading.get_ident())
        begun.set()
        assert go_on.wait(30)
        if len(attempts) == 1:
            raise ValueError("the first attempt")
        return "computed"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(memo.get, second_time_lucky)
        assert begun.wait(30)
        second = pool.submit(memo.get, second_time_lucky)
        go_on.set()
        assert isinstance(first.exception(), ValueError)
        assert second.result() == "computed"
    assert len(attempts) == 2


def test_the_worker_waits_for_no_thread_that_waits_for_it(computed: Computed) -> None:
    """A thread has begun to compute a value, and its work is queued behind other work that needs the same value."""
    memo, queued, pending = Memo(100 * KILOBYTE), threading.Event(), threading.Event()

    def other_work() -> bytes:
        queued.set()
        assert pending.wait(30)
        return memo.get_in_worker(computed, 5)

    def compute() -> bytes:
        pending.set()
        return in_worker(lambda: computed(5))

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(in_worker, other_work)
        assert queued.wait(30)
        second = pool.submit(memo.compute, key_of(computed, 5), compute)
        assert first.result(30) == second.result(30)


def test_a_run_in_a_key_is_represented_by_plain_values(bundled: Backend) -> None:
    runs = [bundled.trace("time flies"), bundled.trace("time flies")]
    assert key_of(len, runs[0], layer=1) == key_of(len, runs[1], layer=1)
    others = [bundled.trace("time flies", "fast"), bundled.trace("time flies", silenced_heads=[(0, 1)])]
    assert len({key_of_run(run) for run in (*runs, *others)}) == 3
    assert key_of(len, runs[0], layer=1) != key_of(len, runs[0], layer=2) != key_of(max, runs[0], layer=2)


@dataclass(frozen=True, slots=True)
class Found:
    """A value with arrays in it."""

    arrays: tuple[np.ndarray, ...]
    by_name: dict[str, np.ndarray]


@pytest.mark.parametrize(
    ("value", "kilobytes"),
    [
        (np.zeros((4, 500), np.float32), 8),
        (np.zeros((4, 500), np.float32)[0], 8),  # a view keeps all of it alive
        (np.broadcast_to(np.zeros(250, np.float32), (100, 250)), 1),
        ("x" * KILOBYTE, 1),
        (Found((np.zeros(KILOBYTE, np.int8),) * 2, {"a": np.zeros(KILOBYTE, np.int8)}), 2),
    ],
    ids=["array", "view", "broadcast", "text", "dataclass"],
)
def test_a_value_is_measured_by_its_arrays_and_texts(value: object, kilobytes: int) -> None:
    assert kilobytes * KILOBYTE <= size_of(value) <= kilobytes * KILOBYTE + SMALL


def test_a_run_is_measured_by_the_arrays_that_it_holds(bundled: Backend) -> None:
    run = bundled.trace("flies " * 600)
    arrays = [run.hidden_states, *run.embedding_parts.values()]
    arrays += [array for layer in run.layers for array in (layer.query, layer.key, layer.value) if array is not None]
    held = sum(array.nbytes for array in arrays)
    assert held <= size_of(run) < 1.02 * held


def test_a_model_is_measured_by_its_weights(bundled: Backend) -> None:
    weights = sum(parameter.nbytes for module in bundled.modules for parameter in module.parameters())
    assert size_of(bundled) == bundled.nbytes == weights
