"""What the model predicts for the rows of a table, in the room of a stop."""

from __future__ import annotations

from encoder.collection.table import Collection
from viz.answers.room import Room
from viz.recipes.step import Recipe
from viz.recipes.tables import results_of
from viz.state.selection import Selection
from viz.views.texts.answer.at_stop import of_rows


def texts(collection: Collection, selection: Selection, room: Room) -> Recipe[None]:
    """The model's predictions for the rows."""
    results = yield from results_of(collection)
    if results is not None:
        yield of_rows(collection, results, rows=selection.table.rows, order=selection.table.order, room=room)
