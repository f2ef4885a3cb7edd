"""A batch of sentences as a model reads it, and which of its tokens are words.

A word is placed at its first piece; its further pieces are merged into that position. Axis letters: B sentences,
T tokens.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.atlas.build.corpus import Sentence
from encoder.models.base import Backend
from encoder.models.device import device_of
from encoder.models.tensors import Batch, padded
from encoder.text.tokens import Tokens

NO_WORD = -1
# Kinds of special tokens: before the sentence, after it, and after a second sentence.
CLS, SEP_1, SEP_2 = 1, 2, 3


class Encoded(NamedTuple):
    """A sentence and its tokens."""

    sentence: Sentence
    tokens: Tokens


class Pieces(NamedTuple):
    """Further pieces of words, at most one per word, as positions (N,) each."""

    sentence: Tensor
    piece: Tensor
    first: Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The positions of the words in a batch.

    Attributes:
        batch: the model's input.
        word: (B, T) index of the word whose first piece this is; NO_WORD elsewhere.
        pieces: (B, T) number of pieces of this word; 1 elsewhere.
        special: (B, T) CLS, SEP_1 or SEP_2 at special tokens, 0 elsewhere.
        second: (B, T) whether this is a word of the second sentence.
        form: (B, T) equal for words that differ in case only; NO_WORD elsewhere.
        punctuation: (B, T) whether this word is punctuation only.
        further: the second pieces of all words that have one, then the third ones, and so on.
        to_first: (B, T, T) float matrix that adds the columns of further pieces to the first one.
        place_of_word: by sentence, the position of each word; NO_WORD for words without a token.
    """

    batch: Batch
    word: Tensor
    pieces: Tensor
    special: Tensor
    second: Tensor
    form: Tensor
    punctuation: Tensor
    further: tuple[Pieces, ...]
    to_first: Tensor
    place_of_word: tuple[NDArray[np.int64], ...]

    @property
    def is_word(self) -> Tensor:
        """(B, T) whether this position is a word."""
        return self.word >= 0


def lay_out(backend: Backend, texts: Sequence[Encoded]) -> Layout:
    """Lay out a batch on the model's device."""
    device = device_of(backend.modules[0])
    batch = padded([text.tokens for text in texts], pad_id=backend.pad_id, device=device)
    grid = np.zeros((6, *batch.input_ids.shape), dtype=np.int64)
    word, pieces, special, second, form, punctuation = grid
    word[:], pieces[:], form[:] = NO_WORD, 1, NO_WORD
    forms: dict[str, int] = {}
    further: list[list[tuple[int, int, int]]] = []
    places = []
    for row, (sentence, tokens) in enumerate(texts):
        firsts = np.full(len(sentence.words), NO_WORD)
        places.append(firsts)
        for position, index in enumerate(tokens.word_ids):
            if index is None:
                special[row, position] = _special_kind(tokens, position) if tokens.special[position] else 0
            elif firsts[index] != NO_WORD:
                first = firsts[index]
                if pieces[row, first] > len(further):
                    further.append([])
                further[pieces[row, first] - 1].append((row, position, first))
                pieces[row, first] += 1
            else:
                firsts[index] = position
                word[row, position] = index
                second[row, position] = sentence.b_start is not None and index >= sentence.b_start
                form[row, position] = forms.setdefault(sentence.words[index].lower(), len(forms))
                punctuation[row, position] = is_punctuation(sentence.words[index])
    on_device = [torch.from_numpy(plane).to(device) for plane in grid]
    pieces_by_rank = tuple(Pieces(*torch.tensor(rank, device=device).T) for rank in further)
    return Layout(
        batch=batch,
        word=on_device[0],
        pieces=on_device[1],
        special=on_device[2],
        second=on_device[3].bool(),
        form=on_device[4],
        punctuation=on_device[5].bool(),
        further=pieces_by_rank,
        to_first=_to_first(batch.input_ids, pieces_by_rank),
        place_of_word=tuple(places),
    )


def _to_first(input_ids: Tensor, further: Sequence[Pieces]) -> Tensor:
    """(B, T, T), 1 from each token to itself, or to the first piece of its word."""
    count, length = input_ids.shape
    to_first = torch.eye(length, device=input_ids.device).repeat(count, 1, 1)
    for sentence, piece, first in further:
        to_first[sentence, piece, piece] = 0
        to_first[sentence, piece, first] = 1
    return to_first


def is_punctuation(word: str) -> bool:
    """Whether a word consists of Unicode punctuation only."""
    return all(unicodedata.category(character).startswith("P") for character in word)


def _special_kind(tokens: Tokens, position: int) -> int:
    if position == 0:
        return CLS
    behind_a = tokens.sentence_b_start is None or position < tokens.sentence_b_start
    return SEP_1 if behind_a else SEP_2


def merge_words(weights: Tensor, layout: Layout) -> Tensor:
    """Attention between words: summed over key pieces, averaged over query pieces.

    Args:
        weights: (B, H, T, T) attention weights.
    Returns:
        (B, H, T, T). Words are at their first pieces. The columns of further pieces are 0, and their rows are
        undefined. Special tokens are unchanged.
    Source: Clark et al. (2019), section 4.1.
    """
    if not layout.further:
        return weights
    merged = torch.bmm(weights.flatten(1, 2), layout.to_first.to(weights)).view_as(weights)
    for sentence, piece, first in layout.further:
        merged[sentence, :, first] += merged[sentence, :, piece]
    sentence, _, first = layout.further[0]
    merged[sentence, :, first] /= layout.pieces[sentence, first][:, None, None]
    return merged
