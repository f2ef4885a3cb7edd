"""Tokens and attention that measures are tried on, and how near float32 comes."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens

# float32 sums of up to 30 numbers
CLOSE: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-6}
LEVELS = ("wordpieces", "words")
SPECIALS = ("show", "hide", "renormalise")


def tokens_of(a: list[int], b: list[int] | None = None) -> Tokens:
    """[CLS] A [SEP], or [CLS] A [SEP] B [SEP], with so many pieces in each word."""
    pieces, word_ids, sentence_ids = ["[CLS]"], [None], [None]
    words = []
    for sentence, counts in enumerate([a] if b is None else [a, b]):
        for count in counts:
            pieces += [f"w{len(words)}", *(f"##{n}" for n in range(1, count))]
            word_ids += [len(words)] * count
            sentence_ids += [sentence] * count
            words.append(f"word{len(words)}")
        pieces, word_ids, sentence_ids = [*pieces, "[SEP]"], [*word_ids, None], [*sentence_ids, None]
    length = len(pieces)
    return Tokens(
        pieces=tuple(pieces),
        labels=tuple(pieces),
        ids=tuple(range(length)),
        token_type_ids=(0,) * length,
        attention_mask=(1,) * length,
        special=tuple(word is None for word in word_ids),
        spans=(None,) * length,
        word_ids=tuple(word_ids),
        sentence_ids=tuple(sentence_ids),
        words=tuple(words),
        sentences=("a",) if b is None else ("a", "b"),
        sentence_b_start=None if b is None else sum(a) + 2,
        truncated=(0,) if b is None else (0, 0),
        max_length=512,
        typed_special=(),
    )


def random_weights(length: int, *, heads: int = 3, seed: int = 0) -> FloatArray:
    """(H, T, T), rows sum to 1; some heads are sharp."""
    scores = np.random.default_rng(seed).normal(scale=4, size=(heads, length, length))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


COUNTS = st.lists(st.integers(1, 4), min_size=1, max_size=6)
TOKENS = st.builds(tokens_of, COUNTS, st.none() | COUNTS)
SEEDS = st.integers(0, 2**32 - 1)
