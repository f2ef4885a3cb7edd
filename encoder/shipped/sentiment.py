"""Sentiment of the bundled BERT: a head on its frozen states, and a low-rank adapter merged into it.

An adapter (LoRA, Hu et al. 2021, equation 3) freezes a weight W and learns W + scale · B A with two thin matrices. It
is merged when the model is loaded.

Both models run in our own encoder, whose numbers are those of `BertModel` (`tests/encoder/transformer/test_parity.py`):
`transformers`, which takes seconds to import, is not needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from encoder.errors import CheckpointError
from encoder.models.base import BatchOutput
from encoder.models.checkpoint import load_bert_folder, report_of_bert_folder
from encoder.models.files import revision_of
from encoder.models.labels import SENTIMENTS
from encoder.models.passport import Facts
from encoder.models.pooling import folder_length, read_pooling
from encoder.models.scratch import ScratchBackend, sentiment_predictions
from encoder.models.tensors import Batch, to_numpy
from encoder.runs.arrays import FloatArray, softmax
from encoder.runs.trace import Prediction
from encoder.shipped.bundled import BUNDLED, HEAD, run_fingerprint
from encoder.shipped.card import accuracy_sentence, read_card
from encoder.shipped.first_run import FILES, first_run
from encoder.shipped.mask_accuracy import has_mask_head
from encoder.shipped.mask_head import load_mask_head
from encoder.shipped.names import TUNED, WEIGHTS
from encoder.shipped.weights_file import read_weights
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.bert_names import our_name
from encoder.transformer.encoder import Encoder, EncoderOutput

FROZEN_NOTE = (
    "The model itself was never trained on sentiment: a linear head reads its states as they are (frozen features)."
)
TUNED_NOTE = "Fine-tuned here on film reviews, with a low-rank adapter."
WORD_VECTORS = "embeddings.word.weight"
PooledState = tuple[int, str]  # index of a hidden state, and "cls" or "mean" over all tokens


@dataclass(frozen=True, slots=True)
class SentimentHead:
    """One linear layer on pooled hidden states: three classes, and the sentiment score from 0 to 1.

    Attributes:
        states: the pooled states, concatenated in this order to P numbers.
        weight, bias: (C + 1, P) and (C + 1,); the last row is the score, before the sigmoid.
        note: a description of the head with its measured accuracy.
    """

    states: tuple[PooledState, ...]
    weight: FloatArray
    bias: FloatArray
    note: str

    def predict(self, hidden_states: FloatArray) -> Prediction:
        """(L + 1, T, D) to a prediction."""
        outputs = self.weight @ pool_states(hidden_states, self.states) + self.bias  # (C + 1,)
        [prediction] = self.predictions(outputs[None, :-1], outputs[-1:])
        return prediction

    def predictions(self, logits: FloatArray, scores: FloatArray) -> list[Prediction]:
        """The predictions of B texts from logits (B, C) and scores (B,) before the sigmoid."""
        bounded = (1 / (1 + np.exp(-scores))).tolist()
        return sentiment_predictions(logits, softmax(logits), bounded, score_range=(0.0, 1.0), note=self.note)

    def outputs(self, hidden_states: Sequence[Tensor], attention_mask: Tensor) -> Tensor:
        """The classes and the score, before its sigmoid, of a padded batch.

        Args:
            hidden_states: L + 1 states (B, T, D).
            attention_mask: (B, T).
        Returns:
            (B, C + 1).
        """
        real = attention_mask[..., None].to(hidden_states[0])  # (B, T, 1)
        pooled = [
            states[:, 0] if pooling == "cls" else (states * real).sum(1) / real.sum(1)
            for states, pooling in ((hidden_states[index], pooling) for index, pooling in self.states)
        ]  # (B, D) each
        weight, bias = torch.tensor(self.weight), torch.tensor(self.bias)
        return torch.cat(pooled, dim=-1) @ weight.to(real).T + bias.to(real)  # (B, C + 1)


def pool_states(hidden_states: FloatArray, states: tuple[PooledState, ...]) -> FloatArray:
    """(L + 1, T, D) to (P,): the chosen states, each pooled by `[CLS]` or by the mean over all tokens."""
    vectors = [
        hidden_states[state_index][0] if pooling == "cls" else hidden_states[state_index].mean(axis=0)
        for state_index, pooling in states
    ]
    return np.concatenate(vectors)


class SentimentBackend(ScratchBackend):
    """The bundled model in our own encoder, with a sentiment head on top."""

    def __init__(self, name: str, encoder: Encoder, tokenizer: Tokenizer, head: SentimentHead) -> None:
        super().__init__(name, encoder, tokenizer)
        self.head = head
        last = max(state_index for state_index, _ in head.states)
        width = len(head.states) * encoder.config.hidden_size
        if head.weight.shape != (len(SENTIMENTS) + 1, width) or last > self.num_layers:
            raise CheckpointError(
                f"The sentiment head of {self.name} is {head.weight.shape} on {list(head.states)}; the model needs "
                f"({len(SENTIMENTS) + 1}, {width}) and has {self.num_layers} layers: they do not belong together."
            )

    def read_heads(self, hidden_states: Sequence[Tensor], batch: Batch) -> tuple[Tensor, Tensor]:
        """(B, C) logits, and (B,) the score before its sigmoid."""
        outputs = self.head.outputs(hidden_states, batch.attention_mask)
        return outputs[:, :-1], outputs[:, -1]

    def read_mask(self, hidden_states: Tensor, position: int, *, after: int | None = None) -> Tensor | None:
        """By the head that was trained here on the bundled model's states; its output matrix is the word vectors."""
        if not has_mask_head(self.name):
            return None
        head = load_mask_head(self.name, device=str(hidden_states.device))
        return head.logits(hidden_states, position, self.encoder.get_parameter(WORD_VECTORS).detach(), after=after)

    def _text_predictions(self, output: BatchOutput) -> Sequence[Prediction | None]:
        if output.logits is None or output.score is None:
            return super()._text_predictions(output)
        return self.head.predictions(to_numpy(output.logits), to_numpy(output.score))

    def _prediction(self, output: EncoderOutput, input_ids: Tensor) -> Prediction:
        return self.head.predict(to_numpy(torch.cat(output.hidden_states)))  # (L + 1, T, D)


