"""Which token states and which heads carry the difference between the model's outputs for A and for B."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from encoder.attribution.patching_estimates import agreement
from encoder.attribution.questions import OutputKind
from encoder.comparison.patched_output import output_kinds
from encoder.runs.arrays import FloatArray
from viz.answers.answer import Answer, Columns, Row, Sentence, Table
from viz.answers.head_maps import HeadMap, charts_of_heads, head_columns
from viz.figures.labels import plotly_text
from viz.state.selection import Selection
from viz.views.compare.answer.sides import Sides
from viz.wording.labels import escape_markdown, shorten
from viz.wording.numbers import written

TOKENS: Final = Sentence("Which tokens carry the difference?", "heading")
HEADS: Final = Sentence("What does silencing each head do?", "heading")
LONGEST_NAME: Final = 60  # characters of a number's name next to the colour bar of all tokens
LONGEST_NAME_OF_HEADS: Final = 36  # next to that of the heads of one text
NUMBER_FORMATS: Final[Mapping[OutputKind, str]] = {"class": "+.2f", "score": "+.3f", "similarity": "+.3f"}
LETTERS: Final = ("A", "B")

OfBoth = tuple[FloatArray, FloatArray]  # (L, H) of A and of B


def number_of(sides: Sides, selection: Selection) -> tuple[OutputKind, tuple[OutputKind, ...]]:
    """The compared output, and the available ones; the first if the chosen one is not available."""
    kinds = output_kinds(sides.a, sides.b)
    return selection.compare.number if selection.compare.number in kinds else kinds[0], kinds


def describe_patches(name: str, values: tuple[float, float]) -> dict[str, str]:
    """The unit and the meaning of a patched token's effect, as `viz.answers.patched_tokens` takes them.

    Args:
        name: of the number, with its unit.
        values: the number in A and in B.
    """
    in_a, in_b = (written(value, "+.2f") for value in values)
    return {
        "unit": plotly_text(shorten(name, LONGEST_NAME)),
        "what": f"The number is {in_a} in A and {in_b} in B ({escape_markdown(name)}). A cell shows how much B's "
        "changes when one token's state there is replaced by A's at the same place. A state that changes it carries "
        "something for it; this does not show whether the model needs that state.",
    }


def silenced_heads(
    kind: OutputKind, names: Sequence[str], estimates: OfBoth, exact: OfBoth | None, selection: Selection
) -> Answer:
    """The effect of silencing each head on the output for A and for B: a map for each text, on one scale.

    Args:
        names: of both outputs, with their unit.
        estimates: of the changes, from gradients.
        exact: the measured changes; None while they are computed.
    """
    shown = estimates if exact is None else exact
    what = "estimate" if exact is None else "change"
    maps = [
        HeadMap(
            title=f"In {letter}",
            letter=letter,
            effects=effects,
            name=f"{what}, {plotly_text(shorten(name, LONGEST_NAME_OF_HEADS))}",
            marks=np.zeros(effects.shape, dtype=bool),
        )
        for letter, name, effects in zip(LETTERS, names, shown, strict=True)
    ]
    charts = charts_of_heads(
        maps,
        (selection.layer, selection.head),
        number_format=NUMBER_FORMATS[kind],
        signed=True,
        name="silenced-heads",
    )
    number_names = escape_markdown(" and ".join(dict.fromkeys(names)))
    what_it_says = (
        f"A tile says by how much the number of a text ({number_names}) changes when the head's output is replaced by "
        "zero there. A silenced head puts the model into a state it was never trained in, and heads can stand in for "
        "each other."
    )
    table = Table(
        name="silenced-heads",
        title="The heads' effects as a table",
        columns=lambda: _columns(estimates, exact),
    )
    row = Row(tuple((chart,) for chart in charts))
    return Answer((row, Sentence(_trust(estimates, exact), "caption"), Sentence(what_it_says, "caption"), table))


def _trust(estimates: OfBoth, exact: OfBoth | None) -> str:
    if exact is None:
        return "An estimate from gradients."
    if estimates[0].size < 2:
        return "These are exact."  # one head cannot be ranked
    said = [
        f"{written(agreement(*both), '.2f')} in {letter}"
        for letter, both in zip(LETTERS, zip(estimates, exact, strict=True), strict=True)
    ]
    return (
        "These are exact. One backward pass for each text estimated them; rank correlation of the heads that can "
        f"change anything: {', '.join(said)}."
    )


def _columns(estimates: OfBoth, exact: OfBoth | None) -> Columns:
    columns: Columns = {
        **head_columns(LETTERS, estimates[0].shape),
        "estimated_change": np.concatenate([each.ravel() for each in estimates]),
    }
    return columns if exact is None else {**columns, "exact_change": np.concatenate([each.ravel() for each in exact])}
