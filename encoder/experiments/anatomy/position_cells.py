"""One number of the sinusoidal position vectors, and the dot product of two position vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from encoder.experiments.anatomy.arithmetic import DotProduct
from encoder.runs.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SinusoidCell:
    """A sine or cosine of `angle` = `position` · 10000^(-`exponent` / `width`), in radians.

    Attributes:
        exponent: the dimension, or the one before it: a sine and the cosine behind it share their wavelength.
        width: dimensions of a position vector.
        value: the number as the table has it.
    """

    function: Literal["sin", "cos"]
    position: int
    dimension: int
    exponent: int
    width: int
    value: float

    @property
    def frequency(self) -> float:
        """Radians from one position to the next."""
        return float(10000 ** (-self.exponent / self.width))

    @property
    def angle(self) -> float:
        """Radians at this position."""
        return self.position * self.frequency

    @property
    def wavelength(self) -> float:
        """Positions in a whole turn."""
        return 2 * math.pi / self.frequency


def sinusoid(table: FloatArray, *, row: int, column: int) -> SinusoidCell:
    """A number of the sinusoidal encoding.

    Args:
        table: (P, D) from `sinusoidal_table`.
        row: the position.
    """
    return SinusoidCell(
        function="cos" if column % 2 else "sin",
        position=row,
        dimension=column,
        exponent=column - column % 2,
        width=table.shape[1],
        value=float(table[row, column]),
    )


def position_product(table: FloatArray, *, one: int, other: int) -> DotProduct:
    """The dot product of two position vectors, rows of a table (P, D)."""
    return DotProduct(
        left=table[one],
        right=table[other],
        value=float(table[one].astype(float) @ table[other].astype(float)),
    )
