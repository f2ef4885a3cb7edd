"""One word: every occurrence of a word in a table of texts, layer by layer."""

from __future__ import annotations

from typing import Final

from encoder.collection.table import Collection
from encoder.collection.word_map import WordMap, find_word, map_word, suggest_words, tags_words
from viz.answers.answer import Answer, Sentence, Table
from viz.answers.room import PAGE, Room
from viz.recipes.step import LongStep, Recipe, Step, Widgets
from viz.state.selection import Selection
from viz.state.selection import Table as TableSelection
from viz.views.word_map import answer as answers
from viz.wording.labels import in_markdown

OCCURRENCE_BYTES: Final = 600  # of a mapped occurrence of a word, in a model of 24 layers


def word_map(collection: Collection, selection: Selection, room: Room) -> Recipe[None]:
    """The maps of several layers, and on a page how well labels separate after each. Raises DataError."""
    found = yield from mapped(collection, selection.table)
    if found is None:
        return
    colour = answers.shown_colour(found, collection, selection.table.colour)
    state = answers.shown_state(found, colour, selection.table.map_state)
    yield answers.small_maps(found, collection, colour, state)
    by_layer = answers.by_layer(found, colour, state) if room is PAGE else None
    if by_layer:
        yield Answer(tuple(part for part in by_layer.parts if isinstance(part, Table)))


def mapped(collection: Collection, table: TableSelection, word: str = "") -> Recipe[WordMap | None]:
    """The occurrences of a word, or of the chosen one. Raises DataError."""
    suggested = yield from Step(suggest_words, (collection,), table=collection, needs_model=False)
    wanted = word or answers.chosen_word(table, suggested)
    has_tags = yield from Step(tags_words)
    yield Widgets("word", (suggested, wanted, has_tags))
    if not wanted:
        yield Answer((Sentence("Type a word above: each of its occurrences in the table becomes a point.", "caption"),))
        return None
    searched = wanted, table.forms
    found = yield from Step(find_word, (collection, *searched), identity=searched, table=collection, needs_model=False)
    return (
        yield from LongStep(
            map_word,
            (collection, found),
            identity=(found.word, found.forms),
            tokens=found.tokens,
            what=f"“{in_markdown(found.word)}” in {found.num_texts:,} texts",
            table=collection,
            nbytes=OCCURRENCE_BYTES * len(found.places),
        )
    )
