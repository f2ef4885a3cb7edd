"""The engine for one machine: worker processes with a model each, which take shards as they become free."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import Any, Protocol

from encoder.errors import AtlasError

AGAIN = "Start again: what is finished is saved, and the same command continues."


class Worker(Protocol):
    """A model that measures shards one by one."""

    def measure(self, shard: Any) -> Any:
        """The result of a shard."""


StartWorker = Callable[[], Worker]  # pickled for other processes
# Takes shards on demand, yields results in any order.
Engine = Callable[[Iterable[Any]], Iterator[Any]]

_workers: list[Worker] = []  # of this process, if it is one of a pool


@contextmanager
def named_end(sentence: str) -> Iterator[None]:
    """Have another process print a sentence if this one is ended from outside before the block is left."""
    code = f"import sys; sys.stdin.read() or sys.exit({sentence!r})"
    watcher = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield
    finally:
        watcher.communicate("left")


@contextmanager
def this_process(start: StartWorker) -> Iterator[Engine]:
    """Measure shards one by one in this process."""
    import torch  # lazy: a command that measures in other processes has no use for it

    threads = torch.get_num_threads()
    try:
        yield partial(map, start().measure)
    finally:
        torch.set_num_threads(threads)


@contextmanager
def processes(start: StartWorker, workers: int) -> Iterator[Engine]:
    """Measure shards in several processes, which are stopped when the context exits."""
    # `spawn`: forking a process in which torch has run may hang.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (start,))
    try:
        yield partial(_measure_all, pool, workers)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _measure_all(pool: ProcessPoolExecutor, workers: int, shards: Iterable[Any]) -> Iterator[Any]:
    """Keep two shards per worker running or queued."""
    under_way: set[Future[Any]] = set()
    waiting = iter(shards)
    try:
        while True:
            under_way |= {pool.submit(_measure, shard) for shard in islice(waiting, 2 * workers - len(under_way))}
            if not under_way:
                return
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    except BrokenProcessPool as error:
        raise AtlasError(f"A worker was killed, perhaps for lack of memory. {AGAIN}") from error


def _start_worker(start: StartWorker) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is handled by the parent process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _workers.append(start())


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _measure(shard: Any) -> Any:
    return _workers[0].measure(shard)


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
