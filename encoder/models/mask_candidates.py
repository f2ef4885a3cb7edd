"""The likeliest words at masked tokens, from the logits of a head for masked words."""

from __future__ import annotations

from torch import Tensor

from encoder.models.tensors import to_numpy
from encoder.runs.trace import TokenPrediction
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Tokens

MASK_CANDIDATES = 50  # vocabulary pieces kept for each masked token


def masked_positions(tokenizer: Tokenizer, tokens: Tokens) -> tuple[int, ...]:
    """The tokens of a text that are masked; none without a mask token."""
    mask_id = tokenizer.inner.mask_token_id
    return tuple(place for place, token_id in enumerate(tokens.ids) if token_id == mask_id)


def likeliest_words(logits: Tensor, positions: tuple[int, ...], tokenizer: Tokenizer) -> TokenPrediction:
    """The likeliest pieces at P masked tokens, in their readable form, from logits (P, V)."""
    likeliest = logits.topk(min(MASK_CANDIDATES, logits.shape[-1]))  # (P, C) each
    ids = likeliest.indices.tolist()
    return TokenPrediction(
        task="mask",
        positions=positions,
        logits=to_numpy(likeliest.values),
        candidates=tuple(tokenizer.labels_of(row) for row in ids),
        candidate_ids=tuple(map(tuple, ids)),
        normaliser=to_numpy(logits.logsumexp(-1)),
    )
