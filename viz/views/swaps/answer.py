"""Swaps: what changes when one word of a template is swapped for another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np

from encoder.collection.names import SwapMeasure as Measure
from encoder.collection.swap_heads import HeadShifts, HeldOutHead
from encoder.collection.swaps import (
    FEWEST_TEMPLATES,
    MOST_SHIFT,
    SYMMETRIC,
    MeanSwap,
    Swap,
    Swaps,
    Template,
)
from encoder.measures.inference import Interval, mean
from encoder.measures.near_ties import first_largest, largest_first
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.answers.head_maps import chart_of_heads
from viz.answers.room import PAGE, Room
from viz.figures.axes import token_positions
from viz.figures.matrix import CellValue, matrix
from viz.figures.mean_dots import mean_dots
from viz.state.selection import Table as TableSelection
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, head_in_words, make_visible, shorten
from viz.wording.numbers import interval_in_words, p_in_words, written
from viz.wording.readings import counted

EXPLANATION: Final = Explanation(
    "A slot such as {he|she} is filled with each of its fillers, and everything else stays. A dot is the change from "
    "the first filler to another one: its mean over the fillings of the other slots, then over the templates. It shows "
    "that the model reacts to a word in these sentences, not why, nor that people are treated unequally where the "
    "model is used.",
    "A model without shifts here is not thereby fair.",
)
POINTS: Final[frozenset[Measure]] = frozenset({"class", "masked word", "tag"})  # probabilities, in percentage points
SHOWN: Final = 15  # dots on a page
LONGEST: Final = 70  # characters of a template in a sentence
LONGEST_FILLER: Final = 24  # characters beside a matrix
NAMED: Final = 4  # templates or fillings that a sentence names
NO_HEAD: Final = "No single head carries the shifts."
FRAMED: Final = (
    " A frame marks heads that lower them more than 95 % of the heads that can, in both halves of the templates."
)
LEGEND: Final = ("corrected p < 0.05", "other swaps")
CELL: Final = (110, 36)  # pixels of a matrix's cells
WHAT: Final[Mapping[Measure, str]] = {
    "class": "the probability of “{}”",
    "score": "the score",
    "cosine": "the cosine with the first filling",
    "masked word": "the probability of the word that the first filler makes likeliest",
    "tag": "the probability of the tags of the words that stay",
}
IN_CELLS: Final[Mapping[Measure, str]] = {
    "class": "probability of “{}”",
    "score": "score",
    "cosine": "cosine with the first",
    "masked word": "probability of that word",
    "tag": "probability of these tags",
}
SAID: Final[Mapping[Measure, str]] = {
    "class": "turns the class",
    "masked word": "changes the likeliest word",
    "tag": "changes one of these tags",
}


def chosen_set(table: TableSelection, names: Collection[str]) -> str:
    """The set of templates that is shown: the chosen one, else the first."""
    return table.part if table.part in names else next(iter(names), "")


def chosen_label(table: TableSelection, labels: Sequence[str]) -> int:
    """Index of the class whose probability is measured: the chosen one, else the last."""
    chosen = table.label
    return chosen if chosen is not None and chosen < len(labels) else max(len(labels) - 1, 0)


def shifts(found: Swaps, label: str, room: Room = PAGE) -> Answer:
    """Each swap's mean shift with its interval: the leading one in a sentence, the first as dots, all as a table.

    Args:
        label: the class whose probability is measured; "" for other measures.
        room: at a stop, the leading swap and the dots alone, and what was left out.
    """
    what, on_page = WHAT[found.measure].format(escape_markdown(label)), room is PAGE
    parts: list[Part] = [Sentence(_leading(found, what))]
    if on_page:
        parts.append(Sentence(_overall(found, what)))
    if found.skipped:
        parts.append(Sentence(_skipped(found.skipped, found.measure), "caption"))
    parts.append(_dots(found, room.rows or SHOWN))
    if on_page:
        parts += [
            *_about_intervals(found),
            Table(
                name="swaps",
                title="All swaps as a table",
                columns=lambda: found.columns,
                note=_how_intervals_are_made(found),
            ),
            Table(
                name="swaps-by-template",
                title="All swaps in each template",
                columns=lambda: found.columns_by_template,
            ),
        ]
    return Answer(tuple(parts))


def _dots(found: Swaps, most: int) -> Chart:
    """The first swaps, as many as `most`."""
    measure, shown = found.measure, found.means[:most]
    clear = [swap.is_clear for swap in shown]
    return Chart(
        name="swaps",
        title=f"The first {most} of {len(found.means)} swaps" if len(found.means) > most else "All swaps",
        alt=f"The mean change by each swap with its 95 % interval; with {FEWEST_TEMPLATES} templates or more first.",
        figure=lambda theme: mean_dots(
            [_scaled(swap.shift, measure) for swap in shown],
            [[_scaled(end, measure) for end in swap.mean[1:3]] for swap in shown],
            [f"{swap.before} → {swap.after}" for swap in shown],
            [len(swap.shifts) for swap in shown],
            title=f"{'percentage points' if measure in POINTS else 'change'}, by swap and number of templates",
            number_format="+.1f" if measure in POINTS else "+.3f",
            theme=theme,
            filled=np.array(clear),
            legend=LEGEND if any(clear) else None,
        ),
    )


def _leading(found: Swaps, what: str) -> str:
    """The largest shift whose interval excludes 0; else that no swap has one, and the largest shift."""
    means, measure = found.means, found.measure
    judged = [swap for swap in means if swap.is_judged]
    clear = [swap for swap in judged if swap.is_clear]
    first = (clear or means)[0]
    name, enough = _named(first), f"in at least {FEWEST_TEMPLATES} templates"
    shift = f"{_signed(first.shift, measure)}** ({_over_templates(first.mean, measure)}"
    if clear:
        others = f"No other swap is {enough}."
        if len(judged) > 1:
            tested = f"{len(judged)} swaps {enough}"
            others = f"{len(clear)} of {tested} {'is' if len(clear) == 1 else 'are'} clearly not 0."
        return f"**{name} moves {what} by {shift}; {_p(first)}). {others}"
    if judged and measure in SYMMETRIC:
        tested = counted(len(judged), "swap")
        largest = f"{name}, the largest of {tested}" if len(judged) > 1 else f"{name}, the only swap"
        return f"**No swap changes {what} clearly.** {largest} {enough}, moves it by **{shift}; {_p(first)})."
    if judged:
        rank = "the only swap" if len(judged) == 1 else f"the largest of {len(judged)} swaps"
        return f"{name}, {rank} {enough}, moves {what} by **{shift})."
    return f"**{name} moves {what} most, by {shift})."


def _p(swap: MeanSwap) -> str:
    return "untested, as all shifts are equal" if np.isnan(swap.p) else f"corrected {p_in_words(swap.p)}"


def _overall(found: Swaps, what: str) -> str:
    """The mean size of all shifts, whatever their sign, and the template with the largest one."""
    swaps, sizes, measure = found.swaps, found.sizes, found.measure
    largest = swaps[largest_first([abs(swap.shift) for swap in swaps], 1)[0]]
    changes = ""
    if measure in SAID:
        changed, count = sum(swap.changed for swap in swaps), sum(swap.of for swap in swaps)
        changes = f", and {SAID[measure]} in **{changed} of {count}** cases"
    return (
        f"Whatever its sign, a swap moves {what} by **{_size(float(sizes.mean()), measure)}** on average "
        f"({_over_templates(mean(sizes, least=0, most=MOST_SHIFT.get(measure, np.inf)), measure)}){changes}; most in "
        f"“{_source(found.templates[largest.template])}”: {_named(largest)} **{_signed(largest.shift, measure)}**."
    )


def _about_intervals(found: Swaps) -> list[Sentence]:
    """Why there is no interval, or why it need not exclude 0."""
    if not any(swap.is_judged for swap in found.means):
        said = f"An interval takes {FEWEST_TEMPLATES} templates: write more with the same slot."
    elif found.measure not in SYMMETRIC:
        said = "Numbers refer to the first filling, which by itself favours negative shifts: 0 is no test here."
    else:
        return []
    return [Sentence(said, "caption")]


def _how_intervals_are_made(found: Swaps) -> str:
    means = found.means
    few = sum(not swap.is_judged for swap in means)
    said = ["An interval is Student's t over the templates that have the swap."]
    if found.measure in SYMMETRIC:
        said.append("p is that of a t test, corrected by Holm's method for all swaps with an interval.")
    if few:
        said.append(f"{few} of {len(means)} swaps have fewer than {FEWEST_TEMPLATES} templates, and so no interval.")
    return " ".join(said)


def choices(found: Swaps) -> list[tuple[int, ...]]:
    """What a matrix can show: the mean of templates that share their slots, the most first; then each template."""
    return [*found.groups, *((number,) for number in range(len(found.templates)))]


def first_choice(found: Swaps) -> tuple[int, ...]:
    """The mean of the most templates that share their slots; without any, the template with the largest shift."""
    [largest] = largest_first([abs(swap.shift) for swap in found.swaps], 1)
    return found.groups[0] if found.groups else (found.swaps[largest].template,)


def name_of_choice(found: Swaps, numbers: Sequence[int]) -> str:
    """A template, or the slots of several and their number."""
    template = found.templates[numbers[0]]
    if len(numbers) == 1:
        return template.source
    slots = " and ".join(f"{{{'|'.join(slot)}}}" for slot in template.slots)
    return f"Mean over {len(numbers)} templates with {slots}"


def of_templates(found: Swaps, numbers: Sequence[int], label: str) -> Answer:
    """The numbers of all fillings, as means over templates with the same slots: the first of several slots downward."""
    template, measure = found.templates[numbers[0]], found.measure
    values = np.mean([found.values[number] for number in numbers], axis=0)
    slots = template.slots
    if len(slots) == 1:
        rows = token_positions([f"{len(numbers)}"], title="templates")
        columns = token_positions(slots[0], title="slot", limit=LONGEST_FILLER)
    else:
        across = [" / ".join(fillers) for fillers in product(*slots[1:])]
        rows = token_positions(slots[0], title="first slot", limit=LONGEST_FILLER)
        columns = token_positions(across, title="other slots", limit=LONGEST_FILLER)
    cells = values.reshape(len(rows), len(columns))
    in_range = measure in POINTS
    value = CellValue(
        IN_CELLS[measure].format(label),
        low=0.0 if in_range else float(min(values.min(), 0.0)),
        high=1.0 if in_range else float(max(values.max(), 1.0)),
        cell_format=".2f",
        hover_format=".4f",
        place="{y} · {x}",
    )
    parts: list[Part] = [
        Chart(
            name="swaps-template",
            alt="The number of every filling: the fillers of the first of several slots downward, the others across.",
            figure=lambda theme: matrix(
                cells,
                rows=rows,
                columns=columns,
                cell=CELL,
                value=value,
                theme=theme,
            ),
            width="figure",
        )
    ]
    if len(numbers) > 1:
        sources = "”, “".join(_source(found.templates[number]) for number in numbers[:NAMED])
        parts.append(Sentence(f"n = {len(numbers)} templates: “{sources}”{' …' if len(numbers) > NAMED else ''}"))
    if said := _said(found, numbers):
        parts.append(Sentence(f"What the model says: {said}"))
    return Answer(tuple(parts))


def _said(found: Swaps, numbers: Sequence[int]) -> str:
    """The model's output for the first fillings, with how often over several templates; "" if that says nothing."""
    template, count = found.templates[numbers[0]], len(numbers)
    if not any(found.said[numbers[0]]) or (count > 1 and found.measure == "tag"):  # each template has its own words
        return ""
    fillings = []
    for row, choice in enumerate(template.choices[:NAMED]):
        words = Counter(found.said[number][row] for number in numbers).most_common(NAMED)
        fillers = " / ".join(slot[index] for slot, index in zip(template.slots, choice, strict=True))
        name = template.fill(choice) if count == 1 else fillers
        said = ", ".join(f"**{escape_markdown(make_visible(word))}**{f' {n}' * (count > 1)}" for word, n in words)
        fillings.append(f"{escape_markdown(name)} → {said}")
    return "; ".join(fillings) + (" …" if len(template.choices) > NAMED else "")


