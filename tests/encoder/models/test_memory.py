"""Freed memory is returned to the system where the C library keeps it."""

import ctypes
import platform
from pathlib import Path

import numpy as np
import pytest

from encoder.models.memory import return_freed_memory


def resident() -> float:
    """MB of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries decide by themselves")
def test_holes_between_arrays_that_are_kept_are_given_back() -> None:
    # Below 128 kB glibc takes memory from its heap, where what lies behind a hole keeps it.
    arrays = [np.ones(100_000, dtype=np.uint8) for _ in range(1000)]
    kept = [*arrays[::10], np.ones(100, dtype=np.uint8)]
    del arrays
    before = resident()
    return_freed_memory()
    assert resident() < before - 40
    assert sum(map(len, kept)) == 100 * 100_000 + 100


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    return_freed_memory()
