"""How one number of the anatomy was computed, with all numbers that went into it.

Functions on a record take the cell's row and column, and a head where there is one; a row is a token.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from encoder.experiments.anatomy.changes import Changed, Masked
from encoder.experiments.anatomy.readout import Readout
from encoder.experiments.anatomy.record import Record
from encoder.runs.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A sum of numbers, and the model's result."""

    addends: tuple[float, ...]
    value: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DotProduct:
    """A dot product of two vectors (N,), possibly with a bias, and the model's result, bias included."""

    left: FloatArray
    right: FloatArray
    value: float
    bias: float | None = None

    @property
    def products(self) -> FloatArray:
        """(N,) the summands."""
        return self.left * self.right

    @property
    def total(self) -> float:
        """The sum of the products, in double precision, without the bias."""
        return float(self.products.sum(dtype=np.float64))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Softmax:
    """The weight at one index of a row of scores (N,), which are -inf where a key is masked; `value` is the model's."""

    scores: FloatArray
    index: int
    value: float

    @property
    def largest(self) -> float:
        """The largest score, which is subtracted from all of them before the exponentials."""
        return float(self.scores.max())

    @property
    def exponentials(self) -> FloatArray:
        """(N,) exp(score − largest)."""
        return np.exp(self.scores - self.largest)

    @property
    def total(self) -> float:
        """The sum of the exponentials."""
        return float(self.exponentials.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerNorm:
    """One number of a layer norm: (number - mean) / deviation · gain + shift.

    Attributes:
        number: the number to normalise; mean and deviation are those of its token's whole vector.
        deviation: the standard deviation, including the model's epsilon.
        gain, shift: the learned parameters of this dimension.
        value: the model's result.
    """

    number: float
    mean: float
    deviation: float
    gain: float
    shift: float
    value: float


Projection = Literal["query", "key", "value"]
PROJECTIONS: tuple[Projection, ...] = get_args(Projection)


class NormedSum(NamedTuple):
    """A sum, such as that of a residual connection, and its layer norm."""

    total: Sum
    norm: LayerNorm


def embedding(record: Record, *, row: int, column: int) -> NormedSum:
    """A number of the embedding output: numbers looked up in a row of each table, and their layer norm."""
    sums, normed = record.embedding_sum, record.hidden_states[0]
    return _normed_sum(record, [*record.parts.values()], sums, normed, "norm", (row, column))


def residual(record: Record, *, row: int, column: int) -> NormedSum:
    """A number after attention's residual connection and layer norm."""
    addends, sums, normed = (record.layer_input, record.attended), record.attention_sum, record.attention_normed
    return _normed_sum(record, addends, sums, normed, "attention_norm", (row, column))


def layer_output(record: Record, *, row: int, column: int) -> NormedSum:
    """A number after the feed-forward's residual connection and layer norm."""
    addends, sums, normed = (record.attention_normed, record.fed), record.output_sum, record.layer_output
    return _normed_sum(record, addends, sums, normed, "feed_forward_norm", (row, column))


def projection(record: Record, name: Projection, *, head: int, row: int, column: int) -> DotProduct:
    """A number of a query, a key or a value: the token's state times a row of the head's matrix."""
    array: FloatArray = {"query": record.query, "key": record.key, "value": record.value}[name]
    place = head * record.config.head_width + column
    return _linear(record, f"attention.{name}", record.layer_input[row], place, array[head, row, column])


def score(record: Record, *, head: int, row: int, column: int) -> DotProduct:
    """The product of the query of one token and the key of another."""
    query, key, value = record.query[head, row], record.key[head, column], record.products[head, row, column]
    return DotProduct(left=query, right=key, value=float(value))


def weight(record: Record, *, head: int, row: int, column: int) -> Softmax:
    """The attention weight of a query and a key."""
    return Softmax(scores=record.scores[head, row], index=column, value=float(record.weights[head, row, column]))


def context(record: Record, *, head: int, row: int, column: int) -> DotProduct:
    """A number of the context: a row of weights times a column of values."""
    weights, values, value = record.weights[head, row], record.value[head, :, column], record.context[head, row, column]
    return DotProduct(left=weights, right=values, value=float(value))


def attention_output(record: Record, *, row: int, column: int) -> DotProduct:
    """A number of the attention output: joined contexts times a row of the output matrix."""
    return _linear(record, "attention.output", record.merged[row], column, record.attended[row, column])


def unit_input(record: Record, *, row: int, column: int) -> DotProduct:
    """The input of a unit of the feed-forward; the column counts units."""
    return _linear(record, "feed_forward.up", record.attention_normed[row], column, record.inner[row, column])


def feed_forward(record: Record, *, row: int, column: int) -> DotProduct:
    """A number that the feed-forward adds."""
    return _linear(record, "feed_forward.down", record.activated[row], column, record.fed[row, column])


def _linear(record: Record, layer_name: str, state: FloatArray, row: int, value: float) -> DotProduct:
    """A state times one row of a linear layer's matrix, plus its bias."""
    matrix, biases = (record.parameters[f"{layer_name}.{name}"] for name in ("weight", "bias"))
    return DotProduct(left=state, right=matrix[row], bias=float(biases[row]), value=float(value))


def _normed_sum(
    record: Record,
    addends: Sequence[FloatArray],
    sums: FloatArray,
    normed: FloatArray,
    norm: str,
    cell: tuple[int, int],
) -> NormedSum:
    """A number of a sum of arrays (T, D), and its layer norm, of which `norm` names the parameters."""
    row, column = cell
    gain, shift = (float(record.parameters[f"{norm}.{name}"][column]) for name in ("weight", "bias"))
    return NormedSum(
        Sum(addends=tuple(float(array[cell]) for array in addends), value=float(sums[cell])),
        LayerNorm(
            number=float(sums[cell]),
            mean=float(sums[row].mean()),
            deviation=float(np.sqrt(sums[row].var() + record.config.layer_norm_eps)),
            gain=gain,
            shift=shift,
            value=float(normed[cell]),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MaskedWeight:
    """A weight under a mask: scores (T,), the mask (T,) added to them, 0 or -inf, and the softmax of the sum."""

    scores: FloatArray
    mask: FloatArray
    softmax: Softmax


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChangedWeight:
    """A weight of the model and its changed counterpart, each with the softmax of its row.

    Attributes:
        value: the changed weight that multiplies the value; dropout, applied after the softmax, may have set it to 0 or
            scaled it up.
        dropout: the dropout probability.
    """

    own: Softmax
    changed: Softmax
    value: float
    dropout: float


def masked_weight(masked: Masked, *, head: int, row: int, column: int) -> MaskedWeight:
    """A weight of a pass with a mask."""
    return MaskedWeight(
        scores=masked.unmasked[head, row],
        mask=np.where(masked.allowed[row], 0, -np.inf).astype(np.float32),
        softmax=Softmax(scores=masked.scores[head, row], index=column, value=float(masked.weights[head, row, column])),
    )


def changed_weight(record: Record, changed: Changed, *, head: int, row: int, column: int) -> ChangedWeight:
    """A weight of a changed pass; if the changed layer has a single head, that head."""
    changed_head = 0 if len(changed.weights) == 1 else head
    return ChangedWeight(
        own=weight(record, head=head, row=row, column=column),
        changed=Softmax(
            scores=changed.scores[changed_head, row],
            index=column,
            value=float(changed.softmax[changed_head, row, column]),
        ),
        value=float(changed.weights[changed_head, row, column]),
        dropout=record.config.attention_probs_dropout_prob,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SinusoidCell:
    """A sine or cosine of `angle` = `position` · 10000^(-`exponent` / `width`), in radians.

    Attributes:
        exponent: the dimension, or the one before it: a sine and the following cosine share their wavelength.
        width: dimensions of a position vector.
        value: the number in the table.
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
    """A number of the sinusoidal encoding (P, D); the row is the position."""
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreCell:
    """The regression score: a dot product, squashed to (0, 1) by a sigmoid if the head has one."""

    product: DotProduct
    value: float
    squashed: bool


def logit(readout: Readout, *, row: int) -> DotProduct:
    """A class's logit: the pooled states times the class's weights."""
    return DotProduct(
        left=readout.state,
        right=readout.weight[row],
        bias=float(readout.bias[row]),
        value=float(readout.prediction.logits[row]),
    )


def probability(readout: Readout, *, row: int) -> Softmax:
    """A class's probability: softmax over the logits of all classes."""
    return Softmax(scores=readout.prediction.logits, index=row, value=float(readout.probabilities[row]))


def readout_score(readout: Readout) -> ScoreCell:
    """The regression score."""
    return ScoreCell(
        product=DotProduct(
            left=readout.state, right=readout.weight[-1], bias=float(readout.bias[-1]), value=readout.raw_score
        ),
        value=readout.score,
        squashed=readout.squashed,
    )
