"""Names of habits and directions, in tables and elsewhere. Needs no torch."""

from __future__ import annotations

from typing import Literal

FARTHEST = 8  # in words; larger offsets have no habit of their own
OFFSETS = tuple(offset for offset in range(-FARTHEST, FARTHEST + 1) if offset)
CLS_NAME, SEP_1_NAME, SEP_2_NAME, ITSELF, SAME_WORD, OTHER_SENTENCE, PUNCTUATION = (
    "[CLS]",
    "[SEP] 1",
    "[SEP] 2",
    "itself",
    "same word",
    "other sentence",
    "punctuation",
)
SHARES = (
    CLS_NAME,
    SEP_1_NAME,
    SEP_2_NAME,
    ITSELF,
    *(f"offset {offset:+d}" for offset in OFFSETS),
    SAME_WORD,
    OTHER_SENTENCE,
    PUNCTUATION,
)
ENTROPY, SPAN = "entropy", "span"
HABITS = (*SHARES, ENTROPY, SPAN)
TOGETHER = "together"  # no share: how much more often a head looks from a word to its partner than to matched words

Direction = Literal["dependent to head", "head to dependent"]
DIRECTIONS: tuple[Direction, Direction] = ("dependent to head", "head to dependent")

# Targets of single weights, in the distribution of weights.
Target = Literal["another word", "itself", "[CLS]", "[SEP]"]
TARGETS: tuple[Target, ...] = ("another word", "itself", "[CLS]", "[SEP]")
# Levels of the quantiles of a head's weights.
LEVELS = (0, 0.01, 0.02, 0.05, *(tenth / 10 for tenth in range(1, 10)), 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 1)

BETWEEN_WORDS = "\x1f"  # joins words to one string: the "unit separator", which no word contains
