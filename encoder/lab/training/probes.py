"""Train linear probes for parts of speech: per layer, per layer on the control task, and on all layers.

The encoder is frozen. The states of all words are computed once, and softmax regressions are fitted to them.
`encoder.shipped.probes` loads the result.
"""

from __future__ import annotations

import argparse
import logging
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from encoder import catalogue
from encoder.errors import NoProbesError
from encoder.lab.training.data import (
    Homograph,
    NounVerb,
    TaggedSentence,
    find_file,
    read_homographs,
    read_noun_verb,
    read_tagged,
)
from encoder.lab.training.evaluate import VERB_THRESHOLD, evaluate_noun_verb, predict_tags, tag_figures
from encoder.lab.training.figures import accuracy_figure
from encoder.lab.training.output import BUNDLED_CREDIT, CHALLENGE_CREDIT, EWT_CREDIT, Card, save_tensors, write_card
from encoder.measures.units import word_states
from encoder.models.base import Backend
from encoder.models.labels import TAGS
from encoder.shipped.card import Figure
from encoder.shipped.probes import PROBES, Probes

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How probes are fitted; the defaults are those of the shipped probes."""

    seed: int = 0
    epochs: int = 3
    batch: int = 1024
    learning_rate: float = 2e-3
    weight_decay: float = 1e-3
    combined_epochs: int = 3
    combined_learning_rate: float = 1e-3
    combined_weight_decay: float = 1e-2
    combined_dropout: float = 0.4
    combined_from: int = 1  # without the embeddings, which encode only the word's form
    homograph_weight: float = 4.0


@dataclass(frozen=True, slots=True)
class Words:
    """States and labels of N words: (N, L + 1, D) in float16, (N,) tags, forms, and whether noun and verb."""

    states: NDArray[np.float16]
    tags: NDArray[np.int64]
    forms: tuple[str, ...]
    ambiguous: NDArray[np.bool_]


def collect(
    backend: Backend, sentences: Sequence[TaggedSentence], *, description: str, homographs: Sequence[Homograph] = ()
) -> Words:
    """The states of all words that are not truncated."""
    targets = {(row.words, row.index) for row in homographs if row.split == "train"}
    states, tags, forms, ambiguous = [], [], [], []
    for sentence in tqdm(sentences, desc=f"states of {description}", unit=" sentences"):
        trace = backend.trace(list(sentence.words))
        states_by_word = word_states(trace.hidden_states, trace.tokens).transpose(1, 0, 2)  # (W, L + 1, D)
        for index in np.flatnonzero(~np.isnan(states_by_word[:, 0, 0])).tolist():
            states.append(states_by_word[index].astype(np.float16))
            tags.append(sentence.tags[index])
            forms.append(sentence.words[index])
            ambiguous.append((sentence.words, index) in targets)
    return Words(np.stack(states), np.array(tags, np.int64), tuple(forms), np.array(ambiguous))


def control_tags(forms: Sequence[str], tags: NDArray[np.int64], *, seed: int) -> NDArray[np.int64]:
    """A random tag per word form, case-insensitive, with the frequencies of the real tags (N,).

    Source: Hewitt and Liang (2019), section 2.1.
    """
    limits = np.cumsum(np.bincount(tags, minlength=len(TAGS)) / len(tags))  # (C,)
    draws = [zlib.crc32(f"{seed} {form.lower()}".encode()) / 2**32 for form in forms]
    return np.searchsorted(limits, draws, side="right").clip(max=len(TAGS) - 1).astype(np.int64)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m encoder.training.train probes`."""
    parser.add_argument("--model", default="bundled", help="whose hidden states to read: bundled (default) or scratch")


def run(args: argparse.Namespace) -> None:
    """Fit the probes of a model, and write them with their model card to `args.out`."""
    if args.model not in PROBES:
        raise NoProbesError(f"Probes of {args.model} are not supported: choose among {', '.join(PROBES)}.")
    settings = Settings(seed=args.seed)
    sentences = read_tagged(find_file(args.data, "ewt_train.jsonl"))
    homographs = read_homographs(find_file(args.data, "noun_verb_homographs.jsonl"))
    held_out = read_tagged(find_file(args.data, "ewt_dev.jsonl"))
    challenge = read_noun_verb(find_file(args.data, "noun_verb_challenge_dev.jsonl"))
    backend = catalogue.load(args.model, device=str(args.device))
    words = collect(backend, sentences, description="EWT train", homographs=homographs)
    layers, control = _fit_layers(words, settings, args.device)
    combined = _fit_combined(words, settings, args.device)
    tensors = _tensors_of(layers, control, combined)
    stem = f"{args.model}-probes"
    save_tensors(args.out / f"{stem}.safetensors", tensors)
    figures = measure(backend, tensors, words.tags, held_out, challenge, settings)
    write_card(args.out, stem, _card_of(args.model, settings, figures))
    logger.info("%s", ", ".join(f"{figure.name} {figure.value:.4f}" for figure in figures))


