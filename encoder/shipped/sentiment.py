"""What the bundled BERT says about sentiment: a head on its frozen states, and a low-rank adapter merged into it.

An adapter (LoRA, Hu et al. 2021, equation 3) keeps a weight W and learns W + scale · B A with two thin matrices.
Merged when it is loaded, the model is an ordinary BertModel again, so that its capture needs nothing of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from encoder.errors import CheckpointError
from encoder.measures.softmax import softmax
from encoder.models.loading import load_folder
from encoder.models.pretrained import PretrainedBackend
from encoder.shipped.card import figure_of, read_card
from encoder.trace import FloatArray, Prediction

WEIGHTS = Path(__file__).parent / "weights"
LABELS = ("negative", "neutral", "positive")
FROZEN, TUNED = "bundled-head", "bundled-sentiment"  # what their files are called
FROZEN_NOTE = (
    "The model itself was never trained on sentiment: a linear head reads its states as they are (frozen features)."
)
TUNED_NOTE = "Fine-tuned here on film reviews, with a low-rank adapter."
Pooled = tuple[int, str]  # an entry of the hidden states, and "cls" or "mean" over all tokens


@dataclass(frozen=True, slots=True)
class SentimentHead:
    """One linear layer on pooled hidden states: three classes, and the sentiment score from 0 to 1.

    Attributes:
        states: what is pooled, and how; the parts are joined in this order into P numbers.
        weight, bias: (C + 1, P) and (C + 1,); the last row is the score, before the sigmoid.
        note: what a reader should know about the head, with its measured accuracy.
    """

    states: tuple[Pooled, ...]
    weight: FloatArray
    bias: FloatArray
    note: str

    def predict(self, hidden_states: FloatArray) -> Prediction:
        """(L + 1, T, D) to what the page shows."""
        outputs = self.weight @ pooled(hidden_states, self.states) + self.bias  # (C + 1,)
        logits = outputs[:-1]
        return Prediction(
            labels=LABELS,
            logits=logits,
            probabilities=softmax(logits),
            score=float(1 / (1 + np.exp(-outputs[-1]))),
            score_range=(0.0, 1.0),
            note=self.note,
        )


def pooled(hidden_states: FloatArray, states: tuple[Pooled, ...]) -> FloatArray:
    """(L + 1, T, D) to (P,): the chosen states, each as that of `[CLS]` or as the mean over all tokens."""
    parts = [hidden_states[at][0] if how == "cls" else hidden_states[at].mean(axis=0) for at, how in states]
    return np.concatenate(parts)


class SentimentBackend(PretrainedBackend):
    """A model of `transformers` with a sentiment head of ours on top."""

    def __init__(self, backend: PretrainedBackend, head: SentimentHead) -> None:
        self.head = head
        super().__init__(backend.name, backend.model, backend.tokenizer)
        last = max(at for at, _ in head.states)
        width = len(head.states) * int(self.model.config.hidden_size)
        if head.weight.shape != (len(LABELS) + 1, width) or last > self.num_layers:
            raise CheckpointError(
                f"The sentiment head of {self.name} is {head.weight.shape} on {list(head.states)}; the model needs "
                f"({len(LABELS) + 1}, {width}) and has {self.num_layers} layers: they do not belong together."
            )

    def _prediction(self, output: Any) -> Prediction:
        states = torch.cat(output.hidden_states).float().cpu().numpy()  # (L + 1, T, D)
        return self.head.predict(states)


def load_bundled(folder: Path, *, weights: Path = WEIGHTS) -> SentimentBackend:
    """The bundled model as it was published, with a sentiment head that was trained on its frozen states.

    Args:
        folder: the bundled model's.
        weights: where the head and its model card are.
    Raises:
        CheckpointError: the head's file is missing, corrupt or does not fit.
    """
    return SentimentBackend(load_folder("bundled", folder), bundled_head(weights=weights))


def bundled_head(*, weights: Path = WEIGHTS) -> SentimentHead:
    """The sentiment head that was trained on the bundled model's frozen states.

    Args:
        weights: where the head and its model card are.
    Raises:
        CheckpointError: the head's file is missing or corrupt.
    """
    tensors, extras = read_weights(weights / f"{FROZEN}.safetensors")
    return head_of(tensors, extras, note=f"{FROZEN_NOTE} {_measured(weights / f'{FROZEN}.json')}")


def load_bundled_sentiment(folder: Path, *, weights: Path = WEIGHTS) -> SentimentBackend:
    """The bundled model, fine-tuned on sentiment: its adapter is merged into plain weights.

    Args:
        folder: the bundled model's.
        weights: where the adapter and its model card are.
    Raises:
        CheckpointError: the adapter's file is missing, corrupt or does not fit.
    """
    tensors, extras = read_weights(weights / f"{TUNED}.safetensors")
    return with_adapter(folder, tensors, extras, note=f"{TUNED_NOTE} {_measured(weights / f'{TUNED}.json')}")


def with_adapter(
    folder: Path, tensors: Mapping[str, Tensor], extras: Mapping[str, str], *, note: str = ""
) -> SentimentBackend:
    """The bundled model with an adapter merged into it, and the adapter's head."""
    backend = load_folder(TUNED, folder)
    head = head_of(tensors, extras, note=note)
    merge(backend.model, tensors, scale=float(extras["scale"]))
    return SentimentBackend(backend, head)


