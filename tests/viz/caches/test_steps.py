"""Results of steps that are cached or being computed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from encoder import Backend
from encoder.progress import Progress
from viz.caches.steps import job_of, known_or_awaited_result, known_result
from viz.recipes.step import LongStep

SECONDS = 60


def test_the_result_of_a_job_that_has_begun_is_awaited(bundled: Backend) -> None:
    begun, may_end = Event(), Event()

    def count(backend: Backend, *, progress: Progress) -> int:
        begun.set()
        assert may_end.wait(SECONDS)
        return backend.num_layers

    step = LongStep(count, (), tokens=1, what="A count", key="count")
    assert known_or_awaited_result(step, "bundled") is None
    job_of(step, "bundled").start(bundled)
    assert begun.wait(SECONDS)
    assert known_result(step, "bundled") is None
    with ThreadPoolExecutor(1) as pool:
        awaited = pool.submit(known_or_awaited_result, step, "bundled")
        may_end.set()
        assert awaited.result(SECONDS) == bundled.num_layers
