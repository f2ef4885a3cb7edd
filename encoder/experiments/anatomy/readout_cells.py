"""A class's logit and probability, and the regression score, with the numbers that they were computed from."""

from __future__ import annotations

from dataclasses import dataclass

from encoder.experiments.anatomy.arithmetic import DotProduct, Softmax
from encoder.experiments.anatomy.readout import Readout


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreCell:
    """The regression score: a dot product, and its sigmoid where the head has one.

    Attributes:
        value: the score; that of `product` where it is not squashed.
        squashed: whether the sigmoid puts it between 0 and 1.
    """

    product: DotProduct
    value: float
    squashed: bool


def logit(readout: Readout, *, row: int) -> DotProduct:
    """A class's logit: what is read times the class's weights."""
    return DotProduct(
        left=readout.state,
        right=readout.weight[row],
        bias=float(readout.bias[row]),
        value=float(readout.prediction.logits[row]),
    )


def probability(readout: Readout, *, row: int) -> Softmax:
    """A class's probability: softmax over the logits of all classes."""
    return Softmax(scores=readout.prediction.logits, index=row, value=float(readout.probabilities[row]))


def score(readout: Readout) -> ScoreCell:
    """The regression score."""
    return ScoreCell(
        product=DotProduct(
            left=readout.state, right=readout.weight[-1], bias=float(readout.bias[-1]), value=readout.raw_score
        ),
        value=readout.score,
        squashed=readout.squashed,
    )
