"""How well a head finds each tag, and whole entities, in a table of texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from encoder.collection.kinds.base import Results
from encoder.collection.kinds.tags import Tags, gold_tags
from encoder.collection.table import Collection
from encoder.measures.classification import ClassScores, scores_within_rows
from encoder.measures.word_tags import read_scheme, strict_spans

ALL_ENTITIES = "all entities"


class TagScores(NamedTuple):
    """Tags, or kinds of entities, and how well each is found."""

    names: tuple[str, ...]
    scores: ClassScores


def scores_of_tags(collection: Collection, results: Results) -> TagScores | None:
    """Each tag that a word has or gets; None where no row has tags of the model."""
    places = {name: index for index, name in enumerate(results.labels)}
    words = [
        (number, places[own], places[said])
        for number, row in enumerate(_rows(collection, results))
        for own, said in zip(*row, strict=True)
    ]
    if not words:
        return None
    rows, own, said = np.array(words).T
    used = np.unique([own, said])
    found = scores_within_rows(own[:, None] == used, said[:, None] == used, rows)
    return TagScores(tuple(results.labels[index] for index in used), found)


def scores_of_entities(collection: Collection, results: Results) -> TagScores | None:
    """All entities, then each kind, by `strict_spans`; None where the tags name none."""
    scheme = read_scheme(results.labels)
    if not scheme.name:
        return None
    own, said = set[tuple[int, str, int, int]](), set[tuple[int, str, int, int]]()
    for number, row in enumerate(_rows(collection, results)):
        for found, tags in zip((own, said), row, strict=True):
            found |= {(number, *span) for span in strict_spans(tags, scheme)}
    spans = sorted(own | said)
    kinds = sorted({span[1] for span in spans})
    if not spans:
        return None
    of_kinds = np.array([[True, *(kind == span[1] for kind in kinds)] for span in spans])
    has, gets = (np.array([span in found for span in spans])[:, None] & of_kinds for found in (own, said))
    return TagScores((ALL_ENTITIES, *kinds), scores_within_rows(has, gets, np.array([span[0] for span in spans])))


def _rows(collection: Collection, results: Results) -> Iterator[tuple[list[str], list[str]]]:
    """The own tags and the predicted ones of each row that has the model's tags."""
    labels = collection.labels(range(len(results)))
    if not isinstance(results, Tags) or labels is None:
        return
    for row in np.flatnonzero(results.has_gold).tolist():
        own, said = gold_tags(labels[row], results.labels), results.answers.said[row].split(" ")
        if len(said) <= len(own):  # of a text that is cut off, the first ones
            yield own[: len(said)], said
