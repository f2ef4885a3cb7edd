"""Finds the words of a corpus from which a head looks hard at another one, by what these words are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from encoder.atlas.names import DIRECTIONS, Direction
from encoder.atlas.records import WordPattern
from encoder.atlas.tables import HUNDREDTHS, head_columns, read_table

Indices = NDArray[np.int32]
GROUP = ":*"  # behind the name of a relation: with its subtypes
ANY_WORD = WordPattern()
SENTENCES, LOOKS = "sentences.parquet", "looks.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for: a head's looks from one word to the other word of the sentence that it looks at most.

    Attributes:
        looks, looked_at: what these two words are to be.
        relation, direction: how the one that looks is related to the other; None = in any way or none. "acl:*" is
            "acl" with its subtypes.
        least: the lowest weight, which is compared in hundredths, as weights are kept.
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
    """N looks, the hardest first, and those of one weight in the order of the corpus.

    Attributes:
        sentence: (N,) rows of the table of sentences.
        query, key: (N,) words of it, the one that looks and the one that it looks at most.
        weight: (N,) in [0, 1], rounded to hundredths.
        words: how many words look and are what the search wants, whatever they look at and however hard.
    """

    sentence: Indices
    query: Indices
    key: Indices
    weight: NDArray[np.float64]
    words: int


def find(folder: Path, search: Search) -> Found:
    """Search an atlas.

    Args:
        folder: of its tables.
    Raises:
        AtlasError: a table is missing or damaged, or has no such head.
    """
    words = _words_in(folder)
    columns = head_columns(search.layer, search.head)
    table = read_table(folder / LOOKS, columns=columns)
    to, hundredths = (table[name].to_numpy() for name in columns)
    rows = np.flatnonzero(words.which(search)[words.looking])
    count = len(rows)
    rows = rows[hundredths[rows] >= round(search.least * HUNDREDTHS)]
    looking = words.looking[rows]
    if search.relation is not None or search.looked_at != ANY_WORD:
        looked_at = looking - words.word[looking] + to[rows]  # a sentence's words stand together
        kept = words.are(search.looked_at)[looked_at]
        if search.relation is not None:
            kept &= words.are_related(search.relation, search.direction, looking, looked_at)
        rows, looking = rows[kept], looking[kept]
    order = np.argsort(HUNDREDTHS - hundredths[rows], kind="stable")
    rows, looking = rows[order], looking[order]
    return Found(
        sentence=words.sentence[looking],
        query=words.word[looking],
        key=to[rows].astype(np.int32),
        weight=hundredths[rows] / HUNDREDTHS,
        words=count,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A text for each of W words.

    Attributes:
        texts: the different ones.
        codes: (W,) which of them; the number behind the last for none.
    """

    texts: pa.Array
    codes: Indices

    def where(self, matches: pa.BooleanArray) -> NDArray[np.bool_]:
        """(W,) which words have one of the texts that match."""
        by_code: NDArray[np.bool_] = np.append(matches.to_numpy(zero_copy_only=False).astype(bool), False)
        return by_code[self.codes]

    @classmethod
    def of(cls, values: pa.Array) -> Column:
        """The column with these texts."""
        encoded = values.dictionary_encode()
        codes = pc.fill_null(encoded.indices, len(encoded.dictionary))
        return cls(encoded.dictionary, codes.to_numpy().astype(np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """All W words of an atlas's sentences, in their order.

    Attributes:
        sentence, word: (W,) the row of its sentence, and its index there.
        forms, tags, relations: in lower case, the part of speech, and the relation to the head.
        head: (W,) the index in its sentence of the word that it depends on; -1 for none.
        looking: (R,) which of them have a row in the table of looks, in its order.
    """

    sentence: Indices
    word: Indices
    forms: Column
    tags: Column
    relations: Column
    head: Indices
    looking: Indices

    def which(self, search: Search) -> NDArray[np.bool_]:
        """(W,) which of them may be the word that looks."""
        found = self.are(search.looks)
        if search.relation is None:
            return found
        dependent = self._is_a(search.relation)
        if search.direction == DIRECTIONS[0]:
            return found & dependent
        has_dependent = np.zeros(len(self.word), dtype=bool)
        places = np.flatnonzero(dependent & (self.head >= 0))
        has_dependent[places - self.word[places] + self.head[places]] = True
        return found & has_dependent

    def are(self, pattern: WordPattern) -> NDArray[np.bool_]:
        """(W,) which of them are as a pattern says."""
        found = np.ones(len(self.word), dtype=bool)
        if pattern.form is not None:
            found &= self.forms.where(pc.equal(self.forms.texts, pattern.form.lower()))
        if pattern.tag is not None:
            found &= self.tags.where(pc.equal(self.tags.texts, pattern.tag))
        return found

    def are_related(self, relation: str, direction: Direction, query: Indices, key: Indices) -> NDArray[np.bool_]:
        """(N,) which pairs of words of a sentence are in a relation, in the direction in which the first one looks."""
        dependent, head = (query, key) if direction == DIRECTIONS[0] else (key, query)
        return self._is_a(relation)[dependent] & (self.head[dependent] == self.word[head])

    def _is_a(self, relation: str) -> NDArray[np.bool_]:
        names = self.relations.texts
        if not relation.endswith(GROUP):
            return self.relations.where(pc.equal(names, relation))
        universal = relation.removesuffix(GROUP)
        return self.relations.where(pc.or_(pc.equal(names, universal), pc.starts_with(names, f"{universal}:")))


@cache
def _words_in(folder: Path) -> Words:
    sentences = read_table(folder / SENTENCES, columns=("words", "tags", "relations", "heads"))
    lengths = pc.list_value_length(sentences["words"]).to_numpy()
    first = (np.cumsum(lengths) - lengths).astype(np.int32)
    sentence = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    looks = read_table(folder / LOOKS, columns=("sentence", "word"))

    def of_words(name: str) -> pa.Array:
        """A column of lists as one of values; without trees or tags there are none."""
        column = sentences[name].combine_chunks()
        return pa.nulls(len(sentence), column.type.value_type) if column.null_count else pc.list_flatten(column)

    return Words(
        sentence=sentence,
        word=np.arange(len(sentence), dtype=np.int32) - first[sentence],
        forms=Column.of(pc.utf8_lower(of_words("words"))),
        tags=Column.of(of_words("tags")),
        relations=Column.of(of_words("relations")),
        head=pc.fill_null(of_words("heads"), -1).to_numpy(),
        looking=first[looks["sentence"].to_numpy()] + looks["word"].to_numpy(),
    )
