"""Numbers at both ends of the walk, worked out: positions, and a head's logit, probability and score."""

from __future__ import annotations

import math
from types import MappingProxyType

from encoder.experiments.anatomy.readout import Readout
from encoder.experiments.anatomy.worked import Worked, number, product, softmaxed
from encoder.trace import FloatArray


def wave(table: FloatArray, *, row: int, column: int) -> Worked:
    """A number of the sinusoidal encoding.

    Args:
        table: (P, D) from `sinusoidal_table`.
        row: the position.
    """
    width = table.shape[1]
    pair = column - column % 2  # a sine and the cosine behind it share their wavelength
    frequency = 10000 ** (-pair / width)
    function = r"\cos" if column % 2 else r"\sin"
    value = float(table[row, column])
    return Worked(
        lines=(
            rf"P_{{{row},\,{column}}} = {function}\big({row} \cdot 10000^{{-{pair}/{width}}}\big) = "
            rf"{function}({row} \cdot {number(frequency, digits=6)}) = "
            rf"{function}({number(row * frequency, digits=6)}) = {number(value)}",
            rf"\text{{wavelength: }} 2\pi \cdot 10000^{{{pair}/{width}}} = "
            rf"{number(2 * math.pi / frequency)} \text{{ positions}}",
        ),
        value=value,
    )


def position_product(table: FloatArray, *, one: int, other: int) -> Worked:
    """The dot product of two position vectors, rows of a table (P, D)."""
    first, second = (f"position {at}" for at in (one, other))
    return product(
        rf"p_{{{one}}} \cdot p_{{{other}}}",
        {first: table[one], second if other != one else f"{second} again": table[other]},
        value=float(table[one].astype(float) @ table[other].astype(float)),
    )


def logit(read: Readout, *, row: int) -> Worked:
    """A class's logit: what is read times the class's weights."""
    return product(
        rf"z_{{{row}}} = h \cdot w_{{{row}}} + b_{{{row}}}",
        {"vector h": read.state, "weight w": read.weight[row]},
        bias=float(read.bias[row]),
        value=float(read.prediction.logits[row]),
    )


def probability(read: Readout, *, row: int) -> Worked:
    """A class's probability: softmax over the logits of all classes."""
    logits = read.prediction.logits
    value = float(read.probabilities[row])
    line, powers = softmaxed(f"p_{{{row}}}", logits, row, score=f"z_{{{row}}}", others="z_j", value=value)
    return Worked(
        lines=(line,),
        value=value,
        terms=MappingProxyType({"logit z": logits, "exp(z − largest)": powers}),
        over="class",
    )


def score(read: Readout) -> Worked:
    """The regression score: what is read times one row of weights, and the sigmoid where it has one."""
    last = len(read.weight) - 1
    worked = product(
        r"z = h \cdot w + b",
        {"vector h": read.state, "weight w": read.weight[last]},
        bias=float(read.bias[last]),
        value=read.raw_score,
    )
    if not read.squashed:
        return worked
    line = (
        rf"\sigma(z) = \frac{{1}}{{1 + e^{{-z}}}} = \frac{{1}}{{1 + {number(math.exp(-read.raw_score))}}} = "
        rf"{number(read.score)}"
    )
    return Worked(lines=(*worked.lines, line), value=read.score, terms=worked.terms, over=worked.over)
