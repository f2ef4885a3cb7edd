"""Memory that is free, and that the C library keeps."""

from __future__ import annotations

import ctypes
import sys


def return_free_memory() -> None:
    """Give free memory back to the system, where the C library is glibc, which keeps it otherwise.

    Batches of many sizes leave holes between them: without this a shard takes half as much memory again.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
