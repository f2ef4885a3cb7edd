"""The end of the walk: what a head reads, its weights, and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch

from encoder.experiments.anatomy.record import Record
from encoder.models.randomness import preserve_random_state
from encoder.models.scratch import ScratchBackend, SentimentHeads
from encoder.models.tensors import to_numpy
from encoder.shipped.sentiment import SentimentHead, bundled_head, pooled
from encoder.trace import FloatArray, Prediction
from encoder.transformer.encoder import Regressor, SequenceClassifier

SEED = 0
MADE_UP_NOTE = "These weights hold no head: this one was made up from random numbers, to show where one would stand."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Readout:
    """One linear layer on some of the hidden states: C classes, and a score.

    Attributes:
        reads: what is read, in words.
        state: (P,) what is read.
        weight, bias: (C + 1, P) and (C + 1,); the last row is the score's.
        probabilities: (C,), those of the prediction.
        raw_score, score: the score's row, and what becomes of it.
        squashed: whether the score goes through a sigmoid, which puts it between 0 and 1.
        sources: the classes that did it.
    """

    reads: str
    state: FloatArray
    weight: FloatArray
    bias: FloatArray
    probabilities: FloatArray
    raw_score: float
    score: float
    squashed: bool
    prediction: Prediction
    sources: tuple[type | Callable[..., Any], ...]


@torch.inference_mode()
def readout(backend: ScratchBackend, record: Record) -> Readout:
    """The heads of a model of ours on the last states of a record.

    Our encoder with the bundled model's weights gets the head that was trained on the bundled model; any other encoder
    without heads gets some with random weights, and says so.
    """
    if backend.name == "scratch-bert":
        return _of_bundled(record, bundled_head())
    return _of_cls(record, backend.heads or _made_up(backend))


def _made_up(backend: ScratchBackend) -> SentimentHeads:
    with preserve_random_state():
        torch.manual_seed(SEED)
        return SentimentHeads(backend.encoder.config, note=MADE_UP_NOTE).eval()


def _of_cls(record: Record, heads: SentimentHeads) -> Readout:
    state = torch.tensor(record.hidden_states[-1])[None]  # (1, T, D)
    ids = torch.tensor([record.tokens.ids])
    outputs = (heads.classifier.output, heads.regressor.output)
    prediction = heads.predict(state, ids)
    return Readout(
        reads="the vector of `[CLS]` after the last layer",
        state=record.hidden_states[-1][0],
        weight=np.concatenate([to_numpy(output.weight) for output in outputs]),
        bias=np.concatenate([to_numpy(output.bias) for output in outputs]),
        probabilities=cast(FloatArray, prediction.probabilities),
        raw_score=float(heads.regressor(state, ids)[0]),
        score=cast(float, prediction.score),
        squashed=heads.score_range is not None,
        prediction=prediction,
        sources=(SequenceClassifier, Regressor),
    )


def _of_bundled(record: Record, head: SentimentHead) -> Readout:
    hidden_states = np.stack(record.hidden_states)
    named = [
        f"{'that of `[CLS]`' if how == 'cls' else 'the mean over all tokens'} after layer {entry - 1}"
        for entry, how in head.states
    ]
    state = pooled(hidden_states, head.states)
    prediction = head.predict(hidden_states)
    return Readout(
        reads=f"{len(named)} vectors joined into one: " + ", ".join(named),
        state=state,
        weight=head.weight,
        bias=head.bias,
        probabilities=cast(FloatArray, prediction.probabilities),
        raw_score=float(head.weight[-1] @ state + head.bias[-1]),
        score=cast(float, prediction.score),
        squashed=True,
        prediction=prediction,
        sources=(SentimentHead, pooled),
    )
