"""Runs tests on mutants, each in a fork of this process, which has imported what takes seconds to import.

The source files stay as they are. A fork imports the mutated text in place of one file's, so that neither a copy of the
tree nor a clean-up is needed, and several forks can run at once.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Literal

import pytest

from tests.mutants.sources import Mutant
from tests.mutants.targets import ROOT

# Other people's packages only: ours have to be imported by the fork, mutated or not.
WARM = (
    *("numpy", "pandas", "sklearn.decomposition", "torch", "torch.utils.flop_counter", "safetensors.torch"),
    *("tokenizers", "transformers", "transformers.models.bert.modeling_bert", "huggingface_hub"),
    *("streamlit", "streamlit.testing.v1", "plotly.graph_objects", "hypothesis.strategies"),
)
PYTEST = ("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
PATIENCE = (20.0, 4.0)  # a run may take so many seconds, and so many times what the unchanged program takes
Outcome = Literal["killed", "survived", "too slow"]


@dataclass(frozen=True, slots=True)
class Job:
    """Tests to run, for so many seconds at most, on a mutant or on the program as it is."""

    tests: tuple[str, ...]
    seconds: float
    mutant: Mutant | None = None


@dataclass(frozen=True, slots=True)
class _Fork:
    job: Job
    started: float


def warm_up() -> None:
    """Import what every fork needs. One thread each: a fork does not inherit the threads of a pool."""
    os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}
    for name in WARM:
        importlib.import_module(name)


def run_all(jobs: Sequence[Job], *, workers: int, log: Path) -> Iterator[tuple[Job, Outcome, float]]:
    """Run jobs, so many at a time. Yields each with its outcome and its seconds, as they end.

    Args:
        log: a file for what pytest prints, the latest runs at its end.
    """
    waiting, running = list(jobs), dict[int, _Fork]()
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.pop(0)
                running[_forked(partial(_run_tests, job), log)] = _Fork(job, time.monotonic())
            ended = _ended(running)
            if not ended:
                time.sleep(0.05)
            for pid, outcome in ended:
                fork = running.pop(pid)
                yield fork.job, outcome, time.monotonic() - fork.started
    finally:
        for pid in running:
            _kill(pid)


def _ended(running: dict[int, _Fork]) -> list[tuple[int, Outcome]]:
    ended: list[tuple[int, Outcome]] = []
    for pid, fork in running.items():
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            ended.append((pid, "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"))
        elif time.monotonic() - fork.started > fork.job.seconds:
            _kill(pid)
            ended.append((pid, "too slow"))
    return ended


def _kill(pid: int) -> None:
    """End a fork and what it started."""
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _forked(work: Callable[[], int], log: Path) -> int:
    """Start the work in a fork, which ends with what it returns. Returns the fork's process id."""
    pid = os.fork()
    if pid:
        return pid
    status = 70  # an error outside of pytest
    try:
        os.setpgid(0, 0)
        with log.open("ab", buffering=0) as file:
            for stream in (1, 2):
                os.dup2(file.fileno(), stream)
        status = work()
    finally:
        os._exit(status)


def _run_tests(job: Job) -> int:
    os.chdir(ROOT)
    if job.mutant is not None:
        put_in_place(job.mutant)
    return int(pytest.main([*PYTEST, *job.tests]))


def put_in_place(mutant: Mutant) -> None:
    """From now on this process imports the mutant instead of the file.

    Raises:
        RuntimeError: the file has been imported already.
    """
    path = str(ROOT / mutant.path)
    name = ".".join(mutant.path.with_suffix("").parts).removesuffix(".__init__")
    if name in sys.modules:
        raise RuntimeError(f"{name} was imported before its mutant could take its place.")
    plain = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, fullname: str) -> object:
        if loader.get_filename(fullname) == path:
            return loader.source_to_code(mutant.source.encode(), path)  # with the checks that tests add at import
        return plain(loader, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