@torch.no_grad()
def merge(model: nn.Module, tensors: Mapping[str, Tensor], *, scale: float) -> None:
    """Add scale · B A to the weight of every linear layer that "LAYER.lora_A" and "LAYER.lora_B" are named after.

    Args:
        tensors: (r, in) and (out, r) factors; other names are left alone.
    Raises:
        CheckpointError: a layer is not there, a factor is missing, or shapes do not fit.
    """
    for name in sorted(key.removesuffix(".lora_A") for key in tensors if key.endswith(".lora_A")):
        try:
            weight = model.get_submodule(name).get_parameter("weight")  # (out, in)
        except AttributeError as error:
            raise CheckpointError(f"The adapter changes {name}, which {type(model).__name__} does not have.") from error
        down, up = tensors[f"{name}.lora_A"], tensors.get(f"{name}.lora_B")
        if up is None or (len(up), down.shape[-1]) != tuple(weight.shape) or up.shape[-1] != len(down):
            raise CheckpointError(
                f"The adapter of {name} is {tuple(down.shape)} and {None if up is None else tuple(up.shape)}; the "
                f"layer is {tuple(weight.shape)} and needs (r, {weight.shape[1]}) and ({weight.shape[0]}, r)."
            )
        weight.add_(up.float() @ down.float(), alpha=scale)


def read_weights(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors and the extras of a safetensors file that came with Headlight.

    Raises:
        CheckpointError: it is missing or corrupt.
    """
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise CheckpointError(
            f"The weights {path.name} that come with Headlight cannot be read ({error}): get them again, or train "
            "them with `python -m encoder.training.train`."
        ) from error


def head_of(tensors: Mapping[str, Tensor], extras: Mapping[str, str], *, note: str = "") -> SentimentHead:
    """The head in a file of ours.

    Raises:
        CheckpointError: it is none.
    """
    try:
        states = tuple((int(at), str(how)) for at, how in json.loads(extras["states"]))
        weight, bias = tensors["head.weight"], tensors["head.bias"]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"The sentiment head's file is none of ours: {error!r}.") from error
    return SentimentHead(states, weight.float().numpy(), bias.float().numpy(), note)


def _measured(path: Path) -> str:
    """What the model card says about accuracy, in a sentence."""
    card = read_card(path)
    two, three = figure_of(card, "sst2_accuracy"), figure_of(card, "three_class_accuracy")
    score = figure_of(card, "score_mae")
    return (
        f"Measured on SST dev: {two.value:.1%} right on negative or positive (n = {two.n:,}), {three.value:.1%} on "
        f"three classes (n = {three.n:,}); the score is off by {score.value:.3f} on average."
    )
