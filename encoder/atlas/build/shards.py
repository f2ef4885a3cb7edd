"""Shards, the unit of work: consecutive sentences of one half of the corpus; and a first scan of the corpus."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from encoder.atlas.build.claims import Chosen
from encoder.atlas.build.corpus import Read, Sentence, Skipped, paired, read_corpus

SHARD = 1024  # sentences
Half = Literal["choose", "measure"]
HALVES: tuple[Half, ...] = ("choose", "measure")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the sentences of a build come from."""

    choose: tuple[Path, ...]  # the files of each half; the same files if they are split by document
    measure: tuple[Path, ...]
    most_words: int  # longer sentences are skipped
    pairs: bool = False  # whether two neighbours are read as one text
    limit: int | None = None  # only the first sentences of each half; None = all
    shard: int = SHARD  # sentences per shard
    column: str | None = None  # of the sentences, in tables and JSON lines

    @property
    def split(self) -> bool:
        """Whether one corpus is split into halves by document."""
        return self.choose == self.measure

    def files(self, half: Half) -> tuple[Path, ...]:
        return self.choose if half == "choose" else self.measure


@dataclass(frozen=True, slots=True)
class Shard:
    """Consecutive sentences of a half."""

    half: Half
    index: int
    sentences: tuple[Sentence, ...]
    first: int = 0  # number of the first sentence in the half
    chosen: Chosen | None = None  # on the choosing half; None while that half is measured


def half_of(document: str) -> Half:
    """The half of a document; it does not depend on the rest of the corpus."""
    return HALVES[hashlib.sha256(document.encode("utf-8", "replace")).digest()[0] % 2]


def _read_files(source: Source, half: Half) -> Iterator[Read]:
    """All sentences of a half's files, and the skipped lines."""
    for path in source.files(half):
        read = read_corpus(path, most_words=source.most_words, column=source.column)
        yield from paired(read) if source.pairs else read


@dataclass(frozen=True, slots=True, kw_only=True)
class Shards:
    """The shards of a half that remain to be measured, read lazily from its files."""

    source: Source
    half: Half
    done: frozenset[int] = frozenset()  # indices of shards that are measured already
    chosen: Chosen | None = None

    def __iter__(self) -> Iterator[Shard]:
        source, half = self.source, self.half
        of_half = (
            sentence
            for sentence in _read_files(source, half)
            if isinstance(sentence, Sentence) and (not source.split or half_of(sentence.document) == half)
        )
        sentences = islice(of_half, source.limit)
        for index, some in enumerate(iter(lambda: tuple(islice(sentences, source.shard)), ())):
            if index not in self.done:
                yield Shard(half, index, some, index * source.shard, self.chosen)


NAMED = 10_000  # skipped lines that are listed; further ones are only counted


@dataclass(slots=True)
class Scan:
    """The contents of a corpus."""

    sentences: Counter[Half] = field(default_factory=Counter)  # number in each half, within the limit
    reasons: Counter[str] = field(default_factory=Counter)  # number of skipped lines by reason
    named: list[Skipped] = field(default_factory=list)  # the first skipped lines

    def skip(self, skipped: Skipped) -> None:
        """Count a skipped line, and list it unless the list is full."""
        self.reasons[skipped.reason] += 1
        if len(self.named) < NAMED:
            self.named.append(skipped)

    def shards(self, half: Half, size: int) -> int:
        """The number of shards of a given size in a half."""
        return -(-self.sentences[half] // size)


def scan(source: Source) -> Scan:
    """Read each file once. Raises DataError if one is missing or damaged."""
    found = Scan()
    for half in HALVES[:1] if source.split else HALVES:
        for sentence in _read_files(source, half):
            if isinstance(sentence, Skipped):
                found.skip(sentence)
            else:
                found.sentences[half_of(sentence.document) if source.split else half] += 1
    if source.limit is not None:
        for half in HALVES:
            found.sentences[half] = min(found.sentences[half], source.limit)
    return found
