"""The cell that all steps of the anatomy follow, unless the user chose one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from encoder.measures.unit_attention import strongest_cell
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.text.common_words import find_word
from encoder.text.occurrences import positions_of_word
from encoder.text.tokens import Tokens
from viz.answers.anatomy.tensors import FollowedCell
from viz.answers.word_lens.word import place_word
from viz.examples import EXAMPLES
from viz.state.selection import Selection, texts_in

DIMENSION = 1  # of an address that names none
Tokenize = Callable[[str], Tokens]


def followed_trace(traces: Mapping[str, Trace], selection: Selection) -> tuple[str, Trace]:
    """The run that the anatomy shows, and its place: that of a pinned token, else the first."""
    pins = selection.place.pins
    is_pinned = pins.query is not None or pins.key is not None
    place = next((place for place in traces if is_pinned and pins.run in texts_in(place)), next(iter(traces)))
    return place, traces[place]


def followed_cell(
    tokens: Tokens, weights: FloatArray, selection: Selection, place: str, *, shared: Sequence[int]
) -> FollowedCell:
    """The chosen cell; else the pinned one; else the largest weight from the shared word to another word.

    Args:
        tokens: T of them.
        weights: (T, T) of the selected head.
        place: of the run: "pair", "A" or "B".
        shared: positions of the word that both sentences have; without any, all words count.
    """
    anatomy, pins = selection.anatomy, selection.place.pins
    row, key = anatomy.row, anatomy.column
    if row is None and key is None and pins.run in texts_in(place):
        row, key = pins.query, pins.key
    last = len(tokens) - 1
    words = [position for position, special in enumerate(tokens.special) if not special] or list(range(last + 1))
    queries = [min(row, last)] if row is not None else shared or words
    keys = [min(key, last)] if key is not None else [key for key in words if key not in queries] or words
    query, found = strongest_cell(weights, queries, keys)
    dimension = next((each for each in (anatomy.dimension, anatomy.column) if each is not None), DIMENSION)
    return FollowedCell(row=query if row is None else row, key=found if key is None else key, dimension=dimension)


def positions_of_shared_word(tokens: Tokens, selection: Selection, place: str, tokenize: Tokenize) -> tuple[int, ...]:
    """The tokens, in one run, of the word that the page's two sentences share; none if they share none."""
    texts = selection.texts
    if not texts.b.strip():
        return ()
    a, b = tokenize(texts.a), tokenize(texts.b)
    lens = selection.word_lens
    preferred = next((each.word for each in EXAMPLES if (each.a, each.b) == (texts.a, texts.b)), "")
    places = place_word(a, b, lens.word_a, lens.word_b, preferred=preferred)
    of_text, index = (b, places.b) if place == "B" else (a, places.a)
    if index is None or places.b is None:
        return ()
    found, _ = find_word(tokens, of_text.words[index])
    return positions_of_word(tokens, found[0]) if found else ()
