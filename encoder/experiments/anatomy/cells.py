"""One number of a step, worked out from the row and the column that it came from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.worked import EXPONENTIAL, Worked, normed, number, product, signed, softmaxed


def embedding(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number of the embedding: one number of each of three tables, added, then the layer norm."""
    tokens = record.tokens
    at = {"word": tokens.ids[row], "position": row, "token type": tokens.token_type_ids[row]}
    names = {"word": "word", "position": "position", "token type": "type"}
    looked_up = " + ".join(rf"E^\text{{{names[name]}}}_{{{at[name]},{column}}}" for name in record.parts)
    added = " ".join(signed(float(part[row, column])) for part in record.parts.values()).removeprefix("+ ")
    total, value = float(record.embedding_sum[row, column]), float(record.hidden_states[0][row, column])
    return Worked(
        lines=(
            rf"{looked_up} = {added} = {number(total)}",
            normed(record.embedding_sum[row], column, record, "norm", value),
        ),
        value=value,
    )


def projection(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number of a query: a row of the layer's input times a row of the head's query matrix; key and value alike."""
    at = head * record.config.head_width + column
    state = record.layer_input[row]
    worked = product(
        rf"q_{{{row},{column}}} = x_{{{row}}} \cdot w^Q_{{{column}}} + b^Q_{{{column}}}",
        {"vector x": state, "weight w": record.parameters["attention.query.weight"][at]},
        bias=float(record.parameters["attention.query.bias"][at]),
        value=float(record.query[head, row, column]),
    )
    alike = []
    for name, array in (("key", record.key), ("value", record.value)):
        letter = name[0]
        total = float((state * record.parameters[f"attention.{name}.weight"][at]).sum(dtype=np.float64))
        bias = float(record.parameters[f"attention.{name}.bias"][at])
        alike.append(
            rf"{letter}_{{{row},{column}}} = x_{{{row}}} \cdot w^{letter.upper()}_{{{column}}} + "
            rf"b^{letter.upper()}_{{{column}}} = {number(total)} {signed(bias)} = "
            rf"{number(float(array[head, row, column]))}"
        )
    return Worked(lines=(*worked.lines, *alike), value=worked.value, terms=worked.terms, over=worked.over)


def score(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A product of a query and a key."""
    return product(
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
    value = float(record.weights[head, row, column])
    line, powers = softmaxed(
        f"a_{{{row},{column}}}",
        scores,
        column,
        score=f"s_{{{row},{column}}}",
        others=f"s_{{{row},j}}",
        value=value,
    )
    return Worked(
        lines=(line,), value=value, terms=MappingProxyType({"score s": scores, EXPONENTIAL: powers}), over="key"
    )


def context(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number of the context: a row of weights times a column of values."""
    return product(
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
    return product(
        rf"o_{{{row},{column}}} = c_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        {"contexts c": record.merged[row], "weight w": record.parameters["attention.output.weight"][column]},
        bias=float(record.parameters["attention.output.bias"][column]),
        value=float(record.attended[row, column]),
    )


def residual(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number after the residual connection and the layer norm."""
    before, added = float(record.layer_input[row, column]), float(record.attended[row, column])
    total, value = float(record.attention_sum[row, column]), float(record.attention_normed[row, column])
    return Worked(
        lines=(
            rf"\text{{residual: }} x + o = {number(before)} {signed(added)} = {number(total)}",
            normed(record.attention_sum[row], column, record, "attention_norm", value),
        ),
        value=value,
    )


def unit(record: Record, *, head: int, row: int, column: int) -> Worked:
    """What one unit of the feed-forward gets and lets through."""
    value = float(record.activated[row, column])
    got = float(record.inner[row, column])
    worked = product(
        rf"u_{{{row},{column}}} = x_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        {"vector x": record.attention_normed[row], "weight w": record.parameters["feed_forward.up.weight"][column]},
        bias=float(record.parameters["feed_forward.up.bias"][column]),
        value=got,
    )
    name = record.config.hidden_act.upper() if record.config.hidden_act == "gelu" else "ReLU"
    after = rf"\text{{{name}}}({number(got)}) = {number(value)} \qquad \text{{ReLU}} = {number(max(got, 0.0))}"
    return Worked(lines=(*worked.lines, after), value=value, terms=worked.terms, over=worked.over)


def leaving(record: Record, *, head: int, row: int, column: int) -> Worked:
    """A number of what leaves the layer: what its feed-forward adds, the residual connection, the layer norm."""
    before, added = float(record.attention_normed[row, column]), float(record.fed[row, column])
    fed = product(
        rf"\text{{feed-forward: }} f_{{{row},{column}}} = u_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        {"unit u": record.activated[row], "weight w": record.parameters["feed_forward.down.weight"][column]},
        bias=float(record.parameters["feed_forward.down.bias"][column]),
        value=added,
        over="unit",
    )
    value = float(record.layer_output[row, column])
    total = float(record.output_sum[row, column])
    return Worked(
        lines=(
            *fed.lines,
            rf"\text{{residual: }} x' + f = {number(before)} {signed(added)} = {number(total)}",
            normed(record.output_sum[row], column, record, "feed_forward_norm", value),
        ),
        value=value,
        terms=fed.terms,
        over=fed.over,
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
        "layers": leaving,
    }
)
