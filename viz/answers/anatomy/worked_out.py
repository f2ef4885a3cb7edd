"""The computation of one number: its formulas, and every term of its sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from encoder.experiments.anatomy.cells import DotProduct, Softmax
from encoder.runs.arrays import FloatArray
from viz.answers.anatomy.latex import first_products, product_end, softmax_line

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


def explain_dot_product(
    formula: str, product: DotProduct, *, vectors: tuple[str, str], counted: str = "dimension"
) -> WorkedOut:
    """A dot product.

    Args:
        formula: LaTeX, what is computed.
        vectors: what the two vectors are called in the table.
    """
    left, right = vectors
    return WorkedOut(
        lines=(f"{formula} = {first_products(product)}", f"= {product_end(product)}"),
        terms=MappingProxyType({left: product.left, right: product.right, "product": product.products}),
        counted=counted,
    )


def explain_softmax(row: Softmax, *, symbols: tuple[str, str, str], names: tuple[str, str], counted: str) -> WorkedOut:
    """A weight and the row of scores that it comes from.

    Args:
        symbols: LaTeX, what the weight, its own score, and any score of the row are called.
        names: what scores and exponentials are called in the table.
    """
    weight, score, others = symbols
    scores, exponentials = names
    return WorkedOut(
        lines=(softmax_line(row, weight=weight, score=score, others=others),),
        terms=MappingProxyType({scores: row.scores, exponentials: row.exponentials}),
        counted=counted,
    )