def heads(found: HeadShifts, measure: Measure) -> Answer:
    """The head that carries most of the shifts in one half of the templates, measured on the other half."""
    falls = found.falls  # (L, H)
    held_out = found.on_other_half
    scaled = np.vectorize(lambda fall: -_scaled(fall, measure))(falls)
    framed = np.zeros(falls.shape, bool) if held_out is None else found.in_both_halves
    return Answer(
        (
            Sentence(_first_head(found, measure) if held_out is None else _held_out_head(held_out, measure)),
            chart_of_heads(
                "swaps-heads",
                scaled,
                framed,
                alt="The change of the mean size of the shifts without each head, by layer and head.",
                name=f"change of the mean shift{', points' if measure in POINTS else ''}",
                number_format="+.2f" if measure in POINTS else "+.4f",
                signed=True,
                high=float(np.abs(scaled).max()),
            ),
            Sentence(
                f"All {len(found.sizes)} templates. Orange: without this head, shifts are smaller."
                f"{'' if held_out is None else FRAMED}",
                "caption",
            ),
            Table(name="swaps-heads", title="All heads", columns=lambda: found.columns),
        )
    )


def _held_out_head(found: HeldOutHead, measure: Measure) -> str:
    fall, size = found.fall.value, float(found.sizes.mean())
    head = head_in_words(*found.head)
    verdict = f"{head.capitalize()} carries a part of the shifts." if found.exceeds else NO_HEAD
    return (
        f"**{verdict}** Chosen on every second template, {head} carries most. On the other "
        f"{len(found.falls)} templates, silencing it moves the mean size of the shifts from {_number(size, measure)} "
        f"to **{_size(size - fall, measure)}**, by {_signed(-fall, measure)} ({_interval(found.fall, measure, -1)}). A "
        f"random one of the {len(found.random):,} other heads that can change it moves it by "
        f"{_signed(-float(found.random.mean()), measure)} on average, and 95 % of them lower it by at "
        f"most {_size(max(found.limit, 0.0), measure)}."
    )


