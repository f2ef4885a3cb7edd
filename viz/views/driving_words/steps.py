"""Driving words: which words push the rows of a table to a class, and what happens without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from encoder import Backend
from encoder.collection.driving_heads import SilencedHeads, silence_heads
from encoder.collection.driving_words import (
    TESTED_WORDS,
    DrivingWords,
    WordRemoval,
    remove_words,
    rows_to_remove,
    words_of_rows,
)
from encoder.collection.driving_words import driving_words as find_driving_words
from encoder.collection.kinds.base import Results
from encoder.collection.order_quality import order_quality, tokens_to_run
from encoder.collection.row_filters import select_rows
from encoder.collection.table import Collection
from encoder.progress import Progress, no_progress
from viz.answers.answer import Answer
from viz.answers.room import PAGE, Room
from viz.recipes.step import LongStep, Recipe, Step, answered
from viz.recipes.tables import estimated_tokens, results_of
from viz.state.selection import Selection
from viz.views.driving_words import answer as answers

if TYPE_CHECKING:
    from encoder.collection.saved_run import SavedRun

PASSES: Final = 4  # forward passes that take as long as two and a backward pass


def driving_words(collection: Collection, selection: Selection, room: Room) -> Recipe[None]:
    """The words that drive the chosen rows, what happens without them, and on a page the rows of the chosen word."""
    results = yield from results_of(collection)
    if results is None:
        return
    rows, driven = answers.chosen_rows(selection.table, collection, results)
    found = yield from words_of(collection, results, rows, driven)
    if found is None:
        return
    said = answers.words(found, collection, results, rows=rows, driven=driven, model_name=selection.model, room=room)
    removals = (yield from removals_of(collection, results, found.words[:TESTED_WORDS], driven)) or ()
    tested = answers.removals_in_words(removals, results, driven=driven, model_name=selection.model)
    yield Answer((*said.parts, *tested.parts))
    if room is PAGE:
        yield answers.words_and_rows(found, removals, selection.table.driving_word, collection, results)


def words_of(
    collection: Collection, results: Results, rows: str, driven: str, *, saved: SavedRun | None = None
) -> Recipe[DrivingWords | None]:
    """What every word of some rows adds to a class, "" for the predicted one.

    Args:
        saved: the saved run that the results are of.
    """
    label, what = driven or None, "What every word adds"
    if saved is not None and saved.has_words(label):
        args = (saved, results, rows, label)
        return (yield from LongStep(saved_words, args, tokens=0, what=what, key="words", table=collection))
    return (
        yield from LongStep(
            find_driving_words,
            (collection, rows),
            options={"label": label, "results": results},
            tokens=PASSES * estimated_tokens(collection),
            what=what,
            key="words",
            table=collection,
        )
    )


def removals_of(
    collection: Collection, results: Results, words: Sequence[str], driven: str
) -> Recipe[tuple[WordRemoval, ...] | None]:
    """What happens without each of some words, and without all of them."""
    tested = tuple(words)
    rows = yield from Step(rows_to_remove, (collection, tested), table=collection, needs_model=False)
    return (
        yield from LongStep(
            remove_words,
            (collection, results, tested),
            options={"label": driven or None},
            tokens=int(rows * results.lengths.mean()),
            what=f"The test: {len(tested)} words removed from all rows that have them",
            key="removals",
            table=collection,
        )
    )


def order(collection: Collection, results: Results, rows: str, driven: str) -> Recipe[None]:
    """The test of the order of the words on some of the rows."""
    step = LongStep(
        order_quality,
        (collection, results, rows),
        options={"label": driven or None},
        tokens=tokens_to_run(collection, results, rows),
        what="The order of the words in some of these rows",
        key="order",
        table=collection,
    )
    yield from answered(step, lambda found: answers.order_quality(found, results))


def heads(
    collection: Collection, results: Results, rows: str, selection: Selection, *, num_heads: int, saved: SavedRun | None
) -> Recipe[None]:
    """The map of all heads, and the errors of the chosen one.

    Args:
        num_heads: all that the model has.
        saved: the saved run that the results are of.
    """
    what = f"{num_heads} heads silenced, one by one, in all of these rows"
    if saved is not None and "heads" in saved.what:
        args: tuple[Any, ...] = (saved, results, rows)
        found = yield from LongStep(saved_heads, args, tokens=0, what=what, key="heads", table=collection)
    else:
        args = (collection, results, rows)
        tokens = num_heads * int(results.lengths[select_rows(collection, results, rows)].sum())
        found = yield from LongStep(silence_heads, args, tokens=tokens, what=what, key="heads", table=collection)
    if found is not None:
        layers, of_layer = found.changes.shape
        chosen = min(selection.layer, layers - 1), min(max(selection.head, 0), of_layer - 1)
        yield answers.heads(found, chosen, results)
        yield answers.errors_of_head(found, chosen, collection, results)


def saved_words(
    _: Backend, run: SavedRun, results: Results, rows: str, driven: str | None, *, progress: Progress = no_progress
) -> DrivingWords:
    """The words of some rows of a saved run."""
    return words_of_rows(run.words(results, select_rows(run.collection, results, rows), driven))


def saved_heads(
    _: Backend, run: SavedRun, results: Results, rows: str, *, progress: Progress = no_progress
) -> SilencedHeads:
    """The silenced heads of a saved run."""
    return run.heads(results, select_rows(run.collection, results, rows))
