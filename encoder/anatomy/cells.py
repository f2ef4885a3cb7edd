"""One number of a step, worked out from the row and the column that it came from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from encoder.anatomy.readout import Readout
from encoder.anatomy.record import Record
from encoder.trace import FloatArray

Columns = Mapping[str, FloatArray]


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


def number(value: float) -> str:
    """A number for LaTeX, with four significant digits."""
    if math.isinf(value):
        return r"-\infty" if value < 0 else r"\infty"
    text = f"{value:.4g}"
    if "e" in text:
        digits, exponent = text.split("e")
        return rf"{digits} \cdot 10^{{{int(exponent)}}}"
    return text


def signed(value: float) -> str:
    """The same, to be added: "+ 2" or "- 2"."""
    return f"- {number(-value)}" if value < 0 else f"+ {number(value)}"


def embedding(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number of the embedding: three numbers added, then the layer norm."""
    names = {"word": "word", "position": "position", "token type": "type"}
    parts = {names[name]: float(part[row, column]) for name, part in record.parts.items()}
    total = float(record.embedding_sum[row, column])
    added = " ".join(signed(value) for value in parts.values()).removeprefix("+ ")
    return Worked(
        lines=(
            rf"\text{{word}} + \text{{position}} + \text{{type}} = {added} = {number(total)}",
            _normed(record.embedding_sum[row], column, record, "norm", float(record.hidden_states[0][row, column])),
        ),
        value=float(record.hidden_states[0][row, column]),
    )


def projection(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number of a query: a row of the layer's input times a row of the head's query matrix."""
    unit = head * record.config.head_width + column
    value = float(record.query[head, row, column])
    return _product(
        rf"q_{{{row},{column}}} = x_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        {"state x": record.layer_input[row], "weight w": record.parameters["attention.query.weight"][unit]},
        bias=float(record.parameters["attention.query.bias"][unit]),
        value=value,
    )


def score(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A product of a query and a key."""
    return _product(
        rf"q_{{{row}}} \cdot k_{{{column}}}",
        {"query q": record.query[head, row], "key k": record.key[head, column]},
        value=float(record.products[head, row, column]),
    )


def scaling(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A scaled score."""
    product, value = float(record.products[head, row, column]), float(record.scores[head, row, column])
    width = record.config.head_width
    return Worked(
        lines=(
            rf"\frac{{q_{{{row}}} \cdot k_{{{column}}}}}{{\sqrt{{{width}}}}} = "
            rf"\frac{{{number(product)}}}{{{number(math.sqrt(width))}}} = {number(value)}",
        ),
        value=value,
    )


def weight(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A weight: the exponential of its score over the sum of the whole row's."""
    scores = record.scores[head, row]
    largest = float(scores.max())
    powers = np.exp(scores - largest)
    value = float(record.weights[head, row, column])
    return Worked(
        lines=(
            rf"a_{{{row},{column}}} = \frac{{e^{{s_{{{row},{column}}} - {number(largest)}}}}}"
            rf"{{\sum_j e^{{s_{{{row},j}} - {number(largest)}}}}} = "
            rf"\frac{{{number(float(powers[column]))}}}{{{number(float(powers.sum()))}}} = {number(value)}",
        ),
        value=value,
        terms=MappingProxyType({"score s": scores, "exp(s − largest)": powers}),
        over="key",
    )


def context(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number of the context: a row of weights times a column of values."""
    return _product(
        rf"c_{{{row},{column}}} = \sum_j a_{{{row},j}}\, v_{{j,{column}}}",
        {"weight a": record.weights[head, row], "value v": record.value[head, :, column]},
        value=float(record.context[head, row, column]),
        over="key",
    )


def merged(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number of the joined contexts: copied from one head."""
    of_head, within = divmod(column, record.config.head_width)
    value = float(record.merged[row, column])
    return Worked(
        lines=(
            rf"{column} = {of_head} \cdot {record.config.head_width} + {within}",
            rf"\text{{head {of_head}, dimension {within}: }} {{{number(value)}}}",
        ),
        value=value,
    )


def output(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number of the attention output: a row of joined contexts times a row of the output matrix."""
    return _product(
        rf"o_{{{row},{column}}} = c_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        {"contexts c": record.merged[row], "weight w": record.parameters["attention.output.weight"][column]},
        bias=float(record.parameters["attention.output.bias"][column]),
        value=float(record.attended[row, column]),
    )


def residual(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number after the residual connection and the layer norm."""
    before, added = float(record.layer_input[row, column]), float(record.attended[row, column])
    value = float(record.attention_normed[row, column])
    return Worked(
        lines=(
            rf"x + o = {number(before)} {signed(added)} = {number(float(record.attention_sum[row, column]))}",
            _normed(record.attention_sum[row], column, record, "attention_norm", value),
        ),
        value=value,
    )


def unit(record: Record, *, head: int, row: int, column: int) -> Worked:
    """What one unit of the feed-forward gets and lets through."""
    value = float(record.activated[row, column])
    got = float(record.inner[row, column])
    worked = _product(
        rf"u_{{{row},{column}}} = x_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        {"state x": record.attention_normed[row], "weight w": record.parameters["feed_forward.up.weight"][column]},
        bias=float(record.parameters["feed_forward.up.bias"][column]),
        value=got,
    )
    name = record.config.hidden_act.upper() if record.config.hidden_act == "gelu" else "ReLU"
    after = rf"\text{{{name}}}({number(got)}) = {number(value)} \qquad \text{{ReLU}} = {number(max(got, 0.0))}"
    return Worked(lines=(*worked.lines, after), value=value, terms=worked.terms, over=worked.over)


def logit(read: Readout, *, row: int) -> Worked:
    """A class's logit: what is read times the class's weights."""
    return _product(
        rf"z_{{{row}}} = h \cdot w_{{{row}}} + b_{{{row}}}",
        {"state h": read.state, "weight w": read.weight[row]},
        bias=float(read.bias[row]),
        value=float(read.prediction.logits[row]),
    )


def _product(
    formula: str, factors: Columns, *, value: float, bias: float | None = None, over: str = "dimension"
) -> Worked:
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


def _first(products: FloatArray) -> str:
    """The first terms of a sum and its last one."""
    if len(products) <= 4:
        return " ".join(signed(float(term)) for term in products).removeprefix("+ ")
    shown = " ".join(signed(float(term)) for term in products[:3]).removeprefix("+ ")
    return rf"{shown} + \dots {signed(float(products[-1]))}"


def _normed(vector: FloatArray, column: int, record: Record, norm: str, value: float) -> str:
    """Layer norm of one number of a vector: minus its mean, over its deviation, times a gain, plus a shift."""
    mean, deviation = float(vector.mean()), float(np.sqrt(vector.var() + record.config.layer_norm_eps))
    gain, shift = (float(record.parameters[f"{norm}.{name}"][column]) for name in ("weight", "bias"))
    return (
        rf"\frac{{{number(float(vector[column]))} {signed(-mean)}}}{{{number(deviation)}}} \cdot {number(gain)} "
        rf"{signed(shift)} = {number(value)}"
    )


WORKED: Mapping[str, Callable[..., Worked]] = MappingProxyType(
    {
        "embeddings": embedding,
        "projections": projection,
        "scores": score,
        "scaling": scaling,
        "softmax": weight,
        "context": context,
        "heads": merged,
        "output": output,
        "residual": residual,
        "feed-forward": unit,
    }
)
