"""The results of a search of an atlas, for the browser, and parsing of the search fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from encoder.atlas.finding import Found, Search
from encoder.atlas.names import DIRECTIONS, Direction
from encoder.atlas.reader import Atlas
from encoder.atlas.records import WordPattern
from encoder.models.labels import TAGS
from viz.wording.atlas_words import short_relation

MOST = 10_000  # results in a list; a search with more results says so
ARROW = "→"


def search_of(layer: int, head: int, *, looks: str, looked_at: str, least: float) -> Search:
    """The search that the user typed.

    Args:
        looks: a word, a part of speech such as "NOUN", or a relation as `short_relation` writes it; "" for any word.
        looked_at: a word or a part of speech; "" for any.
        least: weight.
    """
    looks = looks.strip()
    relation, direction = _relation_of(looks)
    return Search(
        layer=layer,
        head=head,
        looks=WordPattern() if relation else _pattern_of(looks),
        looked_at=_pattern_of(looked_at.strip()),
        relation=relation,
        direction=direction,
        least=min(max(least, 0.0), 1.0),
    )


def _relation_of(text: str) -> tuple[str | None, Direction]:
    """The relation and direction in "obj→" or "→obj"; none in anything else."""
    for direction in DIRECTIONS:
        name = text.removesuffix(ARROW) if direction == DIRECTIONS[0] else text.removeprefix(ARROW)
        if name and short_relation(name, direction) == text:
            return name, direction
    return None, DIRECTIONS[0]


def _pattern_of(text: str) -> WordPattern:
    """A part of speech if the text is one in capitals, else a word."""
    if text in TAGS:
        return WordPattern(tag=text)
    return WordPattern(form=text or None)


def suggestions(atlas: Atlas, layer: int, head: int) -> list[str]:
    """Suggestions for the word that looks: parts of speech, and relations with enough examples."""
    relations = sorted({(one.relation, one.direction) for one in atlas.relations(layer, head)})
    return [*TAGS, *(short_relation(*relation) for relation in relations)]


def found_sentences(atlas: Atlas, found: Found) -> dict[str, Any]:
    """The first results.

    Returns:
        `rows` of an index of `sentences`, the word that looks, the one that is looked at, their first tokens, and the
        weight in hundredths; `sentences` with `BETWEEN_WORDS` between two words; their `names`; `n` looks in all, of
        `words` that look.
    Raises:
        AtlasError: the table of sentences is damaged.
    """
    kept = found.sentence[:MOST]
    shown, sentence = np.unique(kept, return_inverse=True)
    texts = atlas.texts(shown.tolist())
    tokens = texts["tokens"].combine_chunks()
    first = tokens.offsets.to_numpy()[sentence]  # of each look's sentence among all tokens
    values = tokens.values.to_numpy(zero_copy_only=False)
    query, key = found.query[:MOST], found.key[:MOST]
    weight = np.rint(100 * found.weight[:MOST]).astype(int)
    rows = np.stack([sentence, query, key, values[first + query], values[first + key], weight], axis=1)
    return {
        "n": len(found.sentence),
        "words": found.words,
        "rows": rows.astype(int).tolist(),
        "names": texts["name"].to_pylist(),
        "sentences": texts["words"].to_pylist(),
    }


def number_in(value: Any) -> float:
    """The weight that a browser sent; 0 if it is not a number."""
    return float(value) if isinstance(value, int | float) and value == value else 0.0


def text_in(asked: Mapping[str, Any], name: str) -> str:
    """A text that a browser sent; "" without one."""
    value = asked.get(name)
    return value[:100] if isinstance(value, str) else ""
