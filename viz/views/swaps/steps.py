"""Swaps: what changes when one word of a template is swapped for another, and which heads carry that."""

from __future__ import annotations

from typing import Final

from encoder.collection.names import SwapMeasure
from encoder.collection.swap_heads import shifts_without_heads
from encoder.collection.swaps import Swaps, Template, class_labels, parse_template, run_swaps, texts_by_set
from encoder.collection.table import Collection
from encoder.errors import DataError, SelectionError
from viz.answers.answer import Answer, explained
from viz.answers.room import Room
from viz.recipes.step import LongStep, Recipe, Step, Widgets
from viz.state.selection import Selection
from viz.views.swaps import answer as answers

TOKENS_OF_FILLING: Final = 14

Args = tuple[tuple[Template, ...], SwapMeasure, int]


def swaps(collection: Collection, selection: Selection, room: Room) -> Recipe[tuple[Swaps, Args, str] | None]:
    """The shifts of the chosen set of templates. Returns them with what `chosen_swaps` does, and raises the same."""
    args, label = yield from chosen_swaps(collection, selection)
    found = yield from shifts_of(collection, args)
    if found is None:
        return None
    yield answers.shifts(found, label, room)
    return found, args, label


def chosen_swaps(collection: Collection, selection: Selection) -> Recipe[tuple[Args, str]]:
    """The chosen templates with what is measured, and the name of the measured class, "" without classes.

    Templates that cannot be read are named.

    Raises:
        SelectionError: no row has a slot.
    """
    table, sets = selection.table, texts_by_set(collection)
    if not sets:
        raise SelectionError("No row of this table has a slot such as {he|she}.")
    labels = yield from Step(class_labels)
    yield Widgets("choices", (sets, labels))
    templates = []
    for text in sets[answers.chosen_set(table, sets)]:
        try:
            templates.append(parse_template(text))
        except DataError as error:
            yield Answer((explained(error, "warning"),))
    label = answers.chosen_label(table, labels)
    return (tuple(templates), table.measure, label), labels[label] if labels and table.measure == "class" else ""


def shifts_of(collection: Collection, args: Args) -> LongStep[Swaps]:
    """The model's predictions for all fillings of some templates."""
    count = _fillings(args)
    return LongStep(run_swaps, args, tokens=TOKENS_OF_FILLING * count, what=f"{count:,} fillings", table=collection)


def heads(collection: Collection, args: Args, *, num_heads: int) -> Recipe[None]:
    """The heads that carry the shifts; `num_heads` are all that the model has."""
    found = yield from LongStep(
        shifts_without_heads,
        args,
        tokens=TOKENS_OF_FILLING * _fillings(args) * (1 + num_heads),
        what="Each head silenced",
        table=collection,
    )
    if found is not None:
        yield answers.heads(found, args[1])


def _fillings(args: Args) -> int:
    return sum(len(template.choices) for template in args[0])
