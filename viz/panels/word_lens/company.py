"""A word in the company of further sentences: which ones, where its occurrences lie, and what is like what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from encoder.experiments.senses.sentence_search import SentenceSearch, labelled
from encoder.measures.sense_map import SenseMap, nearest_neighbours, sense_map
from encoder.measures.senses import leave_one_out_accuracy
from encoder.runs.arrays import FloatArray
from encoder.text.common_words import stem
from viz.panels.word_lens.choice import Occurrence
from viz.state.selection import AUTOMATIC, NO_SENTENCES, OWN, WordLens, shipped_words
from viz.wording.labels import shorten

NEIGHBOURS = 3
UNLABELLED = "no label"
LONGEST = 90  # characters of a sentence in a description


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """N occurrences of a word after one layer, those of the page first.

    Attributes:
        groups: of each, "A" or "B" or the label of its sense.
        texts: the sentences.
        projection: where the occurrences lie in two dimensions.
        neighbours: of each, the cosine and the description of those that are most like it.
    """

    groups: tuple[str, ...]
    texts: tuple[str, ...]
    projection: SenseMap
    neighbours: tuple[tuple[tuple[float, str], ...], ...]

    @property
    def descriptions(self) -> list[str]:
        """The group and the sentence of each."""
        return _descriptions(self.groups, self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseAccuracy:
    """How often the nearest centroid of the others finds the sense of an occurrence, over n labelled ones.

    Attributes:
        by_state: (L + 1,) in [0, 1].
        majority: what always choosing the commonest sense would give.
    """

    by_state: FloatArray
    majority: float
    n: int


def shipped_match(word: str) -> str:
    """The shipped word whose sentences are those of a word, in any inflection; "none" where there are none."""
    return next((name for name in shipped_words() if stem(name) == stem(word)), NO_SENTENCES)


def chosen_sentences(word: str, lens: WordLens) -> str:
    """The sentences beside A and B that the lens shows: "own", a shipped word, or "none"."""
    if lens.sentences == OWN:
        return OWN if lens.typed.strip() else NO_SENTENCES
    return shipped_match(word) if lens.sentences == AUTOMATIC else lens.sentences


def company(
    occurrences: Sequence[Occurrence], sentences: SentenceSearch, states: FloatArray, *, state_index: int
) -> Company:
    """The page's occurrences of a word among others.

    Args:
        states: (N, L + 1, D) of the word in the further sentences.
        state_index: of the hidden states that are compared.
    """
    own = np.stack([each.states for each in occurrences])
    after: FloatArray = np.concatenate([own, states])[:, state_index]  # (N, D)
    groups = (*(each.letter for each in occurrences), *(each.sense or UNLABELLED for each in sentences.occurrences))
    texts = (*(each.text for each in occurrences), *(each.text for each in sentences.occurrences))
    nearest, cosines = nearest_neighbours(after, NEIGHBOURS)
    named = _descriptions(groups, texts)
    return Company(
        groups=groups,
        texts=texts,
        projection=sense_map(after),
        neighbours=tuple(
            tuple((cosine, named[other]) for cosine, other in zip(*pair, strict=True))
            for pair in zip(cosines.tolist(), nearest.tolist(), strict=True)
        ),
    )


def _descriptions(groups: Sequence[str], texts: Sequence[str]) -> list[str]:
    return [f"{group} · {shorten(text, LONGEST)}" for group, text in zip(groups, texts, strict=True)]


def sense_accuracy(sentences: SentenceSearch, states: FloatArray, name: str) -> SenseAccuracy | None:
    """How well senses can be told apart; None where not two of them are labelled, each twice."""
    known = labelled(sentences.occurrences)
    senses = [sentences.occurrences[index].sense for index in known]
    if len(set(senses)) < 2:
        return None
    figures = leave_one_out_accuracy(states[known], [name] * len(known), senses)
    if figures.micro is None or figures.majority_micro is None:
        return None
    return SenseAccuracy(by_state=figures.micro, majority=figures.majority_micro, n=figures.n)