def _first_head(found: HeadShifts, measure: Measure) -> str:
    layer, head = (int(index) for index in np.unravel_index(first_largest(found.falls), found.falls.shape))
    size, count = float(found.sizes.mean()), len(found.sizes)
    return (
        f"Without **{head_in_words(layer, head)}**, the mean size of the shifts goes from {_number(size, measure)} to "
        f"{_size(size - float(found.falls[layer, head]), measure)}, less than without any other head. One of "
        f"{found.reaching.sum():,} heads always leads, by chance, too, and {count} "
        f"template{'s are' if count > 1 else ' is'} too few to "
        f"test it on other templates: that takes at least {2 * FEWEST_TEMPLATES}."
    )


def _named(swap: Swap | MeanSwap) -> str:
    return f"“{escape_markdown(swap.before)}” → “{escape_markdown(swap.after)}”"


def _source(template: Template) -> str:
    return escape_markdown(shorten(template.source, LONGEST))


def _over_templates(found: Interval, measure: Measure) -> str:
    """The interval of a mean over templates and their number."""
    if np.isnan(found.low):
        return _interval(found, measure)
    return f"{_interval(found, measure)}, {found.n} templates"


def _interval(found: Interval, measure: Measure, sign: int = 1) -> str:
    low, high = sorted((sign * found.low, sign * found.high))
    return interval_in_words(low, high, lambda end: _number(end, measure), n=found.n, what="template")


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
    templates = counted(count, "template")
    if measure == "masked word":
        return f"{templates} without a [MASK] are left out."
    return f"{templates} with a [MASK] are left out: they are for a model that fills it in."
