"""Texts of exact lengths: windows of a long text that the tokenizer reads as 16, 64, ... tokens, all different."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from bench.server import ROOT
from encoder.text.tokenizer import Tokenizer

SIZES = (16, 64, 128, 256, 512)
FRAME = 2  # [CLS] and [SEP]
WORDS = "the a film good bad dull bright story actor time flies like an arrow and but never quite ends before its music"
SHARED_TEXT = ROOT.parent / "shared" / "data" / "longtext.txt"


def long_text(path: Path | None) -> str:
    """The text of a file; without one, the shared text where there is one, else the README's."""
    for candidate in (path, SHARED_TEXT, ROOT / "README.md"):
        if candidate is not None and (candidate == path or candidate.exists()):
            return candidate.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{ROOT} has no README.md to take words from: pass --text FILE.")


def random_texts(count: int, seed: int = 0) -> list[str]:
    """Texts of 8 to 28 words that are one token each."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS.split(), k=rng.randint(8, 28))) for _ in range(count)]


class Texts:
    """Endless different texts of a wanted length in tokens."""

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        words = text.split()
        self.words = words * 2  # a window may run over the end
        counted = {word: len(tokenizer(word)) - FRAME for word in set(words)}
        self.counts = [counted[word] for word in self.words]
        self._starts = len(words)
        self._windows: dict[int, Iterator[str]] = {}

    def new(self, tokens: int) -> str:
        """A text of that many tokens, special ones included, that was not given before."""
        return next(self._windows.setdefault(tokens, self._all(tokens)))

    def _all(self, tokens: int) -> Iterator[str]:
        for start in range(self._starts):
            for end, total in enumerate(accumulate(self.counts[start:], initial=0), start):
                if total >= tokens - FRAME:
                    if total == tokens - FRAME:
                        yield " ".join(self.words[start:end])
                    break
