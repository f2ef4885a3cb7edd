"""Swaps: what changes when one word of a template is swapped for another."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Final

import numpy as np

from encoder.collection.names import SwapMeasure as Measure
from encoder.collection.swaps import HeadShifts, Swap, Swaps
from encoder.measures.intervals import bootstrap_interval
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.figures.axes import token_positions
from viz.figures.effects import effect_map
from viz.figures.matrix import CellValue, matrix
from viz.figures.signed_bars import signed_bars
from viz.state.selection import Table as TableSelection
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, head_in_words, make_visible, shorten
from viz.wording.numbers import written

EXPLANATION: Final = Explanation(
    "A slot such as {he|she} is filled with each of its fillers, and everything else stays. A bar is the change from "
    "the first filler to another one, averaged over the fillings of the other slots.",
    "A shift shows that the model reacts to a word in these sentences. It does not show why, that people are treated "
    "unequally where the model is used, or that no other wording would do it; and a model without shifts here is not "
    "thereby fair.",
)
POINTS: Final[frozenset[Measure]] = frozenset({"class", "masked word", "tag"})  # probabilities, in percentage points
SHOWN: Final = 15
LONGEST: Final = 70  # characters of a template in a sentence
CELL: Final = (110, 36)  # pixels of a matrix's cells
WHAT: Final[Mapping[Measure, str]] = MappingProxyType(
    {
        "class": "the probability of “{}”",
        "score": "the score",
        "cosine": "the cosine with the first filling",
        "masked word": "the probability of the word that the first filler makes likeliest",
        "tag": "the probability of the tags of the words that stay",
    }
)
SAID: Final[Mapping[Measure, str]] = MappingProxyType(
    {"class": "turns the class", "masked word": "changes the likeliest word", "tag": "changes one of these tags"}
)


def chosen_set(table: TableSelection, names: Collection[str]) -> str:
    """The set of templates that is shown: the chosen one, else the first."""
    return table.part if table.part in names else next(iter(names), "")


def chosen_label(table: TableSelection, labels: Sequence[str]) -> int:
    """Index of the class whose probability is measured: the chosen one, else the last."""
    chosen = table.label
    return chosen if chosen is not None and chosen < len(labels) else max(len(labels) - 1, 0)


def shifts(found: Swaps, measure: Measure, label: str, *, most: int = SHOWN) -> Answer:
    """The mean size of all shifts with its interval, the largest of them, and all as a table.

    Args:
        label: the class whose probability is measured; "" for other measures.
        most: bars in the chart.
    """
    swaps, sizes = found.swaps, found.sizes
    low, high = bootstrap_interval(sizes)
    largest = found.largest_first
    what = WHAT[measure].format(escape_markdown(label))
    changes = ""
    if measure in SAID:
        changed, count = sum(swap.changed for swap in swaps), sum(swap.of for swap in swaps)
        changes = f", and {SAID[measure]} in **{changed} of {count}** cases"
    templates = f"{len(sizes)} template{'s' if len(sizes) > 1 else ''}"
    interval = "" if np.isnan(low) else f"95 % interval {_number(low, measure)} to {_number(high, measure)}, "
    parts: list[Part] = [
        Sentence(
            f"Swapping a word moves {what} by **{_size(float(sizes.mean()), measure)}** on average "
            f"({interval}{templates}){changes}. "
            f"It moves it most in “{_template(found, largest[0])}”: {_named(largest[0])} "
            f"**{_signed(largest[0].shift, measure)}**."
        )
    ]
    if found.skipped:
        parts.append(Sentence(_skipped(found.skipped, measure), "caption"))
    shown = largest[:most]
    parts += [
        Chart(
            name="swaps",
            title="Largest shifts" if len(swaps) > most else "All shifts",
            alt="The change by each swap, the largest first.",
            figure=lambda theme: signed_bars(
                [_scaled(swap.shift, measure) for swap in shown],
                [f"{swap.before} → {swap.after}" for swap in shown],
                value="percentage points" if measure in POINTS else "change",
                digits=1 if measure in POINTS else 3,
                theme=theme,
            ),
        ),
        Table(
            name="swaps",
            title="All swaps",
            columns=lambda: found.columns,
            on_page="folded",
        ),
    ]
    return Answer(tuple(parts))


def of_template(found: Swaps, number: int, measure: Measure, label: str) -> Answer:
    """The numbers of one template's fillings: its first slot downward, all others across."""
    template, values = found.templates[number], found.values[number]
    first, others = template.slots[0], template.slots[1:]
    across = [" / ".join(fillers) for fillers in product(*others)]
    cells = values.reshape(len(first), len(across))
    in_range = measure in POINTS
    value = CellValue(
        WHAT[measure].format(label).removeprefix("the "),
        low=0.0 if in_range else float(min(values.min(), 0.0)),
        high=1.0 if in_range else float(max(values.max(), 1.0)),
        cell_format=".2f",
        hover_format=".4f",
        place="{y} · {x}",
    )
    said = found.said[number]
    parts: list[Part] = [
        Chart(
            name="swaps-template",
            alt="The number of every filling: the fillers of the first slot downward, those of the others across.",
            figure=lambda theme: matrix(
                cells,
                rows=token_positions(first, title="first slot", limit=24),
                columns=token_positions(across, title="other slots", limit=24),
                cell=CELL,
                value=value,
                theme=theme,
            ),
            width="figure",
        )
    ]
    if any(said):
        words = ", ".join(
            f"{escape_markdown(template.fill(choice))} → **{escape_markdown(make_visible(word))}**"
            for choice, word in zip(template.choices[:4], said, strict=False)
        )
        parts.append(Sentence(f"What the model says: {words}{' …' if len(said) > 4 else ''}"))
    return Answer(tuple(parts))


