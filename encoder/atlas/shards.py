"""Shards, the unit of work: consecutive sentences of one half of the corpus; and a first scan of the corpus."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from encoder.atlas.corpus import Read, paired, read_corpus
from encoder.atlas.heads import Chosen
from encoder.atlas.sentences import Sentence, Skipped

SHARD = 1024  # sentences
Half = Literal["choose", "measure"]
HALVES: tuple[Half, ...] = ("choose", "measure")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the sentences of a build come from.

    Attributes:
        choose, measure: the files of the two halves; the same files where they are split by document.
        most_words: longer sentences are skipped.
        pairs: whether two neighbours are read as one text.
        limit: only the first sentences of each half; None = all.
        shard: sentences per shard.
    """

    choose: tuple[Path, ...]
    measure: tuple[Path, ...]
    most_words: int
    pairs: bool = False
    limit: int | None = None
    shard: int = SHARD

    @property
    def split(self) -> bool:
        """Whether one corpus is split into halves by document."""
        return self.choose == self.measure

    def files(self, half: Half) -> tuple[Path, ...]:
        return self.choose if half == "choose" else self.measure


@dataclass(frozen=True, slots=True)
class Shard:
    """Consecutive sentences of a half, starting at number `first`.

    Attributes:
        chosen: what the choosing half decided; None while that half is measured.
    """

    half: Half
    index: int
    sentences: tuple[Sentence, ...]
    first: int = 0
    chosen: Chosen | None = None


def half_of(document: str) -> Half:
    """The half of a document; it does not depend on the rest of the corpus."""
    return HALVES[hashlib.sha256(document.encode("utf-8", "replace")).digest()[0] % 2]


def read_half(source: Source, half: Half) -> Iterator[Sentence]:
    """The sentences of a half, in the order of its files."""
    return islice(_all_of_half(source, half), source.limit)


def read_files(source: Source, files: Sequence[Path]) -> Iterator[Read]:
    """All sentences of some files, and the skipped lines."""
    for path in files:
        read = read_corpus(path, most_words=source.most_words)
        yield from paired(read) if source.pairs else read


def _all_of_half(source: Source, half: Half) -> Iterator[Sentence]:
    for sentence in read_files(source, source.files(half)):
        if isinstance(sentence, Skipped) or (source.split and half_of(sentence.document) != half):
            continue
        yield sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Shards:
    """The shards of a half that remain to be measured, read lazily from its files.

    Attributes:
        done: indices of shards that are measured already.
        chosen: what the choosing half decided; None for that half itself.
    """

    source: Source
    half: Half
    done: frozenset[int] = frozenset()
    chosen: Chosen | None = None

    def __iter__(self) -> Iterator[Shard]:
        sentences = read_half(self.source, self.half)
        index, size = 0, self.source.shard
        while some := tuple(islice(sentences, size)):
            if index not in self.done:
                yield Shard(self.half, index, some, index * size, self.chosen)
            index += 1


NAMED = 10_000  # skipped lines that are listed; further ones are only counted


@dataclass(slots=True)
class Scan:
    """The contents of a corpus.

    Attributes:
        sentences: number in each half, within the limit.
        reasons: number of skipped lines by reason.
        named: the first skipped lines.
    """

    sentences: Counter[Half] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    named: list[Skipped] = field(default_factory=list)

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
        for sentence in read_files(source, source.files(half)):
            if isinstance(sentence, Skipped):
                found.skip(sentence)
            else:
                found.sentences[half_of(sentence.document) if source.split else half] += 1
    if source.limit is not None:
        for half in HALVES:
            found.sentences[half] = min(found.sentences[half], source.limit)
    return found
