"""Two texts, as a pair and separately."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.viz.claims.numbers import A, B
from viz.claims.stops import subject_of
from viz.state.fields import with_values
from viz.state.selection import DEFAULT

if TYPE_CHECKING:
    from encoder import Backend
    from viz.claims.subject import Subject


@pytest.fixture(scope="module")
def pair(bundled: Backend) -> Subject:
    return subject_of(with_values(DEFAULT, {"a": A, "b": B, "mode": "pair"}), bundled)


@pytest.fixture(scope="module")
def apart(bundled: Backend) -> Subject:
    return subject_of(with_values(DEFAULT, {"a": A, "b": B, "mode": "separate"}), bundled)