def heads(found: HeadShifts, measure: Measure) -> Answer:
    """The head without which shifts are smallest, compared with all other heads."""
    changes = found.without - found.size  # (L, H)
    layer, head = (int(index) for index in np.unravel_index(int(changes.argmin()), changes.shape))
    others = np.delete(changes.ravel(), int(changes.argmin()))
    typical = float(np.quantile(np.abs(others), 0.95))
    sentence = (
        f"Without **{head_in_words(layer, head)}**, the mean shift goes from {_number(found.size, measure)} to "
        f"{_size(float(found.without[layer, head]), measure)}. Of the {others.size} other heads, 95 % change it by at "
        f"most {_size(typical, measure)}."
    )
    stands_out = -float(changes[layer, head]) > 2 * typical
    verdict = "It stands out from them." if stands_out else "It does not stand out: no single head carries the shift."
    scaled = np.vectorize(lambda change: _scaled(change, measure))(changes)
    return Answer(
        (
            Sentence(f"{sentence} {verdict}"),
            Chart(
                name="swaps-heads",
                alt="The change of the mean shift without each head, by layer and head.",
                figure=lambda theme: effect_map(
                    scaled,
                    np.abs(changes) > 2 * typical,
                    name=f"change of the mean shift{', points' if measure in POINTS else ''}",
                    number_format="+.2f" if measure in POINTS else "+.4f",
                    signed=True,
                    high=float(np.abs(scaled).max()),
                    theme=theme,
                ),
                heads=list(np.ndindex(changes.shape)),
                width="figure",
            ),
            Sentence("Frames mark heads that change it more than twice as much as 95 % of the others.", "caption"),
        )
    )


def _named(swap: Swap) -> str:
    return f"“{escape_markdown(swap.before)}” → “{escape_markdown(swap.after)}”"


def _template(found: Swaps, swap: Swap) -> str:
    return escape_markdown(shorten(found.templates[swap.template].source, LONGEST))


def _scaled(value: float, measure: Measure) -> float:
    return 100 * value if measure in POINTS else value


def _number(value: float, measure: Measure) -> str:
    return written(_scaled(value, measure), ".1f" if measure in POINTS else ".3f")


def _size(value: float, measure: Measure) -> str:
    return f"{_number(value, measure)} points" if measure in POINTS else _number(value, measure)


def _signed(value: float, measure: Measure) -> str:
    sign = written(_scaled(value, measure), "+.1f" if measure in POINTS else "+.3f")
    return f"{sign} points" if measure in POINTS else sign


def _skipped(count: int, measure: Measure) -> str:
    templates = f"{count} template{'s' if count > 1 else ''}"
    if measure == "masked word":
        return f"{templates} without a [MASK] are left out."
    return f"{templates} with a [MASK] are left out: they are for a model that fills it in."
