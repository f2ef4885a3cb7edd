"""An atlas's facts about heads, as texts for the browser: a few lines for every head, and all about one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import Any

import numpy as np

from encoder.atlas.names import LEVELS, TARGETS
from encoder.atlas.reader import Atlas
from encoder.atlas.records import Card, Example, ExampleKind, Habit, Relation
from viz.payloads.layer import quantised
from viz.payloads.message import Message, pack
from viz.wording.atlas_words import (
    figure,
    habit_name,
    habit_sentence,
    pairs_in_words,
    points,
    position_sentence,
    relation_name,
    relation_sentence,
    reviews_name,
    short_habit,
    silencing_sentence,
)
from viz.wording.labels import make_visible
from viz.wording.numbers import written

LEAD, MOST_HABITS = 0.02, 5  # habits whose course during training is shown
NOTHING_FOUND = "No habit stands out."
KINDS: dict[ExampleKind, str] = {
    "hardest": "where the head looks hardest",
    "random": "drawn at random",
    "failing": "where it fails",
}
Table = dict[str, Any]


def card_lines(card: Card) -> list[str]:
    """The main facts about a head, in sentences, the first of which the card shows: what stands out."""
    lines = []
    if card.habit and card.baseline is not None:
        lines.append(habit_sentence(card.habit, card.baseline))
    if card.relation:
        lines.insert(0 if card.special == "relation" else len(lines), relation_sentence(card.relation))
    if lines and card.pairs:
        lines[0] += f" Such as {pairs_in_words(card.pairs)}."
    if card.positional:
        lines.append(position_sentence(card.peak_offset, card.peak_share))
    lines = lines or [NOTHING_FOUND]
    return [*lines, silencing_sentence(card.silencing)] if card.silencing else lines


def cards(atlas: Atlas) -> dict[str, Any]:
    """The cards of all heads: `lines` by "layer.head", their `source`, and the `credit` of the corpus's sentences."""
    return {
        "lines": {f"{layer}.{head}": card_lines(card) for (layer, head), card in atlas.cards.items()},
        "source": f"Measured on {atlas.measured_on}, chosen on {atlas.chosen_on}, {atlas.built}.",
        "credit": atlas.credit,
    }


def quantiles_id(model_name: str) -> str:
    """The id of a model's `quantile_message`, which views know before the atlas is read."""
    return f"quantiles of {model_name}"


def quantile_message(atlas: Atlas, model_name: str) -> Message:
    """The distribution of the weights of all heads.

    Returns:
        tensor "quantiles", (L, H, targets, levels) weights as `quantised` writes them, 0 throughout where a head gives
        none; extras `targets` and `levels`, as in `encoder.atlas.names`, and the corpus as `source`.
    """
    layers, heads = (1 + max(places) for places in zip(*atlas.cards, strict=True))
    weights = np.zeros((layers, heads, len(TARGETS), len(LEVELS)), dtype=np.float32)
    for place, card in atlas.cards.items():
        for index, target in enumerate(TARGETS):
            weights[(*place, index)] = card.quantiles.get(target, 0)
    extras = {"targets": TARGETS, "levels": LEVELS, "source": atlas.measured_on}
    return pack({"quantiles": quantised(weights)}, extras, identity=quantiles_id(model_name))


def labels(atlas: Atlas) -> dict[str, Any]:
    """One short word for each head: `of` by "layer.head", and `source`, the corpus."""
    named = {f"{layer}.{head}": _label(card) for (layer, head), card in atlas.cards.items()}
    source = f"What stands out, measured on {atlas.measured_on}:"
    return {"of": {name: label for name, label in named.items() if label}, "source": source}


def _label(card: Card) -> dict[str, str] | None:
    if card.relation and card.special == "relation":
        found = card.relation.relation, card.relation.direction
        return {"word": relation_name(*found), "title": relation_name(*found), "kind": "syntactic"}
    if card.habit is None:
        return None
    kind = "positional" if card.positional else "habit"
    return {"word": short_habit(card.habit.habit), "title": habit_name(card.habit.habit), "kind": kind}


def details(atlas: Atlas, layer: int, head: int, link: Callable[[Example], str]) -> dict[str, Any]:
    """All facts about one head: tables, and its examples in groups.

    Args:
        link: the address that opens an example.
    Raises:
        AtlasError: a table is damaged.
    """
    return {
        "layer": layer,
        "head": head,
        "notes": [
            "A relation is found where the word that the head looks at most is the right one; the word itself and "
            "special tokens do not count. A “syntactic” head beats the best fixed offset by 10 points. A “positional” "
            "head has its largest weight among other words at one offset for 90 % of words (Voita et al. 2019). "
            "Two words go together if at least five sentences of the choosing half have both, eight times as many as "
            "their frequencies explain; “more” is how much more often a head looks at such a word than at words as far "
            "away and as frequent. Brackets hold 95 % intervals. Attention says where a head "
            "looks, not that this mattered for the result.",
            "In an example the bold word looks, and of the other words it looks most at the marked one. The number "
            "after the sentence is the weight of the right word, of words that go together that of the marked one, of "
            "another habit the mean share in the sentence. A click on an example opens it here.",
        ],
        "tables": [
            *_silencing(atlas, layer, head),
            *_by_step(atlas.habits_by_step(layer, head)),
            _relations(atlas.relations(layer, head)),
            _habits(atlas.habits(layer, head)),
        ],
        "examples": [
            _group(list(group), link)
            for _, group in groupby(sorted(atlas.examples(layer, head), key=_order), key=_order)
        ],
    }