def _fit_layers(words: Words, settings: Settings, device: torch.device) -> tuple[Softmaxes, Softmaxes]:
    """One probe per layer for the tags, and one for the control task."""
    control = control_tags(words.forms, words.tags, seed=settings.seed)
    probes, controls = (
        fit(
            words.states,
            torch.from_numpy(targets)[:, None].expand(-1, words.states.shape[1]),
            settings,
            what=what,
            epochs=settings.epochs,
            learning_rate=settings.learning_rate,
            weight_decay=settings.weight_decay,
            device=device,
        )
        for what, targets in (("probes", words.tags), ("control probes", control))
    )
    return probes, controls


def _fit_combined(words: Words, settings: Settings, device: torch.device) -> Softmaxes:
    """One probe on all layers concatenated; words that occur as noun and as verb have a larger weight."""
    weights = 1 + (settings.homograph_weight - 1) * torch.from_numpy(words.ambiguous.astype(np.float32))
    return fit(
        words.states[:, settings.combined_from :].reshape(len(words.states), 1, -1),
        torch.from_numpy(words.tags)[:, None],
        settings,
        what="combined probe",
        epochs=settings.combined_epochs,
        learning_rate=settings.combined_learning_rate,
        weight_decay=settings.combined_weight_decay,
        dropout=settings.combined_dropout,
        weights=weights,
        device=device,
    )


def _tensors_of(layers: Softmaxes, control: Softmaxes, combined: Softmaxes) -> dict[str, Tensor]:
    """The tensors that ship, in float16; the combined probe has zeros for states that it does not read."""
    tensors = dict(zip(("weight", "bias"), layers.plain(), strict=True))
    tensors |= dict(zip(("control.weight", "control.bias"), control.plain(), strict=True))
    weight, bias = combined.plain()
    unread = tensors["weight"].shape[0] * tensors["weight"].shape[2] - weight.shape[2]
    tensors |= {"combined.weight": F.pad(weight[0], (unread, 0)), "combined.bias": bias[0]}
    return {name: tensor.half() for name, tensor in tensors.items()}


def measure(
    backend: Backend,
    tensors: Mapping[str, Tensor],
    trained_tags: NDArray[np.int64],
    held_out: Sequence[TaggedSentence],
    challenge: Sequence[NounVerb],
    settings: Settings,
) -> tuple[Figure, ...]:
    """All figures of the card, with the shipped precision, on the development sets."""
    arrays = {name: tensor.float().numpy() for name, tensor in tensors.items()}
    combined = arrays["combined.weight"], arrays["combined.bias"]
    probes = Probes(arrays["weight"], arrays["bias"], *combined)
    control_probes = Probes(arrays["control.weight"], arrays["control.bias"], *combined)
    (layers, all_layers), (control_predictions, unused) = predict_tags(backend, [probes, control_probes], held_out)
    truth = np.array([tag for sentence in held_out for tag in sentence.tags])
    forms = [word for sentence in held_out for word in sentence.words]
    tags = tag_figures(layers, all_layers, truth)
    control = tag_figures(control_predictions, unused, control_tags(forms, trained_tags, seed=settings.seed))
    noun_verb = evaluate_noun_verb(backend, probes, challenge)
    names = ["the embeddings", *(f"layer {layer}" for layer in range(backend.num_layers))]
    ewt, verbs, everything = "EWT dev", "noun-verb challenge dev", "all layers together"
    figures = [
        accuracy_figure("combined_tag_accuracy", f"Part of speech, {everything}", ewt, tags["combined"]),
        accuracy_figure("combined_noun_verb_accuracy", f"Verb or not, {everything}", verbs, noun_verb["combined"]),
        accuracy_figure(
            "combined_verb_over_noun_accuracy",
            f"VERB likelier than NOUN, {everything}",
            verbs,
            noun_verb["combined_verb_over_noun"],
        ),
    ]
    for stem, what, test_set, measured in (
        ("tag_accuracy", "Part of speech", ewt, tags),
        ("control_accuracy", "Control task", f"{ewt}, random tags", control),
        ("noun_verb_accuracy", "Verb or not", verbs, noun_verb),
    ):
        for index, (name, row) in enumerate(zip(names, measured["per_layer"], strict=True)):
            figures.append(accuracy_figure(f"{stem}_{index}", f"{what}, from {name}", test_set, row))
    return tuple(figures)


