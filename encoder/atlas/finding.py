"""Search a corpus for words from which a head looks at another word with a large weight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.atlas.database import Database
from encoder.atlas.names import DIRECTIONS, Direction
from encoder.atlas.records import WordPattern
from encoder.atlas.tables import HUNDREDTHS

Indices = NDArray[np.int32]
GROUP = ":*"  # suffix of a relation: include its subtypes
ANY_WORD = WordPattern()
OTHER = "JOIN words AS other ON other.sentence = looking.sentence AND other.word = look.key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search for a head's looks: from a word to the other word of the sentence that it looks at most.

    Attributes:
        looks, looked_at: patterns for these two words.
        relation, direction: the relation between them; None = any or none. "acl:*" includes the subtypes of "acl".
        least: the lowest weight, compared in hundredths, as weights are stored.
    """

    layer: int
    head: int
    looks: WordPattern = ANY_WORD
    looked_at: WordPattern = ANY_WORD
    relation: str | None = None
    direction: Direction = DIRECTIONS[0]
    least: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """N looks by falling weight; equal weights stay in the order of the corpus.

    Attributes:
        sentence: (N,) rows of the table of sentences.
        query, key: (N,) word indices there: the query word and the word that it looks at most.
        weight: (N,) in [0, 1], rounded to hundredths.
        words: how many query words match the search, whatever they look at.
    """

    sentence: Indices
    query: Indices
    key: Indices
    weight: NDArray[np.float64]
    words: int


def find(database: Database, search: Search) -> Found:
    """Search an atlas.

    Raises:
        AtlasError: a table is missing or damaged, or has no such head.
    """
    looks = [*_are("looking", search.looks)]
    may_look = [*looks, *_has_relation(search)]
    counted = database.arrays(
        f"SELECT count(*)::INTEGER AS words FROM looking{_where(may_look)}", _values(may_look), needs="looking"
    )
    looked_at = [*_are("other", search.looked_at), *_is_related(search)]
    conditions = [*looks, *looked_at, Condition("look.weight >= $least", {"least": round(search.least * HUNDREDTHS)})]
    with database.looks(search.layer, search.head) as look:
        found = database.arrays(
            f"""
            SELECT number, looking.sentence, looking.word::INTEGER AS query, key::INTEGER AS key, weight
            FROM looking POSITIONAL JOIN {look} AS look {OTHER if looked_at else ""}{_where(conditions)}""",
            _values(conditions),
            needs="looking",
        )
    order = np.lexsort((found["number"], HUNDREDTHS - found["weight"]))
    return Found(
        sentence=found["sentence"][order],
        query=found["query"][order],
        key=found["key"][order],
        weight=found["weight"][order] / HUNDREDTHS,
        words=int(counted["words"][0]),
    )


@dataclass(frozen=True, slots=True)
class Condition:
    """An SQL condition with the values of its parameters."""

    sql: str
    values: Mapping[str, object]


def _where(conditions: Sequence[Condition]) -> str:
    return f" WHERE {' AND '.join(condition.sql for condition in conditions)}" if conditions else ""


def _values(conditions: Sequence[Condition]) -> dict[str, object]:
    return {name: value for condition in conditions for name, value in condition.values.items()}


def _are(words: str, pattern: WordPattern) -> Iterator[Condition]:
    """Conditions that a pattern puts on the words of a table."""
    if pattern.form is not None:
        yield Condition(f"{words}.form = lower(${words}_form)", {f"{words}_form": pattern.form})
    if pattern.tag is not None:
        yield Condition(f"{words}.tag = ${words}_tag", {f"{words}_tag": pattern.tag})


def _has_relation(search: Search) -> Iterator[Condition]:
    """The condition that the query word has the relation, whatever it looks at."""
    if search.relation is None:
        return
    if search.direction == DIRECTIONS[0]:
        yield _is_a("looking", search.relation)
    else:
        dependent = _is_a("dependent", search.relation)
        yield Condition(
            "EXISTS (FROM words AS dependent WHERE dependent.sentence = looking.sentence "
            f"AND dependent.head = looking.word AND {dependent.sql})",
            dependent.values,
        )


def _is_related(search: Search) -> Iterator[Condition]:
    """The conditions that the two words are related."""
    if search.relation is None:
        return
    dependent, head = ("looking", "other") if search.direction == DIRECTIONS[0] else ("other", "looking")
    yield Condition(f"{dependent}.head = {head}.word", {})
    yield _is_a(dependent, search.relation)


def _is_a(words: str, relation: str) -> Condition:
    if not relation.endswith(GROUP):
        return Condition(f"{words}.relation = $relation", {"relation": relation})
    universal = relation.removesuffix(GROUP)
    return Condition(
        f"({words}.relation = $relation OR starts_with({words}.relation, $relation || ':'))", {"relation": universal}
    )