def load_bundled(folder: Path, *, weights: Path = WEIGHTS) -> SentimentBackend:
    """The published bundled model, with a sentiment head trained on its frozen states.

    Args:
        folder: the bundled model's.
        weights: folder of the head and its model card.
    Raises:
        CheckpointError: the head's file is missing or corrupt, or does not match.
    """
    backend = load_with_head(folder, bundled_head(weights=weights))
    example = partial(first_run, folder, next(iter(FILES.values())))
    revision = f"{run_fingerprint(weights)} {revision_of(folder)}"
    backend.facts = Facts(example=example, revision=revision, weights=report_of_bert_folder(folder))
    return backend


def load_with_head(folder: Path, head: SentimentHead) -> SentimentBackend:
    """The published bundled model, with a head on its frozen states. Raises CheckpointError."""
    tokenizer = Tokenizer.from_file(folder, folder_length=folder_length(folder))
    backend = SentimentBackend(BUNDLED, load_bert_folder(folder), tokenizer, head)
    backend.pooling = read_pooling(folder)
    return backend


def bundled_head(*, weights: Path = WEIGHTS) -> SentimentHead:
    """The sentiment head trained on the bundled model's frozen states.

    Args:
        weights: folder of the head and its model card.
    Raises:
        CheckpointError: the head's file is missing or corrupt.
    """
    tensors, extras = read_weights(weights / f"{HEAD}.safetensors")
    return read_head(tensors, extras, note=f"{FROZEN_NOTE} {_measured(weights / f'{HEAD}.json')}")


def load_bundled_sentiment(folder: Path, *, weights: Path = WEIGHTS) -> SentimentBackend:
    """The bundled model, fine-tuned on sentiment, with the adapter merged into its weights.

    Args:
        folder: the bundled model's.
        weights: folder of the adapter and its model card.
    Raises:
        CheckpointError: the adapter's file is missing or corrupt, or does not match.
    """
    tensors, extras = read_weights(weights / f"{TUNED}.safetensors")
    return load_with_adapter(folder, tensors, extras, note=f"{TUNED_NOTE} {_measured(weights / f'{TUNED}.json')}")


def load_with_adapter(
    folder: Path, tensors: Mapping[str, Tensor], extras: Mapping[str, str], *, note: str = ""
) -> SentimentBackend:
    """The bundled model with an adapter merged into it, and the adapter's head."""
    encoder = load_bert_folder(folder)
    renamed = {our_name(name): tensor for name, tensor in tensors.items()}
    merge_adapter(encoder, renamed, scale=float(extras["scale"]))
    tokenizer = Tokenizer.from_file(folder, folder_length=folder_length(folder))
    backend = SentimentBackend(TUNED, encoder, tokenizer, read_head(tensors, extras, note=note))
    backend.facts = Facts(weights=report_of_bert_folder(folder))
    return backend


@torch.no_grad()
def merge_adapter(model: nn.Module, tensors: Mapping[str, Tensor], *, scale: float) -> None:
    """Add scale · B A to the weight of every linear layer that "LAYER.lora_A" and "LAYER.lora_B" are named after.

    Args:
        tensors: (r, in) and (out, r) factors; other names are ignored.
    Raises:
        CheckpointError: a layer or factor is missing, or shapes do not match.
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


def read_head(tensors: Mapping[str, Tensor], extras: Mapping[str, str], *, note: str = "") -> SentimentHead:
    """Read a head from one of our files.

    Raises:
        CheckpointError: it is not one.
    """
    try:
        states = tuple((int(state_index), str(pooling)) for state_index, pooling in json.loads(extras["states"]))
        weight, bias = tensors["head.weight"], tensors["head.bias"]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"The sentiment head's file is none of ours: {error!r}.") from error
    return SentimentHead(states, weight.float().numpy(), bias.float().numpy(), note)


def _measured(path: Path) -> str:
    """The model card's accuracy, as a sentence."""
    try:
        return accuracy_sentence({row["name"]: row for row in read_card(path)["figures"]})
    except (KeyError, TypeError) as error:
        raise CheckpointError(f"The model card {path} cannot be read: {error!r}") from error
