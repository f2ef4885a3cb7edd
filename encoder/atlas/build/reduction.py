"""A forward pass over a batch, reduced to numbers per sentence and head as it runs.

The attention of a layer is freed before the next layer runs. Axis letters: B sentences, L layers, H heads, T tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.atlas.build.habits import Features, sentence_habits
from encoder.atlas.build.layout import Layout, merge_words
from encoder.errors import UnsupportedModelError
from encoder.models.base import Backend
from encoder.models.hooks import Point
from encoder.models.pretrained import PretrainedBackend

# Called with each layer and its attention between words, (B, H, T, T).
LayerReader = Callable[[int, Tensor], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduced:
    """A batch's attention, reduced."""

    layout: Layout
    features: Features
    habits: Tensor  # (B, L, H, HABITS)
    strongest: Tensor  # (B, L, H, T) position of the other word that each word looks at most; undefined without one
    strength: Tensor  # (B, L, H, T) the weight of that word; negative if there is none


class _LastLayerRead(Exception):  # noqa: N818
    """Stops a run after the last attention, because nothing computed after it is used."""


def check_readable(backend: Backend) -> None:
    """Raise UnsupportedModelError if a model does not return its attention layer by layer."""
    if isinstance(backend, PretrainedBackend) and not backend.captured:
        raise UnsupportedModelError(
            f"{backend.name} has its own attention code, which does not return its weights layer by layer: "
            "no atlas can be built for it."
        )


@torch.inference_mode()
def reduce_batch(backend: Backend, layout: Layout, features: Features, *readers: LayerReader) -> Reduced:
    """Run a batch once. The readers, too, are called with each layer's attention; they must not store it."""
    # Six times as fast as `masked_fill`: shares are at most 1.
    elsewhere = torch.where(other_words(layout), 0.0, -2.0)[:, None]  # (B, 1, T, T)
    habits, strongest, strength = [], [], []

    def read(weights: Tensor, point: Point) -> None:
        attention = merge_words(weights, layout)  # (B, H, T, T)
        habits.append(sentence_habits(attention, features))
        values, places = (attention + elsewhere).max(-1)  # (B, H, T)
        strength.append(values)
        strongest.append(places)
        for reader in readers:
            reader(point.layer or 0, attention)
        if point.layer == backend.num_layers - 1:
            raise _LastLayerRead

    with suppress(_LastLayerRead):
        backend.run_batch(layout.batch, {Point("weights"): (read,)})
    return Reduced(
        layout=layout,
        features=features,
        habits=torch.stack(habits, dim=1),
        strongest=torch.stack(strongest, dim=1),
        strength=torch.stack(strength, dim=1),
    )


def other_words(layout: Layout) -> Tensor:
    """(B, T, T) boolean: which keys are other words of the query's sentence."""
    is_word = layout.is_word
    same_sentence = layout.second[:, None] == layout.second[:, :, None]  # (B, T, T)
    different = layout.word[:, None] != layout.word[:, :, None]  # (B, T, T)
    return is_word[:, :, None] & is_word[:, None] & same_sentence & different
