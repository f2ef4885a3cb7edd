"""What a number that is worked out consists of, and how numbers, sums, softmax and layer norm are written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from encoder.experiments.anatomy.record import Record
from encoder.trace import FloatArray

Columns = Mapping[str, FloatArray]
EXPONENTIAL = "exp(s − largest)"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Worked:
    """How one cell came about.

    Attributes:
        lines: LaTeX, from the formula to the number.
        terms: what the sum runs over, one row each; the last column is summed. Empty where there is no sum.
        over: what a row of `terms` is: "dimension", "key", ...
        value: the cell.
    """

    lines: tuple[str, ...]
    value: float
    terms: Columns = field(default_factory=lambda: MappingProxyType({}))
    over: str = ""


def number(value: float, *, digits: int = 4) -> str:
    """A number for LaTeX, with so many significant digits."""
    if math.isinf(value):
        return r"-\infty" if value < 0 else r"\infty"
    text = f"{value:.{digits}g}"
    if "e" in text:
        factor, exponent = text.split("e")
        return rf"{factor} \cdot 10^{{{int(exponent)}}}"
    return text


def signed(value: float) -> str:
    """The same, to be added: "+ 2" or "- 2"."""
    return f"- {number(-value)}" if value < 0 else f"+ {number(value)}"


def product(
    formula: str, factors: Columns, *, value: float, bias: float | None = None, over: str = "dimension"
) -> Worked:
    """A sum of products of two vectors, with a bias where there is one."""
    one, other = factors.values()
    products = one * other
    total = float(products.sum(dtype=np.float64))
    plus = "" if bias is None else f" {signed(bias)}"
    reached = number(total) if bias is None else rf"{number(total)}{plus} = {number(value)}"
    return Worked(
        lines=(rf"{formula} = {_first(products)}", f"= {reached}"),
        value=value,
        terms=MappingProxyType({**factors, "product": products}),
        over=over,
    )


def softmaxed(
    formula: str, scores: FloatArray, at: int, *, score: str, others: str, value: float
) -> tuple[str, FloatArray]:
    """One weight of a row of scores, and the exponentials of the whole row.

    Args:
        formula: what the weight is called; `score` and `others` are its own score and any of the row, all in LaTeX.
        scores: (T,), -inf where a key is hidden.
    """
    largest = float(scores.max())
    powers = np.exp(scores - largest)
    line = (
        rf"{formula} = \frac{{e^{{{score} {signed(-largest)}}}}}{{\sum_j e^{{{others} {signed(-largest)}}}}} = "
        rf"\frac{{{number(float(powers[at]))}}}{{{number(float(powers.sum()))}}} = {number(value)}"
    )
    return line, powers


def normed(vector: FloatArray, column: int, record: Record, norm: str, value: float) -> str:
    """Layer norm of one number of a vector: minus its mean, over its deviation, times a gain, plus a shift."""
    mean, deviation = float(vector.mean()), float(np.sqrt(vector.var() + record.config.layer_norm_eps))
    gain, shift = (float(record.parameters[f"{norm}.{name}"][column]) for name in ("weight", "bias"))
    return (
        rf"\text{{LayerNorm: }} \frac{{{number(float(vector[column]))} {signed(-mean)}}}{{{number(deviation)}}} "
        rf"\cdot {number(gain)} {signed(shift)} = {number(value)}"
    )


def _first(products: FloatArray) -> str:
    """The first terms of a sum and its last one."""
    if len(products) <= 4:
        return " ".join(signed(float(term)) for term in products).removeprefix("+ ")
    shown = " ".join(signed(float(term)) for term in products[:3]).removeprefix("+ ")
    return rf"{shown} + \dots {signed(float(products[-1]))}"
