"""The expected duration of a model's next run."""

import pytest

from viz.caches.run_cache import RunTimes


def test_one_run_is_not_enough_because_a_models_first_is_slow() -> None:
    times = RunTimes()
    assert times.expected("m", 16) is None
    times.note("m", 16, 2.0)
    assert times.expected("m", 16) is None
    times.note("m", 17, 0.1)
    assert times.expected("m", 16) == 0.1


@pytest.mark.parametrize(("seconds", "expected"), [((2.0, 3.0), 2.0), ((2.0, 0.1, 3.0), 0.1), ((0.1, 2.0, 3.0), 2.0)])
def test_the_faster_of_the_last_two_counts(seconds: tuple[float, ...], expected: float) -> None:
    times = RunTimes()
    for taken in seconds:
        times.note("m", 20, taken)
    assert times.expected("m", 20) == expected


def test_models_and_lengths_are_distinguished() -> None:
    times = RunTimes()
    for _ in range(2):
        times.note("slow", 16, 1.0)
        times.note("fast", 500, 0.1)
    assert times.expected("slow", 31) == 1.0
    assert times.expected("slow", 32) is None
    assert times.expected("fast", 16) is None
    assert times.expected("fast", 400) == 0.1
