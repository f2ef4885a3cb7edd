"""When all is loaded, the interpreter serves people: threads switch as usual, and the collector skips what stays."""

import gc
import sys
from collections.abc import Iterator

import pytest

from viz.page import loading


@pytest.fixture
def interpreter() -> Iterator[None]:
    """Leaves the process as it was."""
    before = sys.getswitchinterval()
    yield
    gc.unfreeze()
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("interpreter")
def test_loaded_objects_are_frozen_and_threads_switch_as_usual() -> None:
    sys.setswitchinterval(0.0005)
    frozen = gc.get_freeze_count()
    loading._settle()
    assert gc.get_freeze_count() > frozen
    assert sys.getswitchinterval() == pytest.approx(0.005)
