"""Habits of heads: the share of a word's attention that goes to each kind of target.

A habit is a mean over the words of a sentence that have such a target: the share to the word three places before
counts only words that have one. A sentence without any such word does not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.atlas.build.layout import CLS, SEP_1, SEP_2, Layout
from encoder.atlas.names import (
    CLS_NAME,
    ITSELF,
    OFFSETS,
    OTHER_SENTENCE,
    PUNCTUATION,
    SAME_WORD,
    SEP_1_NAME,
    SEP_2_NAME,
    SHARES,
)


@dataclass(frozen=True, slots=True)
class Features:
    """Tensors that turn the attention of a batch into habits. F counts SHARES, and two parts of the span.

    Attributes:
        pairs: (B, T * T, F) coefficient of each query-key pair in the mean.
        queries: (B, T) coefficient of each word in a mean over all words.
        defined: (B, HABITS) which habits are defined for a sentence.
        chance: (B, HABITS) the habits of uniform attention over all words and special tokens.
        targets: (B, T, T, SHARES) boolean: the keys that belong to each share.
    """

    pairs: Tensor
    queries: Tensor
    defined: Tensor
    chance: Tensor
    targets: Tensor


def features_of(layout: Layout) -> Features:
    """The features of a batch, as `sentence_habits` takes them."""
    is_word = layout.is_word  # (B, T)
    targets = _targets(layout)  # (B, T, T, SHARES)
    possible = targets.any(2)  # (B, T, SHARES)
    counts = possible.sum(1)  # (B, SHARES)
    parts = possible / counts.clamp(min=1)[:, None]  # (B, T, SHARES)
    words = is_word.sum(1)  # (B,)
    queries = is_word / words.clamp(min=1)[:, None]  # (B, T)
    within = _same_sentence(layout) & is_word[:, :, None] & is_word[:, None]  # (B, T, T)
    distance = (layout.word[:, None] - layout.word[:, :, None]).abs() * within  # (B, T, T)
    span = torch.stack((distance, within), dim=-1) * queries[:, :, None, None]  # (B, T, T, 2)
    pairs = torch.cat((targets * parts[:, :, None], span), dim=-1).flatten(1, 2)  # (B, T * T, F)
    units = words + (layout.special > 0).sum(1)  # (B,)
    has_words = (words > 0)[:, None]
    evenly = _with_span(pairs.sum(1) / units[:, None])  # (B, SHARES + 1)
    entropy = torch.log2(units.to(evenly.dtype))[:, None]  # (B, 1)
    return Features(
        pairs=pairs,
        queries=queries,
        defined=torch.cat((counts > 0, has_words, has_words), dim=1),
        chance=torch.cat((evenly[:, :-1], entropy, evenly[:, -1:]), dim=1),
        targets=targets,
    )


def sentence_habits(attention: Tensor, features: Features) -> Tensor:
    """The habits of each head on each sentence.

    Args:
        attention: (B, H, T, T) between words.
    Returns:
        (B, H, HABITS); shares in [0, 1], the entropy of a word's attention in bits, and its span: the mean distance
        in words of its attention within its sentence.
    """
    sums = torch.bmm(attention.flatten(2), features.pairs)  # (B, H, F)
    logs = attention.clamp(min=torch.finfo(attention.dtype).tiny).log()  # five times as fast as `torch.special.entr`
    bits = -logs.mul_(attention).sum(-1) / math.log(2)  # (B, H, T)
    entropy = torch.einsum("bhq,bq->bh", bits, features.queries)[..., None]  # (B, H, 1)
    shares = _with_span(sums)  # (B, H, SHARES + 1)
    return torch.cat((shares[..., :-1], entropy, shares[..., -1:]), dim=-1)


def _with_span(sums: Tensor) -> Tensor:
    """(..., F) to (..., SHARES + 1): the last two parts divided by each other."""
    span = sums[..., -2:-1] / sums[..., -1:].clamp(min=torch.finfo(sums.dtype).tiny)
    return torch.cat((sums[..., :-2], span), dim=-1)


def _targets(layout: Layout) -> Tensor:
    """(B, T, T, SHARES) boolean, query by key."""
    is_word = layout.is_word
    query, key = is_word[:, :, None], is_word[:, None]  # (B, T, 1), (B, 1, T)
    same_sentence = _same_sentence(layout)  # (B, T, T)
    offset = layout.word[:, None] - layout.word[:, :, None]  # (B, T, T), key minus query
    among_words = query & key
    here = {
        CLS_NAME: query & (layout.special == CLS)[:, None],
        SEP_1_NAME: query & (layout.special == SEP_1)[:, None],
        SEP_2_NAME: query & (layout.special == SEP_2)[:, None],
        ITSELF: among_words & (offset == 0),
        SAME_WORD: among_words & (offset != 0) & (layout.form[:, None] == layout.form[:, :, None]),
        OTHER_SENTENCE: among_words & ~same_sentence,
        PUNCTUATION: query & layout.punctuation[:, None],
    }
    here |= {f"offset {steps:+d}": among_words & same_sentence & (offset == steps) for steps in OFFSETS}
    return torch.stack([here[name] for name in SHARES], dim=-1)


def _same_sentence(layout: Layout) -> Tensor:
    """(B, T, T)."""
    return layout.second[:, None] == layout.second[:, :, None]
