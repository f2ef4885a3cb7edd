"""Memory that was freed, and that the C library keeps."""

from __future__ import annotations

import ctypes
import sys


def return_freed_memory() -> None:
    """Return what was freed to the system, where the C library is glibc.

    It keeps freed tensors of other sizes than the next ones between those in use: tens of MB in a minute.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
