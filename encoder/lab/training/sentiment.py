"""Train sentiment for the bundled BERT: `python -m encoder.training.train sentiment`.

Trains a low-rank adapter with a head (`adapter.py`), or only a head on the frozen model.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from encoder.arguments import positive
from encoder.lab.training.adapter import Settings, Training, loss_of, metadata_of, shipped_tensors, useful_phrases
from encoder.lab.training.data import Review, find_file, read_reviews
from encoder.lab.training.evaluate import evaluate_reviews
from encoder.lab.training.examples import encode_reviews
from encoder.lab.training.figures import sentiment_card_figures
from encoder.lab.training.loop import on_cpu
from encoder.lab.training.output import BUNDLED_CREDIT, SST_CREDIT, Card, save_tensors, write_card
from encoder.models.base import Backend
from encoder.models.labels import SENTIMENTS
from encoder.models.loading import load_folder
from encoder.shipped.bundled import HEAD, bundled_folder
from encoder.shipped.names import BUNDLED, TUNED
from encoder.shipped.sentiment import PooledState, load_with_adapter, load_with_head, pool_states, read_head
from encoder.text.tokenizer import Tokenizer

REVIEWS_ONLY = "It learned from sentences and phrases of film reviews: about anything else its answer is a guess."
ONE_TEXT = "It read single texts; of a pair it gives one answer for both."


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenSettings:
    """How the head of the frozen model is fitted; the defaults are those of the shipped head."""

    seed: int = 0
    states: tuple[PooledState, ...] = ((4, "cls"), (4, "mean"), (5, "cls"), (5, "mean"))
    decay: float = 1e-2  # of the squared weights, on standardised inputs
    score_weight: float = 10.0
    iterations: int = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `python -m encoder.training.train sentiment`."""
    parser.add_argument(
        "--frozen", action="store_true", help="train only a head on the frozen model instead, in seconds"
    )
    parser.add_argument("--epochs", type=positive, default=Settings().epochs)
    parser.add_argument("--resume", action="store_true", help="resume the training that was interrupted in --out")


def run(args: argparse.Namespace) -> None:
    """Train, and write weights and model card to `args.out`."""
    sentences = read_reviews(find_file(args.data, "sst_train.tsv"))
    dev = read_reviews(find_file(args.data, "sst_dev.tsv"))
    if args.frozen:
        _fit_frozen(sentences, dev, args.out, args.device)
        return
    settings = Settings(seed=args.seed, epochs=args.epochs)
    phrases = useful_phrases(read_reviews(find_file(args.data, "sst_phrases_train.tsv")), sentences, settings)
    folder = bundled_folder()
    backend = load_folder(TUNED, folder)
    tokenizer = Tokenizer.from_folder(folder, max_length=settings.max_length)
    training = Training(settings, backend.model, device=args.device)
    state = args.out / f"{TUNED}-training.pt"
    if args.resume:
        training.resume(state)
    encoded = [encode_reviews(tokenizer, rows) for rows in (sentences, phrases, dev)]
    training.run(partial(training.run_epoch, *encoded), state=state)
    tensors, extras = shipped_tensors(training.best["tensors"]), metadata_of(settings, backend.num_layers)
    save_tensors(args.out / f"{TUNED}.safetensors", tensors, extras)
    tuned = load_with_adapter(folder, tensors, extras).to(args.device)
    measured = evaluate_reviews(tuned, dev)
    write_card(args.out, TUNED, _card_of(training, measured))
    state.unlink()


def _fit_frozen(sentences: Sequence[Review], dev: Sequence[Review], out: Path, device: torch.device) -> None:
    """Fit a head on the frozen bundled model, and write it with its model card."""
    settings = FrozenSettings()
    backend = load_folder(BUNDLED, bundled_folder()).to(device)
    inputs = features(backend, sentences, settings.states)
    labels = torch.tensor([review.sentiment for review in sentences])
    scores = torch.tensor([review.score for review in sentences])
    tensors = fit(inputs, labels, scores, settings, device=device)
    extras = {"states": json.dumps(settings.states)}
    save_tensors(out / f"{HEAD}.safetensors", tensors, extras)
    fitted = load_with_head(bundled_folder(), read_head(tensors, extras))
    measured = evaluate_reviews(fitted.to(device), dev)
    write_card(out, HEAD, _frozen_card(settings, measured))


