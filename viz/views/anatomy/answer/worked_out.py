"""The computation of one number in LaTeX, and every term of its sum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from encoder.experiments.anatomy.cells import DotProduct, LayerNorm, Softmax, Sum
from encoder.runs.arrays import FloatArray
from viz.answers.answer import Formula, Table
from viz.views.anatomy.answer.tensors import TOKENS
from viz.wording.labels import make_visible

WRITTEN_TERMS = 3  # of a sum; a longer one is written with dots
Terms = Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkedOut:
    """The computation of one number.

    Attributes:
        lines: LaTeX, from the formula to the number.
        terms: columns (N,) of a table with a row for each term; the last column is summed. Empty where there is no sum.
        counted: what a row of the table is: "dimension", "key", ...
    """

    lines: tuple[str, ...]
    terms: Terms = field(default_factory=lambda: MappingProxyType({}))
    counted: str = ""

    @property
    def formula(self) -> Formula:
        """The lines."""
        return Formula("\n".join(self.lines))

    def tables(self, name: str, labels: Sequence[str] = ()) -> tuple[Table, ...]:
        """A row for each term; none without a sum.

        Args:
            name: tells tables of one step apart.
            labels: of the terms, if they are tokens or classes.
        """
        if not self.terms:
            return ()
        count = len(next(iter(self.terms.values())))
        named = self.counted in (*TOKENS, "class")
        rows = [f"{term} · {make_visible(labels[term])}" if named else str(term) for term in range(count)]
        return (
            Table(
                name=f"terms-{name}",
                title=f"All {count:,} terms of the sum",
                columns=lambda: {self.counted: rows, **self.terms},
            ),
        )


def explain_dot_product(
    formula: str, product: DotProduct, *, vectors: tuple[str, str], counted: str = "dimension"
) -> WorkedOut:
    """A dot product.

    Args:
        formula: LaTeX, what is computed.
        vectors: names of the two vectors in the table.
    """
    left, right = vectors
    return WorkedOut(
        lines=(f"{formula} = {_first_products(product)}", f"= {product_end(product)}"),
        terms=MappingProxyType({left: product.left, right: product.right, "product": product.products}),
        counted=counted,
    )


def explain_softmax(row: Softmax, *, symbols: tuple[str, str, str], names: tuple[str, str], counted: str) -> WorkedOut:
    """A weight, and the row of scores that it is computed from.

    Args:
        symbols: LaTeX for the weight, its own score, and any score of the row.
        names: names of scores and exponentials in the table.
    """
    weight, score, others = symbols
    scores, exponentials = names
    return WorkedOut(
        lines=(softmax_line(row, weight=weight, score=score, others=others),),
        terms=MappingProxyType({scores: row.scores, exponentials: row.exponentials}),
        counted=counted,
    )


def shape(rows: int, columns: int) -> str:
    """The shape of a matrix, to be followed by the matrix in braces, which it is written under."""
    return rf"\underset{{{rows} \times {columns}}}"


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


def sum_line(formula: str, total: Sum) -> str:
    """A sum, from its formula to the number."""
    return f"{formula} = {_added(total.addends)} = {number(total.value)}"


def _added(numbers: Sequence[float]) -> str:
    """As in "1 + 2 - 3"."""
    return " ".join(map(signed, numbers)).removeprefix("+ ")


def _first_products(product: DotProduct) -> str:
    """The first terms of a dot product and its last one."""
    numbers = product.products.tolist()
    if len(numbers) <= WRITTEN_TERMS:
        return _added(numbers)
    return rf"{_added(numbers[: WRITTEN_TERMS - 1])} + \dots {signed(numbers[-1])}"


def product_end(product: DotProduct) -> str:
    """The sum of a dot product's terms, and the number with its bias."""
    total = number(product.total)
    return total if product.bias is None else f"{total} {signed(product.bias)} = {number(product.value)}"


def softmax_line(softmax: Softmax, *, weight: str, score: str, others: str) -> str:
    """A weight: the exponential of its score over the sum of all exponentials of the row.

    Args:
        weight, score, others: LaTeX for the weight, its own score, and any score of the row.
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
