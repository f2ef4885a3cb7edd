"""The check of a passport that texts become the vectors that the folder's own library makes of them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, cast

import numpy as np
import torch

from encoder.models.device import device_of
from encoder.models.passport import Check
from encoder.models.pooling import COMPARED_BY
from encoder.models.tensors import padded, to_numpy

if TYPE_CHECKING:
    from encoder.models.base import Backend
    from encoder.models.late_interaction import LateInteraction
    from encoder.models.pretrained import PretrainedBackend
    from encoder.models.sparse_words import SparseWords
    from encoder.runs.arrays import FloatArray

TEXTS = ("Rates fell again.", "Rates fell")  # the second is padded, and compared with a run of it alone
ROUNDING = 128 * float(np.finfo(np.float32).eps)  # of the largest number: a padded batch is computed in another order


def check_vectors(opened: Backend) -> Check:
    """The vector of a padded text against the folder's formula, or its own modules, on its states when read alone."""
    pooling = opened.pooling
    if pooling.late is not None:
        return _check_tokens(opened, pooling.late)
    if pooling.sparse is not None:
        return _check_words(cast("PretrainedBackend", opened), pooling.sparse)
    if pooling.differs:
        return Check(name="Vectors", outcome="differs", sentence=pooling.differs)
    if not pooling.embeds_texts:
        said = "Its files do not say how a text becomes a vector: the mean of the last states is taken."
        return Check(name="Vectors", outcome="does not apply", sentence=said)
    expected = _by_hand(opened, TEXTS[-1])
    size = max(1.0, float(np.abs(expected).max()))
    largest = float(np.abs(opened.embed(iter(TEXTS))[-1] - expected).max()) / size
    if largest > ROUNDING:
        said = f"A text read with others has a vector that differs from its own by {largest:.1g}: do not rely on it."
        return Check(name="Vectors", outcome="differs", sentence=said, value=largest)
    compared = COMPARED_BY.get(pooling.similarity, "the cosine")
    said = f"Vectors are {_in_words(opened)}, to within {largest:.0e}, and compared by {compared}."
    return Check(name="Vectors", outcome="holds", sentence=said, value=largest)


def _check_tokens(opened: Backend, late: LateInteraction) -> Check:
    """The vectors of the tokens of a padded text against those of the text alone."""
    reader = opened.for_role("document")
    texts = [reader.tokenize(text) for text in TEXTS]
    together, alone = (
        late.vectors([*reader.hidden_states(some)][-1][-1]) for some in (texts, texts[-1:])
    )  # (T, D') each
    largest = float(np.abs(together - alone).max())
    said = f"Each token has a vector of {alone.shape[1]} numbers, to within {largest:.0e}; MaxSim compares them."
    return Check(name="Vectors", outcome="holds" if largest <= ROUNDING else "differs", sentence=said, value=largest)


@torch.inference_mode()
def _check_words(opened: PretrainedBackend, sparse: SparseWords) -> Check:
    """The weights of the words of a text against those from the logits of a padded batch."""
    texts = [opened.tokenize(text) for text in TEXTS]
    batch = padded(texts, pad_id=opened.pad_id, device=device_of(opened.model))
    weights = opened._output(opened.model, batch, attentions=False).logits.clamp(min=0).log1p()  # (B, T, V)
    weights = weights.log1p() if sparse.twice else weights
    real = batch.attention_mask[..., None]
    expected = to_numpy((weights * real).sum(1) if sparse.sums else (weights * real).amax(1))[-1]  # (V,)
    [found] = opened.embed(TEXTS[-1:])
    if sparse.most is not None:  # only the largest have a weight
        expected = np.where(found > 0, expected, 0)
    largest = float(np.abs(found - expected).max()) / max(1.0, float(expected.max()))
    said = f"A text has weights of {len(found):,} words, to within {largest:.0e}."
    return Check(name="Vectors", outcome="holds" if largest <= ROUNDING else "differs", sentence=said, value=largest)


@torch.inference_mode()
def _by_hand(opened: Backend, text: str) -> FloatArray:
    """(D',) the vector of a text that is read alone, in double precision."""
    states = torch.tensor(opened.trace(text).hidden_states[-1]).double()  # (T, D)
    if opened.pooling.modules is not None:
        modules = deepcopy(opened.pooling.modules).double()
        mask = torch.ones(1, len(states), device=next(modules.parameters(), states).device)
        return modules(states[None].to(mask.device), mask, opened.tokenizer.prompt_length)[0].cpu().numpy()
    count = len(states)
    shares = {
        "cls": torch.eye(count)[0],
        "lasttoken": torch.eye(count)[-1],
        "weightedmean": torch.arange(1.0, count + 1),
    }.get(opened.pooling.mode, torch.ones(count))
    vector = states.max(0).values if opened.pooling.mode == "max" else shares.double() @ states / shares.sum()
    scale = {"none": 1.0, "length 1": 1 / float(vector.norm()), "root of the tokens": count**0.5}
    return (vector * scale[opened.pooling.scale]).numpy()


def _in_words(opened: Backend) -> str:
    pooling = opened.pooling
    if pooling.modules is not None:
        return "made by the folder's own modules"
    scaled = {"none": "", "length 1": ", scaled to length 1", "root of the tokens": ", times the root of the tokens"}
    return f"pooled by {pooling.mode}{scaled[pooling.scale]}"
