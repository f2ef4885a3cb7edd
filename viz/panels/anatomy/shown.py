"""A tensor as a step shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from encoder.runs.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """A tensor of a step, (R, C).

    Attributes:
        name: what it is, in a few words and without sizes.
        rows, columns: what its axes count: "token", "query", "key", "position", "dimension", "unit". Where another
            tensor of the step counts the same, a cell of one has its row or column in the other, too.
        kind: "weight" for numbers in [0, 1], "signed" for any.
        head_width: columns of one head, where heads stand side by side; else 0.
    """

    name: str
    array: FloatArray
    rows: str = "token"
    columns: str = "dimension"
    kind: Literal["weight", "signed"] = "signed"
    head_width: int = 0


def queries_by_keys(name: str, array: FloatArray, *, kind: Literal["weight", "signed"] = "signed") -> Shown:
    """A tensor with a number for each query and each key."""
    return Shown(name=name, array=array, rows="query", columns="key", kind=kind)