def _relations(relations: Iterable[Relation]) -> Table:
    return {
        "caption": "Relations, those in which the head leads the best fixed offset by most first",
        "header": ["from → to", "found", "best fixed offset", "n", "where chosen", ""],
        "rows": [
            [
                relation_name(found.relation, found.direction),
                f"{figure(found.accuracy)} [{figure(found.low)}, {figure(found.high)}]",
                f"{figure(found.offset_accuracy)} ({written(found.offset, '+d')})",
                f"{found.n:,}",
                f"{figure(found.chosen_accuracy)}, offset {figure(found.chosen_offset_accuracy)}",
                "syntactic" if found.syntactic else "",
            ]
            for found in relations
        ],
    }


def _habits(habits: Iterable[Habit]) -> Table:
    units = {"share": "", "bits": " bits", "words": " words", "lift": " more"}
    return {
        "caption": "Habits: where a word's attention goes",
        "header": ["to", "share", "by chance", "sentences"],
        "rows": [
            [
                habit_name(habit.habit),
                f"{figure(habit.mean)}{units[habit.unit]} [{figure(habit.low)}, {figure(habit.high)}]",
                f"{figure(habit.chance)}{units[habit.unit]}",
                f"{habit.n:,}",
            ]
            for habit in habits
        ],
    }


def _silencing(atlas: Atlas, layer: int, head: int) -> list[Table]:
    """One table, or none if silencing was not measured."""
    all_heads = [card.silencing for card in atlas.cards.values() if card.silencing]
    one = atlas.cards[layer, head].silencing
    if one is None:
        return []
    middle = median(each.shift for each in all_heads)
    largest = max(each.shift for each in all_heads)
    turned = [f"{value:.4f}".removeprefix("0") for value in (one.shift, one.low, one.high, middle, largest)]
    shift = f"{turned[0]} [{turned[1]}, {turned[2]}]"
    rows = [["1 − cosine of a sentence's vectors with and without it", shift, *turned[3:], f"{one.n:,}"]]
    changes = [each.accuracy_change for each in all_heads if each.accuracy_change is not None]
    if changes and one.accuracy is not None and one.accuracy_change is not None:
        bounds = [points(bound) for bound in (one.change_low, one.change_high) if bound is not None]
        rows.append(
            [
                f"accuracy on {reviews_name(one)}, {100 * one.accuracy:.1f}\u00a0% with all heads",
                f"{points(one.accuracy_change)} [{', '.join(bounds)}] points",
                points(median(changes)),
                points(min(changes)),
                f"{one.num_reviews:,}",
            ]
        )
    header = ["output", "change without the head", "median of all heads", "extreme", "n"]
    return [{"caption": "Weight in the model: what silencing the head changes", "header": header, "rows": rows}]


def _by_step(habits: Mapping[int, Sequence[Habit]]) -> list[Table]:
    """The strongest habits of a head during training; none if the training was not measured."""
    steps = list(habits)
    last = habits[steps[-1]] if steps else ()
    shares = [habit for habit in last if habit.unit == "share" and habit.mean - habit.chance >= LEAD]
    strongest = sorted(shares, key=lambda habit: habit.chance - habit.mean)[:MOST_HABITS]
    rows = []
    for habit in strongest:
        course = [next(one for one in habits[step] if one.habit == habit.habit) for step in steps]
        half = half_way([one.mean - one.chance for one in course])
        rows.append([habit_name(habit.habit), *(figure(one.mean) for one in course), f"{steps[half]:,}"])
    if not rows:
        return []
    caption = (
        "Training: the share of a word's attention at each step, of habits that end .02 above what even attention "
        "gives, and the step from which on a habit has half of its final lead over that"
    )
    return [{"caption": caption, "header": ["to", *(f"{step:,}" for step in steps), "half from"], "rows": rows}]


def half_way(leads: Sequence[float]) -> int:
    """The index from which on a course has at least half of its final value."""
    below = [index for index, lead in enumerate(leads) if lead < leads[-1] / 2]
    return below[-1] + 1 if below else 0


def _order(example: Example) -> tuple[bool, int]:
    """Relations come before habits: a head has one of each."""
    return example.direction is None, list(KINDS).index(example.kind)


def _group(examples: list[Example], link: Callable[[Example], str]) -> dict[str, Any]:
    first = examples[0]
    about = relation_name(first.about, first.direction) if first.direction else habit_name(first.about)
    return {
        "title": f"{about}, {KINDS[first.kind]}",
        "sentences": [
            {
                "address": link(example),
                "words": [make_visible(word) for word in example.words],
                "query": example.query,
                "key": example.key,
                "value": figure(example.value),
            }
            for example in examples
        ],
    }
