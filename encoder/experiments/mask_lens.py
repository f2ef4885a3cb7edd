"""Words for masked tokens after every layer, and without each head of the model.

Applied to states that it does not read in the model, a head is a lens: nostalgebraist (2020), "interpreting GPT: the
logit lens".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.errors import SelectionError, UnsupportedModelError
from encoder.models.base import Backend
from encoder.models.device import device_of
from encoder.models.interventions import UNCHANGED, Intervention
from encoder.models.mask_candidates import masked_positions
from encoder.models.tensors import to_numpy
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.text.occurrences import with_replaced
from encoder.text.tokens import Tokens

SHOWN = 5  # likeliest pieces of each layer
BEAM, FILLED = 10, 3  # fillings of several masks that are continued at each mask, and that are returned


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MaskLens:
    """Likeliest vocabulary pieces at P masked tokens after every layer, and the place of one piece among all.

    Attributes:
        positions: the P tokens.
        pieces: by hidden state and masked token, the K likeliest, in descending order.
        probabilities: (L + 1, P, K) over the whole vocabulary.
        followed: (L + 1, P) probability of the piece that is followed.
        vocabulary: V, the number of pieces.
        ranks: (L + 1, P) ints, 1 for the likeliest; of the piece that is followed.
    """

    positions: tuple[int, ...]
    pieces: tuple[tuple[tuple[str, ...], ...], ...]
    probabilities: FloatArray
    followed: FloatArray
    ranks: NDArray[np.int64]
    vocabulary: int


@torch.inference_mode()
def mask_lens(backend: Backend, trace: Trace, followed: str = "") -> MaskLens:
    """The words of every layer at the masked tokens of a run.

    Args:
        trace: a run of this model, with or without silenced heads.
        followed: the word that is followed; "" = each mask's likeliest one after the last layer.
    Raises:
        UnsupportedModelError: the model has no head for masked words, or none that reads any state.
        SelectionError: no token of the text is masked, or the word is not one piece of the vocabulary.
    """
    positions = masked_positions(backend.tokenizer, trace.tokens)
    if not positions:
        raise SelectionError("No token of this text is masked.")
    states = torch.tensor(trace.hidden_states).to(device_of(backend.modules[0]))[:, None]  # (L + 1, 1, T, D)
    shares = torch.stack([_shares(backend, states, positions, after=index) for index in range(len(states))])
    top = shares.topk(min(SHOWN, shares.shape[-1]))  # (L + 1, P, K) each
    ids = shares[-1].argmax(1)  # (P,)
    if followed:
        ids[:] = torch.tensor([piece_for_mask(backend, trace.tokens, place, followed) for place in positions])
    own = shares.gather(-1, ids.expand(len(shares), -1)[..., None])  # (L + 1, P, 1)
    return MaskLens(
        positions=positions,
        pieces=tuple(tuple(backend.tokenizer.labels_of(row) for row in of_state) for of_state in top.indices.tolist()),
        probabilities=to_numpy(top.values),
        followed=to_numpy(own[..., 0]),
        ranks=(1 + (shares > own).sum(-1)).cpu().numpy(),
        vocabulary=shares.shape[-1],
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MaskSweep:
    """What silencing each head alone changes at one masked token.

    Attributes:
        position: of the masked token.
        word, rival: its two likeliest pieces with all heads.
        log_odds: (L, H) change of the log odds of the first against the second.
        words: the likeliest piece without each head, by layer and head.
    """

    position: int
    word: str
    rival: str
    log_odds: FloatArray
    words: tuple[tuple[str, ...], ...]


class Filling(NamedTuple):
    """Words for all masks of a text, in their order, and the product of their probabilities."""

    words: tuple[str, ...]
    probability: float


def fill_masks(backend: Backend, tokens: Tokens) -> tuple[Filling, ...]:
    """The likeliest words for all masks together: from left to right, each mask after the words before it.

    `BEAM` fillings are continued at each mask; each is a run.

    Returns:
        The `FILLED` likeliest, in descending order; none without a mask.
    Raises:
        UnsupportedModelError: the model has no head for masked words, or none that reads any state.
    """
    device, beam = device_of(backend.modules[0]), [(0.0, tokens, tuple[int, ...]())]
    positions = masked_positions(backend.tokenizer, tokens)
    for position in positions:
        grown = []
        for (so_far, text, ids), states in zip(beam, backend.hidden_states([each[1] for each in beam]), strict=True):
            logits = _logits(backend, torch.tensor(states).to(device)[:, None], position)[0]  # (V,)
            likeliest = logits.log_softmax(-1).topk(min(BEAM, len(logits)))
            for share, piece in zip(likeliest.values.tolist(), likeliest.indices.tolist(), strict=True):
                filled = replace(text, ids=(*text.ids[:position], piece, *text.ids[position + 1 :]))
                grown.append((so_far + share, filled, (*ids, piece)))
        beam = sorted(grown, key=lambda each: -each[0])[:BEAM]
    best = beam[:FILLED] if positions else []
    return tuple(Filling(backend.tokenizer.labels_of(ids), math.exp(share)) for share, _, ids in best)


def sweep_mask(backend: Backend, tokens: Tokens, position: int, *, progress: Progress = no_progress) -> MaskSweep:
    """Silence each head in turn, in batches of copies of a text; 1 + L * H runs.

    Args:
        progress: called after each run; an exception raised there cancels the sweep.
    Raises:
        UnsupportedModelError: the model has no head for masked words, or none that reads any state.
        SelectionError: the model's heads cannot be silenced, or the position has no mask.
    """
    masks = masked_positions(backend.tokenizer, tokens)
    if position not in masks:
        raise SelectionError(f"Token {position} is no mask: {', '.join(map(str, masks)) or 'none of the text'} is one.")
    shape = backend.num_layers, backend.num_heads
    interventions = [UNCHANGED, *(Intervention(silenced_heads=(head,)) for head in np.ndindex(shape))]
    likeliest: list[int] = []
    pair: list[int] = []
    odds: list[float] = []
    for index, states in enumerate(backend.hidden_states([tokens] * len(interventions), interventions)):
        logits = _logits(backend, torch.tensor(states).to(device_of(backend.modules[0]))[:, None], position)[0]  # (V,)
        pair = pair or logits.topk(2).indices.tolist()
        likeliest.append(int(logits.argmax()))
        odds.append(float(logits[pair[0]] - logits[pair[1]]))
        if index:
            progress(index, len(interventions) - 1)
    labels = backend.tokenizer.labels_of(likeliest[1:])
    word, rival = backend.tokenizer.labels_of(pair)
    return MaskSweep(
        position=position,
        word=word,
        rival=rival,
        log_odds=np.array(odds[1:], np.float32).reshape(shape) - np.float32(odds[0]),
        words=tuple(labels[layer * shape[1] : (layer + 1) * shape[1]] for layer in range(shape[0])),
    )


@torch.inference_mode()
def _logits(backend: Backend, states: Tensor, position: int, *, after: int | None = None) -> Tensor:
    """(1, V) logits at a token, from hidden states (L + 1, 1, T, D). Raises UnsupportedModelError."""
    logits = backend.read_mask(states, position, after=after)
    if logits is None:
        raise UnsupportedModelError(f"{backend.name} has no head for masked words that could read these states.")
    return logits


def _shares(backend: Backend, states: Tensor, positions: tuple[int, ...], *, after: int) -> Tensor:
    """(P, V) probabilities at masked tokens, from hidden states (L + 1, 1, T, D). Raises UnsupportedModelError."""
    return torch.cat([_logits(backend, states, place, after=after) for place in positions]).softmax(1)


def piece_for_mask(backend: Backend, tokens: Tokens, position: int, word: str) -> int:
    """The id of the one piece that a word is at a masked token.

    Raises:
        SelectionError: the word is several pieces of this model's vocabulary, or none.
    """
    read = backend.tokenize(*with_replaced(tokens, (position,), word))
    if len(read) != len(tokens) or read.ids[:position] != tokens.ids[:position]:
        pieces = max(len(read) - len(tokens) + 1, 0)
        raise SelectionError(
            f"A mask stands for one piece of the vocabulary, and “{word}” is {pieces}: type another word."
        )
    return read.ids[position]
