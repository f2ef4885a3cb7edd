"""Examples for single steps: pieces of words, a batch, a text that is too long, tables of vectors, activations."""

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

SPLIT_EXAMPLE = "unbelievably"  # a word that is not in bert-base-uncased's vocabulary
SHORT_EXAMPLE = "hello"
LONG_EXAMPLE, LONG_COUNT = "flies", 600


def pieces_of_words(tokens: Tokens) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each word that the model reads, with its pieces, without typed special tokens."""
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
    """The text and a short one, padded to a batch."""
    texts = (tokens, backend.tokenize(SHORT_EXAMPLE))
    batch = padded(texts, pad_id=pad_id)
    length = batch.input_ids.shape[1]
    labels = [text.labels + ("[PAD]",) * (length - len(text)) for text in texts]
    ids, masks = batch.input_ids.tolist(), batch.attention_mask.tolist()
    return Batch((labels[0], labels[1]), (tuple(ids[0]), tuple(ids[1])), (tuple(masks[0]), tuple(masks[1])))


def too_long(backend: Backend) -> Tokens:
    """One word repeated beyond the model's limit, truncated."""
    return backend.tokenize(" ".join([LONG_EXAMPLE] * LONG_COUNT))


def has_own_word_table(encoder: Encoder) -> bool:
    """Whether an encoder has its own word vectors, or projects those of another model."""
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
    """For each activation function, the points (M,) and its values (M,)."""
    points = torch.linspace(LOW, HIGH, POINTS)
    return {NAMES[name]: (shared(points), shared(function(points))) for name, function in ACTIVATIONS.items()}


def relu(inputs: FloatArray) -> FloatArray:
    """ReLU of the inputs of units, whatever activation the model uses."""
    return np.maximum(inputs, 0)
