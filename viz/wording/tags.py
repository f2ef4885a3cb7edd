"""Sentences about the parts of speech that a probe predicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from encoder.shipped.probes import WordClasses
from viz.wording.labels import word_label
from viz.wording.numbers import percent

MOST_NAMED = 3  # words in the sentence
TAG_NAMES = {
    "ADJ": "an adjective",
    "ADP": "a preposition",
    "ADV": "an adverb",
    "AUX": "an auxiliary verb",
    "CCONJ": "a coordinating conjunction",
    "DET": "a determiner",
    "INTJ": "an interjection",
    "NOUN": "a noun",
    "NUM": "a number",
    "PART": "a particle",
    "PRON": "a pronoun",
    "PROPN": "a proper noun",
    "PUNCT": "a punctuation mark",
    "SCONJ": "a subordinating conjunction",
    "SYM": "a symbol",
    "VERB": "a verb",
    "X": "an unclassified word",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a probe predicts for one word: the likeliest tag and its probability, with the sentence's letter or ""."""

    word: str
    letter: str
    tag: str
    probability: float


def reading_sentence(readings: Sequence[Reading]) -> str:
    """What the words are read as: “The model reads “flies” as a verb in A (93 %) and as a noun in B (96 %).”"""
    shown = [f"“{word_label(each.word)}”" for each in readings]
    if len({each.word.casefold() for each in readings}) == 1:
        found = [f"as {_share(each.tag, each.probability, each.letter and f'in {each.letter} ')}" for each in readings]
        return f"The model reads {shown[0]} {' and '.join(found)}."
    found = [
        f"{word} in {each.letter} as {_share(each.tag, each.probability)}"
        for word, each in zip(shown, readings, strict=True)
    ]
    return f"The model reads {' and '.join(found)}."


def pairing_sentence(
    pair: WordClasses, alone: Sequence[WordClasses], words: Sequence[Sequence[str]], state_index: int | None
) -> str:
    """One sentence on the words whose likeliest part of speech is another one as a pair; "" where there are none.

    Args:
        alone: predictions of the probes for A and B, each encoded alone.
        words: of A and of B.
        state_index: as in `WordClasses.likeliest`.
    """
    changes = list(_changes(pair, alone, words, state_index))
    if not changes:
        return ""
    if len(changes) == 1:
        word, before, after = changes[0]
        return f"Read alone, {word} is {before}; as a pair it is read as {after}."
    named = [f"{word} is {before}, as a pair {after}" for word, before, after in changes[:MOST_NAMED]]
    more = [f"and {len(changes) - MOST_NAMED} more"] if len(changes) > MOST_NAMED else []
    return f"Read alone, {len(changes)} words have another part of speech: {'; '.join([*named, *more])}."


def _changes(
    pair: WordClasses, alone: Sequence[WordClasses], words: Sequence[Sequence[str]], state_index: int | None
) -> Iterator[tuple[str, str, str]]:
    """The word, its tag alone and its tag in the pair, for every changed word."""
    of_pair = iter(zip(pair.likeliest(state_index), pair.read_from(state_index), strict=True))  # A's words, then B's
    for letter, classes, of_sentence in zip("AB", alone, words, strict=True):
        rows = zip(of_sentence, classes.likeliest(state_index), classes.read_from(state_index), strict=True)
        for (word, tag, row), (pair_tag, pair_row) in zip(rows, of_pair, strict=False):
            if tag and pair_tag and tag != pair_tag:
                name = f"“{word_label(word)}” in {letter}"
                yield name, _share(tag, np.max(row)), _share(pair_tag, np.max(pair_row))


def _share(tag: str, probability: float, where: str = "") -> str:
    return f"{TAG_NAMES[tag]} {where}({percent(probability)})"
