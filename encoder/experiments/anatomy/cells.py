"""How one number of the anatomy was computed, with all numbers that went into it.

Functions on a record take a head and the cell's row and column; a row is a token unless stated otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

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


Projection = Literal["query", "key", "value"]
PROJECTIONS: tuple[Projection, ...] = get_args(Projection)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingCell:
    """A number of the embedding output: numbers looked up in a row of each table, their sum, and its layer norm."""

    table_rows: Mapping[str, int]
    lookup: Sum
    norm: LayerNorm


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledScore:
    """A product of a query and a key, divided by the square root of their width."""

    product: float
    head_width: int
    value: float

    @property
    def divisor(self) -> float:
        """The square root of the width."""
        return math.sqrt(self.head_width)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadNumber:
    """A number of the joined contexts: a copy of one number of one head."""

    head: int
    dimension: int
    head_width: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualCell:
    """A number after a residual connection and its layer norm."""

    residual: Sum
    norm: LayerNorm


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitCell:
    """A unit of the feed-forward: its input, its activation ("gelu" or "relu"), and ReLU of the input to compare."""

    input: DotProduct
    activation: str
    value: float
    relu: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LayerOutputCell:
    """A number of the layer's output: feed-forward, residual connection, layer norm."""

    feed_forward: DotProduct
    residual: Sum
    norm: LayerNorm


def embedding(record: Record, *, head: int, row: int, column: int) -> EmbeddingCell:
    """A number of the embedding output."""
    tokens = record.tokens
    rows = {"word": tokens.ids[row], "position": row, "token type": tokens.token_type_ids[row]}
    return EmbeddingCell(
        table_rows=MappingProxyType({name: rows[name] for name in record.parts}),
        lookup=Sum(
            addends=tuple(float(vectors[row, column]) for vectors in record.parts.values()),
            value=float(record.embedding_sum[row, column]),
        ),
        norm=_norm(record, "norm", record.embedding_sum[row], column, float(record.hidden_states[0][row, column])),
    )


def projection(record: Record, name: Projection, *, head: int, row: int, column: int) -> DotProduct:
    """A number of a query, a key or a value: the token's state times a row of the head's matrix."""
    array: FloatArray = {"query": record.query, "key": record.key, "value": record.value}[name]
    return _linear(
        record,
        f"attention.{name}",
        record.layer_input[row],
        head * record.config.head_width + column,
        float(array[head, row, column]),
    )


def score(record: Record, *, head: int, row: int, column: int) -> DotProduct:
    """The product of the query of one token and the key of another."""
    return DotProduct(
        left=record.query[head, row],
        right=record.key[head, column],
        value=float(record.products[head, row, column]),
    )


def scaled_score(record: Record, *, head: int, row: int, column: int) -> ScaledScore:
    """The scaled score of a query and a key."""
    return ScaledScore(
        product=float(record.products[head, row, column]),
        head_width=record.config.head_width,
        value=float(record.scores[head, row, column]),
    )


def weight(record: Record, *, head: int, row: int, column: int) -> Softmax:
    """The attention weight of a query and a key."""
    return Softmax(scores=record.scores[head, row], index=column, value=float(record.weights[head, row, column]))


def context(record: Record, *, head: int, row: int, column: int) -> DotProduct:
    """A number of the context: a row of weights times a column of values."""
    return DotProduct(
        left=record.weights[head, row],
        right=record.value[head, :, column],
        value=float(record.context[head, row, column]),
    )


def joined_context(record: Record, *, head: int, row: int, column: int) -> HeadNumber:
    """A number of the contexts of all heads side by side."""
    owner, dimension = divmod(column, record.config.head_width)
    return HeadNumber(
        head=owner,
        dimension=dimension,
        head_width=record.config.head_width,
        value=float(record.merged[row, column]),
    )


def attention_output(record: Record, *, head: int, row: int, column: int) -> DotProduct:
    """A number of the attention output: joined contexts times a row of the output matrix."""
    return _linear(record, "attention.output", record.merged[row], column, float(record.attended[row, column]))


def residual(record: Record, *, head: int, row: int, column: int) -> ResidualCell:
    """A number after attention's residual connection and layer norm."""
    return ResidualCell(
        residual=Sum(
            addends=(float(record.layer_input[row, column]), float(record.attended[row, column])),
            value=float(record.attention_sum[row, column]),
        ),
        norm=_norm(
            record, "attention_norm", record.attention_sum[row], column, float(record.attention_normed[row, column])
        ),
    )


def unit(record: Record, *, head: int, row: int, column: int) -> UnitCell:
    """A unit of the feed-forward; the column counts units."""
    before = float(record.inner[row, column])
    return UnitCell(
        input=_linear(record, "feed_forward.up", record.attention_normed[row], column, before),
        activation=record.config.hidden_act,
        value=float(record.activated[row, column]),
        relu=max(before, 0.0),
    )


def layer_output(record: Record, *, head: int, row: int, column: int) -> LayerOutputCell:
    """A number of the layer's output."""
    added = float(record.fed[row, column])
    return LayerOutputCell(
        feed_forward=_linear(record, "feed_forward.down", record.activated[row], column, added),
        residual=Sum(
            addends=(float(record.attention_normed[row, column]), added),
            value=float(record.output_sum[row, column]),
        ),
        norm=_norm(
            record, "feed_forward_norm", record.output_sum[row], column, float(record.layer_output[row, column])
        ),
    )


def _linear(record: Record, layer_name: str, state: FloatArray, row: int, value: float) -> DotProduct:
    """A state times one row of a linear layer's matrix, plus its bias."""
    return DotProduct(
        left=state,
        right=record.parameters[f"{layer_name}.weight"][row],
        bias=float(record.parameters[f"{layer_name}.bias"][row]),
        value=value,
    )


def _norm(record: Record, name: str, vector: FloatArray, column: int, value: float) -> LayerNorm:
    return layer_norm(
        vector,
        column,
        gain=record.parameters[f"{name}.weight"],
        shift=record.parameters[f"{name}.bias"],
        epsilon=record.config.layer_norm_eps,
        value=value,
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
