"""The recipes of the views of a table of texts, which a stop of a tour shows on the stage and on its slide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from encoder.collection.table import Collection
from viz.answers.room import Room
from viz.recipes.driving_words import driving_words
from viz.recipes.search import search
from viz.recipes.step import Recipe
from viz.recipes.swaps import swaps
from viz.recipes.tables import texts
from viz.recipes.word_map import word_map
from viz.state.selection import Selection, View

TABLES: Final[Mapping[View, Callable[[Collection, Selection, Room], Recipe[Any]]]] = {
    "texts": texts,
    "driving words": driving_words,
    "search": search,
    "swaps": swaps,
    "word map": word_map,
}
