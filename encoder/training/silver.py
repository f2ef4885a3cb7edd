"""Silver labels: predictions of our larger models for texts that people only rated.

A small model learns more from a larger one's answers than from gold labels alone (Hinton et al. 2015), and tags of
more text are what lifted the published noun-verb taggers from 73.9 to 86.4 % (Elkahky et al. 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from encoder.models.base import Backend
from encoder.models.device import device_of
from encoder.shipped.multi_task import first_pieces
from encoder.shipped.probes import load_probes
from encoder.shipped.sentiment import SentimentBackend
from encoder.training.data import Review
from encoder.training.examples import NO_LABEL, Example, batches_of, collate
from encoder.transformer.encoder import Encoder


def with_silver_tags(
    teacher: Backend, reviews: Sequence[Review], examples: Sequence[Example], *, confidence: float
) -> list[Example]:
    """The reviews' examples with the tags that the teacher's combined probe gives with at least that probability.

    Raises:
        NoProbesError: there are no probes for the teacher.
    """
    probes = load_probes(teacher.name)
    tagged = []
    pairs = zip(reviews, examples, strict=True)
    for review, example in tqdm(pairs, desc="silver tags", total=len(reviews), disable=None, mininterval=5.0):
        trace = teacher.trace(review.text)
        _, probabilities = probes.read(trace)  # (W, 17)
        labels = np.full(len(example.ids), NO_LABEL)
        for word, token in first_pieces(trace.tokens):
            if probabilities[word].max() >= confidence:
                labels[token] = int(probabilities[word].argmax())
        tagged.append(replace(example, tags=labels))
    return tagged


@torch.inference_mode()
def with_soft_sentiment(
    teacher: SentimentBackend, examples: Sequence[Example], *, share: float, batch_tokens: int = 4096
) -> list[Example]:
    """Examples with the teacher's probabilities and score mixed into their labels, by that share."""
    relabelled = list(examples)
    device = device_of(teacher.model)
    batches = batches_of(examples, batch_tokens)
    for indices in tqdm(batches, desc="soft labels", disable=None, mininterval=5.0):
        batch = collate([examples[index] for index in indices])
        output = teacher.model(
            input_ids=batch.ids.to(device), attention_mask=batch.mask.to(device), output_hidden_states=True
        )
        states = torch.stack(output.hidden_states, dim=1).cpu().numpy()  # (B, L + 1, T, D)
        for row, index in enumerate(indices):
            example = examples[index]
            prediction = teacher.head.predict(states[row, :, : len(example.ids)])
            if example.sentiment is not None and prediction.probabilities is not None and prediction.score is not None:
                relabelled[index] = replace(
                    example,
                    sentiment=(1 - share) * example.sentiment + np.float32(share) * prediction.probabilities,
                    score=(1 - share) * example.score + share * prediction.score,
                )
    return relabelled


@torch.inference_mode()
def with_states(
    teacher: Encoder, layer: int, examples: Sequence[Example], *, batch_tokens: int = 4096
) -> list[Example]:
    """The examples with the teacher's hidden states at a layer, every dimension with mean 0 and deviation 1.

    A student that predicts them learns from every token what its context makes of it (Romero et al. 2015, "FitNets";
    Jiao et al. 2020, "TinyBERT").
    """
    teacher.layers = teacher.layers[:layer]  # what comes after is not read
    hidden_states: list[NDArray[np.float16]] = [np.empty(0, np.float16)] * len(examples)
    total, squares, count = torch.zeros(1, dtype=torch.double), torch.zeros(1, dtype=torch.double), 0
    device = device_of(teacher)
    batches = batches_of(examples, batch_tokens)
    for indices in tqdm(batches, desc="teacher's states", disable=None, mininterval=5.0):
        batch = collate([examples[index] for index in indices])
        hidden = teacher(batch.ids.to(device), None, batch.mask.to(device)).hidden_states[layer].cpu()  # (B, T, E)
        real = hidden[batch.mask.bool()].double()  # (n, E)
        total, squares, count = total + real.sum(0), squares + real.square().sum(0), count + len(real)
        for row, index in enumerate(indices):
            hidden_states[index] = hidden[row, : len(examples[index].ids)].half().numpy()  # (T, E)
    mean = total / count  # (E,)
    deviation = (squares / count - mean * mean).clamp(min=1e-12).sqrt()  # (E,)
    shift, scale = mean.half().numpy(), deviation.half().numpy()
    return [
        replace(example, states=(states - shift) / scale)
        for example, states in zip(examples, hidden_states, strict=True)
    ]
