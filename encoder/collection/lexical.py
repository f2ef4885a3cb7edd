"""Rankings by words alone, which a ranking by vectors is held against."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import bm25s
import numpy as np

from encoder.runs.arrays import FloatArray
from encoder.text.common_words import fold_case, has_letters
from encoder.text.words import roles_of, words_in

NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")


def words_of(text: str) -> list[str]:
    """The words of a text in their order, case-folded, without punctuation."""
    words = (text[slice(*span)] for span in words_in(text, roles_of(text))[0])
    return [fold_case(word) for word in words if has_letters(word)]


def exact_words(text: str) -> set[str]:
    """The words of a text, and its numbers as they are written."""
    return {*words_of(text), *NUMBER.findall(text)}


class WordIndex:
    """N texts by their words, which BM25 ranks.

    Attributes:
        words: of each text, in their order.
        exact: words of each text, and its numbers as they are written.
    Source: Lù (2024), BM25S, with the variant and the parameters of Lucene.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        # Interned, because the same words are in many texts.
        self.words = [tuple(map(sys.intern, words_of(text))) for text in texts]
        self.exact = [tuple(map(sys.intern, exact_words(text))) for text in texts]
        self._index = bm25s.BM25()
        self._index.index([[*words] or [""] for words in self.words], show_progress=False)

    @cached_property
    def counts(self) -> Counter[str]:
        """The number of texts that have each word or number."""
        return Counter(word for words in self.exact for word in words)

    def scores(self, query: str) -> FloatArray:
        """(N,) the score of each text for a query; 0 if it has none of its words."""
        words = [word for word in dict.fromkeys(words_of(query)) if word in self._index.vocab_dict]
        if not words:
            return np.zeros(len(self.words), np.float32)
        return np.asarray(self._index.get_scores(words), np.float32)