def _frozen_card(settings: FrozenSettings, measured: Mapping[str, Any]) -> Card:
    """The model card of the frozen model's head."""
    states = ", ".join(
        f"{pooling} of {f'layer {state_index - 1}' if state_index else 'the embeddings'}"
        for state_index, pooling in settings.states
    )
    return Card(
        name=HEAD,
        what=(
            "A sentiment head for the untouched bundled model (all-MiniLM-L6-v2): one linear layer, for three classes "
            f"and for the score, on its states as they are ({states}). The model itself was never trained on sentiment."
        ),
        command="python -m encoder.training.train sentiment --frozen --data FOLDER",
        data=(SST_CREDIT, BUNDLED_CREDIT),
        settings=asdict(settings),
        figures=sentiment_card_figures(measured),
        limits=(
            "Its sentences were those of film reviews: about anything else its answer is a guess.",
            "Which states it reads was chosen on the development set that the figures are from.",
            ONE_TEXT,
        ),
    )


def _card_of(training: Training, measured: Mapping[str, Any]) -> Card:
    """The model card of a finished training."""
    settings = training.settings
    return Card(
        name=TUNED,
        what=(
            "The bundled model (all-MiniLM-L6-v2), fine-tuned on sentiment: a low-rank adapter on every linear layer "
            f"of its encoder (LoRA, rank {settings.rank}), merged into plain weights when it is loaded, and one linear "
            f"head on the {'mean of the last states' if settings.pooling == 'mean' else 'last state of [CLS]'}, for "
            "three classes and for the score."
        ),
        command=(
            f"python -m encoder.training.train sentiment --data FOLDER --seed {settings.seed} "
            f"--epochs {settings.epochs}"
        ),
        data=(SST_CREDIT, BUNDLED_CREDIT),
        settings=asdict(settings) | {"best_epoch": training.best["epoch"], "peft": version("peft")},
        figures=sentiment_card_figures(measured),
        limits=(
            REVIEWS_ONLY,
            "It was chosen among its epochs by the development set that the figures are from, so they flatter it a "
            "little.",
            ONE_TEXT,
        ),
        extra={"history": training.history},
    )


def features(backend: Backend, reviews: Sequence[Review], states: tuple[PooledState, ...]) -> NDArray[np.float32]:
    """(N, P) pooled states of all texts."""
    return np.stack(
        [
            pool_states(backend.trace(review.text).hidden_states, states)
            for review in tqdm(reviews, desc="states of SST train", unit=" sentences")
        ]
    )


def fit(
    inputs: NDArray[np.float32],
    labels: Tensor,
    scores: Tensor,
    settings: FrozenSettings,
    *,
    device: torch.device | None = None,
) -> dict[str, Tensor]:
    """Fit the head to (N, P) pooled states by L-BFGS; the problem is convex, so the seed does not matter."""
    x, labels, scores = torch.from_numpy(inputs).to(device), labels.to(device), scores.to(device)
    mean, scale = x.mean(0), x.std(0).clamp(min=1e-3)  # (P,)
    x = (x - mean) / scale
    weight = torch.zeros(len(SENTIMENTS) + 1, x.shape[1], device=device, requires_grad=True)
    bias = torch.zeros(len(SENTIMENTS) + 1, device=device, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=settings.iterations, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = loss_of(x @ weight.T + bias, labels, scores, settings.score_weight)
        total = loss + settings.decay * weight.square().sum()
        total.backward()
        return total

    optimizer.step(closure)
    with torch.no_grad():
        plain = weight / scale
        return on_cpu({"head.weight": plain.half(), "head.bias": bias - plain @ mean})
