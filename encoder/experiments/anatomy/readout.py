"""The end of the anatomy: the states that a head reads, its weights, and its output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch

from encoder.experiments.anatomy.record import Record
from encoder.models.device import device_of
from encoder.models.files import usual_name
from encoder.models.scratch import ScratchBackend, SentimentHeads
from encoder.models.tensors import to_numpy
from encoder.models.threads import preserve_random_state
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction
from encoder.shipped.names import SCRATCH_BERT
from encoder.shipped.sentiment import PooledState, SentimentBackend, SentimentHead, bundled_head, pool_states
from encoder.transformer.encoder import Regressor, SequenceClassifier

SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Readout:
    """One linear layer on pooled hidden states: C classes and a score.

    Attributes:
        reads: the hidden states that are read, each as its index and "cls" or "mean" over all tokens.
        state: (P,) these states, concatenated.
        weight, bias: (C + 1, P) and (C + 1,); the last row is for the score.
        probabilities: (C,), those of the prediction.
        raw_score, score: the linear output, and the final score.
        squashed: whether a sigmoid maps the score to (0, 1).
        made_up: whether the model has no head, so that this one is random, from a fixed seed.
        sources: the classes that implement it.
    """

    reads: tuple[PooledState, ...]
    state: FloatArray
    weight: FloatArray
    bias: FloatArray
    probabilities: FloatArray
    raw_score: float
    score: float
    squashed: bool
    made_up: bool
    prediction: Prediction
    sources: tuple[type | Callable[..., Any], ...]


@torch.inference_mode()
def readout(backend: ScratchBackend, record: Record) -> Readout:
    """The heads of one of our models, on the last states of a record.

    Our encoder with the bundled model's weights gets the head that was trained on them. Any other encoder without heads
    gets random ones, and the readout is marked as made up.
    """
    if isinstance(backend, SentimentBackend):
        return _of_bundled(record, backend.head)
    if usual_name(backend.name) == SCRATCH_BERT:
        return _of_bundled(record, bundled_head())
    if backend.heads is not None:
        return _of_cls(record, backend.heads)
    return _of_cls(record, _random_heads(backend), made_up=True)


def _random_heads(backend: ScratchBackend) -> SentimentHeads:
    with preserve_random_state():
        torch.manual_seed(SEED)
        return SentimentHeads(backend.encoder.config, note="").eval()


def _of_cls(record: Record, heads: SentimentHeads, *, made_up: bool = False) -> Readout:
    device = device_of(heads)
    state = torch.tensor(record.hidden_states[-1], device=device)[None]  # (1, T, D)
    ids = torch.tensor([record.tokens.ids], device=device)
    outputs = (heads.classifier.output, heads.regressor.output)
    prediction = heads.predict(state, ids)
    return Readout(
        reads=((len(record.hidden_states) - 1, "cls"),),
        state=record.hidden_states[-1][0],
        weight=np.concatenate([to_numpy(output.weight) for output in outputs]),
        bias=np.concatenate([to_numpy(output.bias) for output in outputs]),
        probabilities=cast(FloatArray, prediction.probabilities),
        raw_score=float(heads.regressor(state, ids)[0]),
        score=cast(float, prediction.score),
        squashed=heads.score_range is not None,
        made_up=made_up,
        prediction=prediction,
        sources=(SequenceClassifier, Regressor),
    )


def _of_bundled(record: Record, head: SentimentHead) -> Readout:
    hidden_states = np.stack(record.hidden_states)
    state = pool_states(hidden_states, head.states)
    prediction = head.predict(hidden_states)
    return Readout(
        reads=head.states,
        state=state,
        weight=head.weight,
        bias=head.bias,
        probabilities=cast(FloatArray, prediction.probabilities),
        raw_score=float(head.weight[-1] @ state + head.bias[-1]),
        score=cast(float, prediction.score),
        squashed=True,
        made_up=False,
        prediction=prediction,
        sources=(SentimentHead, pool_states),
    )
