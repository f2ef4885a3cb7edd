"""What the first steps show: the pieces of each word, a batch of two, a text that is too long, tables of vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from encoder.experiments.anatomy.record import shared
from encoder.models.base import Backend
from encoder.models.tensors import padded
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens
from encoder.transformer.encoder import ACTIVATIONS, Encoder, sinusoidal_positions

SPLIT_EXAMPLE = "unbelievably"  # a word that bert-base-uncased's vocabulary does not hold
SHORT_EXAMPLE = "hello"
LONG_EXAMPLE, LONG_COUNT = "flies", 600


def pieces_of_words(tokens: Tokens) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every word that fitted into the model, with its pieces; typed special tokens are left out."""
    pieces: dict[int, list[str]] = {}  # by the word's index
    for piece, word in zip(tokens.labels, tokens.word_ids, strict=True):
        if word is not None:
            pieces.setdefault(word, []).append(piece)
    return tuple((tokens.words[word], tuple(of_one)) for word, of_one in pieces.items())


@dataclass(frozen=True, slots=True)
class Batch:
    """Two texts of one length, T each: pieces, ids and attention masks, padding included."""

    labels: tuple[tuple[str, ...], tuple[str, ...]]
    ids: tuple[tuple[int, ...], tuple[int, ...]]
    masks: tuple[tuple[int, ...], tuple[int, ...]]


def batch_of_two(backend: Backend, tokens: Tokens, *, pad_id: int) -> Batch:
    """The text and a short one beside it, padded as a batch is."""
    texts = (tokens, backend.tokenize(SHORT_EXAMPLE))
    batch = padded(texts, pad_id=pad_id)
    length = batch.input_ids.shape[1]
    labels = [text.labels + ("[PAD]",) * (length - len(text)) for text in texts]
    ids, masks = batch.input_ids.tolist(), batch.attention_mask.tolist()
    return Batch((labels[0], labels[1]), (tuple(ids[0]), tuple(ids[1])), (tuple(masks[0]), tuple(masks[1])))


def too_long(backend: Backend) -> Tokens:
    """A text of one word, repeated more often than the model reads, and cut."""
    return backend.tokenize(" ".join([LONG_EXAMPLE] * LONG_COUNT))


def has_own_word_table(encoder: Encoder) -> bool:
    """Whether an encoder has word vectors of its own; else it projects those of another model."""
    return isinstance(encoder.embeddings.word, nn.Embedding)


def position_table(encoder: Encoder) -> FloatArray:
    """(P, D) the position vectors that an encoder adds."""
    return shared(encoder.embeddings.position.weight)


def sinusoidal_table(length: int, width: int) -> FloatArray:
    """(P, D) sines and cosines."""
    return shared(sinusoidal_positions(length, width))


NAMES = {"gelu": "GELU", "relu": "ReLU"}
LOW, HIGH, POINTS = -4.0, 3.0, 141


def activation_curves() -> dict[str, tuple[FloatArray, FloatArray]]:
    """For each activation of `encoder.transformer.encoder` the points (M,) and its values there (M,)."""
    points = torch.linspace(LOW, HIGH, POINTS)
    return {NAMES[name]: (shared(points), shared(function(points))) for name, function in ACTIVATIONS.items()}


def relu(inputs: FloatArray) -> FloatArray:
    """What ReLU makes of the inputs of units, whatever activation the model has."""
    passed: FloatArray = np.maximum(inputs, 0)
    return passed