def _card_of(model: str, settings: Settings, figures: tuple[Figure, ...]) -> Card:
    """The model card of a model's probes."""
    return Card(
        name=f"{model}-probes",
        what=(
            f"Linear probes on the hidden states of the model {model!r}, which stays as it is: softmax regressions "
            "from the state of a word (the mean over its pieces) to its universal part of speech. One reads the "
            "embeddings, one each layer, and one all of them side by side. Control probes of the same size learned a "
            "fixed random tag for every word form (Hewitt and Liang 2019): accuracy minus control accuracy is "
            "selectivity."
        ),
        command=f"python -m encoder.training.train probes --model {model} --data FOLDER --seed {settings.seed}",
        data=(
            EWT_CREDIT,
            "Which words of it occur as noun and as verb: the training rows of noun_verb_homographs, taken from EWT; "
            "in the combined probe these words count more.",
            CHALLENGE_CREDIT,
            BUNDLED_CREDIT,
        ),
        settings=asdict(settings),
        figures=figures,
        limits=(
            "A probe shows what can be read off a state, not what the model uses.",
            "The settings of the combined probe were chosen on the development sets that its figures are from; so was "
            f"the probability from which on a word of the challenge counts as a verb, {VERB_THRESHOLD}.",
            "It was fitted to single sentences of web text, split into words as the treebank splits them: in typed "
            'text "don\'t" is one word here, and two there.',
        ),
    )


class Softmaxes(torch.nn.Module):
    """P softmax regressions in parallel, on standardised inputs: (B, P, D) to (B, P, C)."""

    def __init__(self, mean: Tensor, scale: Tensor, classes: int) -> None:
        super().__init__()
        self.mean, self.scale = mean, scale  # (P, D)
        self.weight = torch.nn.Parameter(torch.zeros(*mean.shape, classes, device=mean.device))
        self.bias = torch.nn.Parameter(torch.zeros(len(mean), classes, device=mean.device))

    def forward(self, states: Tensor, dropout: float = 0.0) -> Tensor:
        inputs = F.dropout((states - self.mean) / self.scale, dropout, self.training)
        return torch.einsum("bpd,pdc->bpc", inputs, self.weight) + self.bias

    def plain(self) -> tuple[Tensor, Tensor]:
        """Equivalent (P, C, D) weights and (P, C) biases for unstandardised inputs, on the CPU."""
        weight = (self.weight / self.scale.unsqueeze(-1)).transpose(1, 2)
        bias = self.bias - torch.einsum("pcd,pd->pc", weight, self.mean)
        return weight.detach().cpu(), bias.detach().cpu()


def fit(
    states: NDArray[np.float16],
    targets: Tensor,
    settings: Settings,
    *,
    what: str,
    epochs: int,
    learning_rate: float,
    weight_decay: float,
    dropout: float = 0.0,
    weights: Tensor | None = None,
    device: torch.device | None = None,
) -> Softmaxes:
    """Fit softmax regressions by AdamW, with a learning rate that decays to 0.

    Args:
        states, targets: (N, P, D) inputs and (N, P) classes.
        weights: (N,) weights of the rows in the loss.
    """
    torch.manual_seed(settings.seed)
    sample = torch.from_numpy(states[:: max(1, len(states) // 20_000)]).float().to(device)
    model = Softmaxes(sample.mean(0), sample.std(0).clamp(min=1e-3), len(TAGS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=weight_decay)
    steps = epochs * -(-len(states) // settings.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    bar = tqdm(total=steps, desc=what, unit=" batches")
    for _ in range(epochs):
        for rows in torch.randperm(len(states)).split(settings.batch):
            outputs = model(torch.from_numpy(states[rows.numpy()]).float().to(device), dropout)  # (B, P, C)
            wanted = targets[rows].to(device)  # (B, P)
            loss = F.cross_entropy(outputs.transpose(1, 2), wanted, reduction="none").sum(1)  # (B,)
            if weights is None:
                mean_loss = loss.mean()
            else:
                counts = weights[rows].to(device)  # (B,)
                mean_loss = (loss * counts).sum() / counts.sum()
            optimizer.zero_grad()
            mean_loss.backward()
            optimizer.step()
            schedule.step()
            bar.update()
    bar.close()
    return model.eval()
