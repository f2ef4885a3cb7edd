"""Rankings by words alone, which a ranking by vectors is held against."""

from __future__ import annotations

from collections.abc import Sequence

import bm25s
import numpy as np

from encoder.runs.arrays import FloatArray
from encoder.text.common_words import fold_case, has_letters
from encoder.text.words import roles_of, words_in


def words_of(text: str) -> list[str]:
    """The words of a text in their order, case-folded, without punctuation."""
    words = (text[slice(*span)] for span in words_in(text, roles_of(text))[0])
    return [fold_case(word) for word in words if has_letters(word)]


def bm25(texts: Sequence[str], query: str) -> FloatArray:
    """(N,) the score of each text for a query by its words.

    Source: Lù (2024), BM25S, with the variant and the parameters of Lucene.
    """
    index = bm25s.BM25()
    index.index([words_of(text) or [""] for text in texts], show_progress=False)
    words = [word for word in dict.fromkeys(words_of(query)) if word in index.vocab_dict]
    if not words:
        return np.zeros(len(texts), np.float32)
    return np.asarray(index.get_scores(words), np.float32)
