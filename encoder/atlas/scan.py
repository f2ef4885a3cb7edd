"""A first look through the corpus: how many sentences there are, and what is skipped."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from encoder.atlas.sentences import Skipped
from encoder.atlas.shards import HALVES, Half, Source, half_of, read_files

NAMED = 10_000  # lines that are named; further ones are counted


@dataclass(slots=True)
class Scan:
    """What a corpus holds.

    Attributes:
        sentences: of each half, within the limit.
        reasons: how many lines were skipped for each reason.
        named: the first of them.
    """

    sentences: Counter[Half] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    named: list[Skipped] = field(default_factory=list)

    def skip(self, skipped: Skipped) -> None:
        """Count one more, and name it unless many are named."""
        self.reasons[skipped.reason] += 1
        if len(self.named) < NAMED:
            self.named.append(skipped)

    def shards(self, half: Half, size: int) -> int:
        """How many shards of a size a half has."""
        return -(-self.sentences[half] // size)


def scan(source: Source) -> Scan:
    """Read every file once. Raises DataError where one is missing or damaged."""
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
