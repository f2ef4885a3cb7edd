"""The engine of one machine: processes with a model each, fed with shards as they become free."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import get_context, parent_process

import torch

from encoder.atlas.measuring import Measurer, Setting, ShardResult
from encoder.atlas.shards import Shard, Shards
from encoder.errors import AtlasError

# Takes shards as they are needed, gives their results in any order.
Engine = Callable[[Shards], Iterator[ShardResult]]

_measurers: list[Measurer] = []  # the one of this process, where it is a worker


@contextmanager
def this_process(setting: Setting) -> Iterator[Engine]:
    """Measure shards one after the other in this process."""
    threads = torch.get_num_threads()
    try:
        measurer = Measurer(setting)
        yield partial(map, measurer.measure)
    finally:
        torch.set_num_threads(threads)


@contextmanager
def processes(setting: Setting, workers: int) -> Iterator[Engine]:
    """Measure shards in several processes, which end with the context.

    Raises:
        AtlasError: by the engine, where a worker is killed.
    """
    # `spawn`: a fork of a process in which torch has run may hang.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (setting,))
    try:
        yield partial(_measure_all, pool, workers)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _measure_all(pool: ProcessPoolExecutor, workers: int, shards: Shards) -> Iterator[ShardResult]:
    """Two shards a worker are under way or waiting."""
    under_way: set[Future[ShardResult]] = set()
    waiting = iter(shards)
    try:
        while True:
            under_way |= {pool.submit(_measure, shard) for shard in islice(waiting, 2 * workers - len(under_way))}
            if not under_way:
                return
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    except BrokenProcessPool as error:
        raise AtlasError("A worker was ended from outside, by lack of memory perhaps: go on with --resume.") from error


def _start_worker(setting: Setting) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the process that hands out the shards
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _measurers.append(Measurer(setting))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _measure(shard: Shard) -> ShardResult:
    return _measurers[0].measure(shard)
