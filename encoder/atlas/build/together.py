"""Words that go together: how much more often a head looks from a word to its partner than to other words as far away.

Two words go together if they share sentences far more often than their frequencies explain. A word's partner is the
other word of its sentence with which it goes together most. Axis letters: L layers, H heads, N ordered pairs of words
of a sentence, Q words with a partner, V words of the vocabulary.

Source: Church and Hanks (1990), Word association norms, mutual information, and lexicography: `FEWEST`, `LEAST_BITS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from encoder.atlas.build.counts import Counts, Row
from encoder.atlas.build.examples import candidates
from encoder.atlas.build.layout import is_punctuation
from encoder.atlas.names import FARTHEST, TOGETHER
from encoder.atlas.tables import HUNDREDTHS, head_columns

SENTENCES = 16_384  # the first ones of each half
FEWEST = 5  # sentences that two words share
LEAST_BITS = 3.0  # pointwise mutual information
NEVER = -np.inf
BANDS = 16  # of frequencies, each twice as frequent as the one before
DISTANCES = 2 * FARTHEST + 3  # every offset up to `FARTHEST`, and all beyond on either side

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Associations:
    """How often words, and pairs of words, occur in the sentences of the choosing half."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        """`tables` are of sentences."""
        sentences = [_forms(row) for table in tables for row in table.select(["words"]).to_pylist()]
        forms, counts = np.unique(
            [form for one in sentences for form in sorted({*one}) if not is_punctuation(form)], return_counts=True
        )
        self.sentences = len(sentences)
        self.ids = {str(form): index for index, form in enumerate(forms)}
        self.counts: Ints = counts.astype(np.int64)  # (V,)
        pairs = [np.empty(0, dtype=np.int64)]
        for one in sentences:
            known = np.unique(self.words(one))
            known = known[(known >= 0) & (counts[known] >= FEWEST)]
            first, second = np.triu_indices(len(known), 1)
            pairs.append(known[first] * len(forms) + known[second])
        self._pairs, shared = np.unique(np.concatenate(pairs), return_counts=True)
        self._shared: Ints = shared.astype(np.int64)

    def words(self, forms: Iterable[str]) -> Ints:
        """The index of each form; -1 for punctuation and for words that the sentences do not have."""
        return np.array([self.ids.get(form, -1) for form in forms], dtype=np.int64)

    def bits(self, first: Ints, second: Ints, *, without_own: bool) -> Floats:
        """(N,) pointwise mutual information of pairs of words.

        Args:
            without_own: leave out one sentence, in which each pair was found.
        Returns:
            -inf for pairs that share fewer than `FEWEST` sentences, for equal words and for unknown ones.
        """
        keys = np.minimum(first, second) * len(self.counts) + np.maximum(first, second)
        at = np.searchsorted(self._pairs, keys).clip(max=max(len(self._pairs) - 1, 0))
        own = int(without_own)
        is_pair = (first != second) & (np.minimum(first, second) >= 0)
        if not len(self._pairs):
            return np.full(len(keys), NEVER)
        shared = np.where(is_pair & (self._pairs[at] == keys), self._shared[at], 0) - own
        expected = (self.counts[first] - own) * (self.counts[second] - own) / max(self.sentences - own, 1)
        enough = shared >= FEWEST
        return np.log2(np.where(enough, shared, 1) / np.where(enough, expected, 1), where=enough, out=_never(enough))


def _never(like: NDArray[np.bool_]) -> Floats:
    return np.full(like.shape, NEVER)


def _forms(row: Row) -> list[str]:
    return [word.lower() for word in row["words"]]


class _Pairs(NamedTuple):
    """All ordered pairs of words of some sentences, (N,) each, by sentence, query and key.

    Attributes:
        sentence, query, key: the sentence, and the two words in it.
        bits: their association.
        stratum: of pairs at the same distance whose words are as frequent.
        partner: whether the key is the query's partner.
        control: whether the two may look at each other, and do not go together.
    """

    sentence: Ints
    query: Ints
    key: Ints
    bits: Floats
    stratum: Ints
    partner: NDArray[np.bool_]
    control: NDArray[np.bool_]


class _Found(NamedTuple):
    """The P pairs of words with their partners in a shard, (P,) each, and what each head does there, (L * H, P)."""

    where: list[str]
    sentence: Ints
    query: Ints
    key: Ints
    bits: Floats
    stratum: Ints
    looked_at: Ints  # the word that the head looks at most from the query
    hundredths: Ints  # how much it gives it


@dataclass(slots=True)
class PairLooks:
    """Collects, shard by shard, how often each head looks from words to their partners, and to other words.

    Attributes:
        without_own: whether the sentences are those that the associations were counted in.
    """

    associations: Associations
    layers: int
    heads: int
    without_own: bool
    _controls: Ints = field(init=False)  # (strata,)
    _looks: Ints = field(init=False)  # (L * H, strata) how many controls a head looks at
    _found: list[_Found] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        strata = DISTANCES * BANDS * BANDS
        self._controls = np.zeros(strata, dtype=np.int64)
        self._looks = np.zeros((self.layers * self.heads, strata), dtype=np.int64)

    def add(self, sentences: pa.Table, looks: pa.Table) -> None:
        """Add the sentences of a shard, and what each head looks at most from each of their words."""
        rows = sentences.select(["where", "words", "tokens", "b_start"]).to_pylist()
        if not rows:  # the tokenizer keeps none of the shard
            return
        pairs = self._pairs(rows)
        sizes = np.array([len(row["words"]) for row in rows], dtype=np.int64)
        words, starts = np.cumsum(np.append(0, sizes)), np.cumsum(np.append(0, sizes * (sizes - 1)))
        sentence, query = (looks[name].to_numpy().astype(np.int64) for name in ("sentence", "word"))
        self._controls += np.bincount(pairs.stratum[pairs.control], minlength=len(self._controls))
        partners = np.flatnonzero(pairs.partner)
        asked = words[pairs.sentence[partners]] + pairs.query[partners]
        of_heads = np.zeros((2, len(self._looks), words[-1]), dtype=np.int64)  # by word: where it looks, and how much
        for index, place in enumerate(np.ndindex(self.layers, self.heads)):
            to, weight = (looks[name].to_numpy().astype(np.int64) for name in head_columns(*place))
            of_heads[:, index, words[sentence] + query] = to, weight
            looked_at = starts[sentence] + query * (sizes[sentence] - 1) + to - (to > query)
            strata = pairs.stratum[looked_at[pairs.control[looked_at]]]
            self._looks[index] += np.bincount(strata, minlength=len(self._controls))
        self._found.append(
            _Found(
                [row["where"] for row in rows],
                pairs.sentence[partners],
                pairs.query[partners],
                pairs.key[partners],
                pairs.bits[partners],
                pairs.stratum[partners],
                *of_heads[:, :, asked],
            )
        )

    def _pairs(self, rows: list[Row]) -> _Pairs:
        known = [self.associations.words(_forms(row)) for row in rows]
        places = np.concatenate([_of_sentence(number, ids) for number, ids in enumerate(known)], axis=1)
        sentence, query, key = places
        words, starts = np.concatenate(known), np.cumsum([0, *map(len, known)])
        first, second = words[starts[sentence] + query], words[starts[sentence] + key]
        bits = self.associations.bits(first, second, without_own=self.without_own)
        bits[bits < LEAST_BITS] = NEVER
        can_look = np.concatenate([_can_look(row) for row in rows])
        bits[~can_look] = NEVER
        most = np.full(len(words), NEVER)
        np.maximum.at(most, starts[sentence] + query, bits)
        is_pair = bits > NEVER
        return _Pairs(
            *(sentence, query, key, bits, self._stratum(first, second, key - query)),
            partner=is_pair & (bits == most[starts[sentence] + query]),
            control=can_look & ~is_pair,
        )

    def _stratum(self, first: Ints, second: Ints, offset: Ints) -> Ints:
        distance = offset.clip(-FARTHEST - 1, FARTHEST + 1) + FARTHEST + 1
        frequency = np.append(np.log2(1 + self.associations.counts).astype(np.int64).clip(max=BANDS - 1), 0)  # -1: 0
        return (distance * BANDS + frequency[first]) * BANDS + frequency[second]

    def count(self, counts: Counts) -> None:
        """Set the sums of the lifts: each a mean over the words of a sentence that have a partner."""
        for found in self._found:
            fits = self._controls[found.stratum] > 0
            sentence, stratum = found.sentence[fits], found.stratum[fits]
            expected = self._looks[:, stratum] / self._controls[stratum]
            lift = (found.looked_at == found.key)[:, fits] - expected  # equally good partners of a word are summed
            has = np.unique(sentence)
            asked = np.unique(np.stack((sentence, found.query[fits])), axis=1)[0]
            of_sentence = [np.bincount(sentence, row)[has] / np.bincount(asked)[has] for row in lift]
            counts.together_sentences += len(has)
            sums = np.stack([(one.sum(), np.square(one).sum()) for one in of_sentence], axis=1)  # (2, L * H)
            counts.together += sums.reshape(counts.together.shape)

    def examples(self, layer: int, head: int) -> Iterator[Row]:
        """Candidates for the examples of a head: of equal weights, words that go together most come first."""
        index = layer * self.heads + head
        at = {"layer": layer, "head": head, "about": TOGETHER, "direction": None}
        for found in self._found:
            for place, looked_at in enumerate(found.looked_at[index].tolist()):
                weight = int(found.hundredths[index, place]) / HUNDREDTHS
                order = weight + float(found.bits[place]) / HUNDREDTHS**2
                yield from candidates(
                    at | {"query": int(found.query[place]), "key": looked_at},
                    found.where[found.sentence[place]],
                    weight,
                    hardest=order if looked_at == found.key[place] else None,
                    fails=None if looked_at == found.key[place] else order,
                )


def _of_sentence(number: int, words: Ints) -> Ints:
    """(3, N) all ordered pairs of different words: their sentence, queries and keys."""
    query, key = np.nonzero(~np.eye(len(words), dtype=bool))
    return np.stack((np.full(len(query), number), query, key))


def _can_look(row: Row) -> NDArray[np.bool_]:
    """(N,) whether both words have a token, and are in one sentence of a pair."""
    has_token = np.array([token is not None for token in row["tokens"][:-1]], dtype=bool)
    second = np.arange(len(has_token)) >= (len(has_token) if row["b_start"] is None else row["b_start"])
    query, key = np.nonzero(~np.eye(len(has_token), dtype=bool))
    same: NDArray[np.bool_] = has_token[query] & has_token[key] & (second[query] == second[key])
    return same
