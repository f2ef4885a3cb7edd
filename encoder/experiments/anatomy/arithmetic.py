"""The arithmetic of one number: a sum, a dot product, a softmax or a layer norm, with all that goes into it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.runs.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """Numbers that were added.

    Attributes:
        value: the sum as the model has it.
    """

    addends: tuple[float, ...]
    value: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DotProduct:
    """Two vectors multiplied number by number and summed, and a bias where one is added.

    Attributes:
        left, right: (N,) the vectors.
        value: the result as the model has it, bias included.
    """

    left: FloatArray
    right: FloatArray
    value: float
    bias: float | None = None

    @property
    def products(self) -> FloatArray:
        """(N,) what is summed."""
        products: FloatArray = self.left * self.right
        return products

    @property
    def total(self) -> float:
        """The sum of the products, in double precision, without the bias."""
        return float(self.products.sum(dtype=np.float64))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Softmax:
    """One weight of a row of scores.

    Attributes:
        scores: (N,) the row; -inf where a key is masked.
        index: which of them the weight belongs to.
        value: the weight as the model has it.
    """

    scores: FloatArray
    index: int
    value: float

    @property
    def largest(self) -> float:
        """The largest score, which is subtracted from all of them before the exponentials."""
        return float(self.scores.max())

    @property
    def exponentials(self) -> FloatArray:
        """(N,) e to the power of every score minus the largest."""
        exponentials: FloatArray = np.exp(self.scores - self.largest)
        return exponentials

    @property
    def total(self) -> float:
        """The sum of the exponentials."""
        return float(self.exponentials.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerNorm:
    """One number of a layer norm: (number - mean) / deviation · gain + shift.

    Attributes:
        number: the number that is normed; mean and deviation are those of its token's whole vector.
        deviation: the standard deviation, with the model's epsilon in it.
        gain, shift: what was learned for this dimension.
        value: the result as the model has it.
    """

    number: float
    mean: float
    deviation: float
    gain: float
    shift: float
    value: float


def layer_norm(
    vector: FloatArray, index: int, *, gain: FloatArray, shift: FloatArray, epsilon: float, value: float
) -> LayerNorm:
    """The layer norm of one number of a vector (D,); gain and shift are (D,) as well."""
    return LayerNorm(
        number=float(vector[index]),
        mean=float(vector.mean()),
        deviation=float(np.sqrt(vector.var() + epsilon)),
        gain=float(gain[index]),
        shift=float(shift[index]),
        value=value,
    )
