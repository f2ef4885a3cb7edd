"""How numbers, sums, softmax and layer norm are written in LaTeX."""

from __future__ import annotations

import math

from encoder.experiments.anatomy.cells import DotProduct, LayerNorm, Softmax, Sum
from encoder.runs.arrays import FloatArray

WRITTEN_TERMS = 4  # of a sum; a longer one is written with dots


def shape(rows: int, columns: int) -> str:
    """A matrix' shape, to be followed by the matrix in braces, which it stands under."""
    return rf"\underset{{{rows} \times {columns}}}"


def gathered(*formulas: str) -> str:
    """Formulas below each other, as one: a line of LaTeX is not broken, and a page is not wide."""
    return r"\begin{gathered}" + r"\\[8pt]".join(formulas) + r"\end{gathered}"


def number(value: float, *, digits: int = 4) -> str:
    """A number with so many significant digits."""
    if math.isinf(value):
        return r"-\infty" if value < 0 else r"\infty"
    text = f"{value:z.{digits}g}"
    if "e" in text:
        factor, exponent = text.split("e")
        return rf"{factor} \cdot 10^{{{int(exponent)}}}"
    return text


def signed(value: float) -> str:
    """A number that is added: "+ 2" or "- 2"."""
    return f"- {number(-value)}" if value < 0 else f"+ {number(value)}"


def added(numbers: tuple[float, ...]) -> str:
    """Numbers added to each other: "1 + 2 - 3"."""
    return " ".join(map(signed, numbers)).removeprefix("+ ")


def sum_line(formula: str, total: Sum) -> str:
    """A sum, from its formula to the number."""
    return f"{formula} = {added(total.addends)} = {number(total.value)}"


def first_products(product: DotProduct) -> str:
    """The first terms of a dot product and its last one."""
    terms: FloatArray = product.products
    numbers = tuple(float(term) for term in terms)
    if len(numbers) <= WRITTEN_TERMS:
        return added(numbers)
    return rf"{added(numbers[: WRITTEN_TERMS - 1])} + \dots {signed(numbers[-1])}"


def product_end(product: DotProduct) -> str:
    """The sum of a dot product's terms, and what a bias makes of it."""
    total = number(product.total)
    return total if product.bias is None else f"{total} {signed(product.bias)} = {number(product.value)}"


def softmax_line(softmax: Softmax, *, weight: str, score: str, others: str) -> str:
    """A weight: the exponential of its score over the sum of the whole row's.

    Args:
        weight, score, others: what the weight, its own score, and any score of the row are called.
    """
    shift = signed(-softmax.largest)
    exponential = float(softmax.exponentials[softmax.index])
    return (
        rf"{weight} = \frac{{e^{{{score} {shift}}}}}{{\sum_j e^{{{others} {shift}}}}} = "
        rf"\frac{{{number(exponential)}}}{{{number(softmax.total)}}} = {number(softmax.value)}"
    )


def layer_norm_line(norm: LayerNorm) -> str:
    """A layer norm of one number: minus the mean, over the deviation, times the gain, plus the shift."""
    return (
        rf"\text{{LayerNorm: }} \frac{{{number(norm.number)} {signed(-norm.mean)}}}{{{number(norm.deviation)}}} "
        rf"\cdot {number(norm.gain)} {signed(norm.shift)} = {number(norm.value)}"
    )


def exponential_of_minus(value: float) -> str:
    """The number e to the power of minus the value."""
    return number(math.exp(-value))
