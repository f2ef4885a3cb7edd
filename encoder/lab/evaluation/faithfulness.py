"""Measure attribution methods: `python -m encoder.evaluation.faithfulness --sst FILE --model NAME --method METHOD`.

The sentences are those labelled negative or positive, and the model chooses between these two classes. In a method's
order, the top K % of a sentence's wordpieces are removed, K = 10, 20, ... 90, rounded down:

- `aopc`: the mean fall, over sentences and K, of the probability of the model's answer when pieces are masked;
- `accuracy`: how often the model still gives its answer, in percent, when pieces are masked; lower is better;
- `deletion`: the mean fall of the probability when the top 10 and 20 % are deleted.

Each has a 95 % interval, from the variance between sentences (`aopc_interval` and so on). Prints one JSON object.

Source: Modarressi et al. (2023), table 1; Samek et al. (2017) for the AOPC.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from encoder.arguments import positive
from encoder.attribution.quantities import ClassQuantity, measure
from encoder.attribution.questions import Removal
from encoder.attribution.removals import removable_units, without
from encoder.catalogue import load
from encoder.errors import ArgumentError, UnsupportedModelError, reports_errors
from encoder.lab.command import command_parser
from encoder.lab.evaluation.orders import ORDERS, Explained
from encoder.lab.training.data import Review, read_reviews
from encoder.lab.training.figures import NEGATIVE, NEUTRAL, POSITIVE
from encoder.measures.inference import mean
from encoder.models.base import Backend
from encoder.models.device import add_device_option
from encoder.models.labels import SENTIMENTS
from encoder.runs.arrays import FloatArray

MASKED = tuple(range(10, 100, 10))  # percent
DELETED = (10, 20)


def evaluate(backend: Backend, reviews: Sequence[Review], method: str, *, seed: int = 0) -> dict[str, Any]:
    """The figures of a method on sentences; neutral ones are left out.

    Args:
        method: a name in `encoder.lab.evaluation.orders.ORDERS`.
        seed: of random methods; sentence i uses `seed` + i.
    Raises:
        ArgumentError: there is no such method, or no sentence.
        UnsupportedModelError: the model has no sentiment head, or the method does not apply to it.
    """
    if method not in ORDERS:
        raise ArgumentError(f"There is no method {method!r}; there are {', '.join(ORDERS)}.")
    texts = [backend.tokenize(review.text) for review in reviews if review.sentiment != NEUTRAL]
    if not texts:
        raise ArgumentError("There is no negative or positive sentence to measure on.")
    if getattr(backend.run(texts[0]).prediction, "labels", None) != SENTIMENTS:
        raise UnsupportedModelError(f"{backend.name} has no sentiment head: measure another model.")
    log_odds = measure(backend, texts, ClassQuantity(POSITIVE, (NEGATIVE,)))
    answers = [(POSITIVE, NEGATIVE) if odds > 0 else (NEGATIVE, POSITIVE) for odds in log_odds]
    explained = [
        Explained(backend, tokens, removable_units(tokens), label, other)
        for tokens, (label, other) in zip(texts, answers, strict=True)
    ]
    progress = tqdm(explained, desc=method, disable=None)
    orders = [ORDERS[method](sentence, seed + index) for index, sentence in enumerate(progress)]
    falls, answers_kept = removal_curves(explained, orders, "mask", MASKED)  # (N, K) each
    deleted, _ = removal_curves(explained, orders, "delete", DELETED)  # (N, K)
    about = {"model": backend.name, "method": method, "n": len(texts)}
    return (
        about
        | with_interval("aopc", falls.mean(1))
        | with_interval("accuracy", 100 * answers_kept.mean(1))
        | with_interval("deletion", deleted.mean(1))
    )


def removal_curves(
    explained: Sequence[Explained], orders: Sequence[Sequence[int]], removal: Removal, percents: Sequence[int]
) -> tuple[FloatArray, FloatArray]:
    """The fall of the probability of each of N answers as units are removed in an order.

    Args:
        orders: for each sentence, its units in the order of their removal.
        percents: K shares of units, in percent, rounded down to whole units.
    Returns:
        (N, K) falls in probability, and (N, K) whether the answer stays, 0 or 1.
    """
    probabilities = [sentence.probability for sentence in explained]
    texts, quantities = [], []
    for sentence, order in zip(explained, orders, strict=True):
        for percent in percents:
            gone = [position for unit in order[: len(order) * percent // 100] for position in sentence.units[unit]]
            texts.append(without(sentence.tokens, gone, removal, backend=sentence.backend))
            quantities.append(sentence.probability)
    backend = explained[0].backend
    before = measure(backend, [sentence.tokens for sentence in explained], probabilities)  # (N,)
    after = measure(backend, texts, quantities).reshape(len(explained), len(percents))
    return before[:, None] - after, (after > 0.5).astype(np.float32)


def with_interval(name: str, values: FloatArray) -> dict[str, Any]:
    """The mean over (N,) sentences under a name, and its 95 % interval under NAME_interval; None for too few."""
    found = mean(values)
    return {name: found.value, f"{name}_interval": None if np.isnan(found.low) else [found.low, found.high]}


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for a faulty file or model."""
    parser = command_parser("encoder.evaluation.faithfulness", __doc__)
    parser.add_argument("--sst", type=Path, required=True, help="sentences with a sentiment, such as sst_dev.tsv.gz")
    parser.add_argument("--model", required=True, help="bundled-sentiment, bundled or scratch")
    parser.add_argument("--method", required=True, choices=ORDERS)
    parser.add_argument(
        "--limit", type=positive, metavar="N", help="the first N sentences that are negative or positive"
    )
    parser.add_argument("--seed", type=int, default=0)
    add_device_option(parser)
    args = parser.parse_args(arguments)
    reviews = [review for review in read_reviews(args.sst) if review.sentiment != NEUTRAL]
    backend = load(args.model, device=args.device)
    figures = evaluate(backend, list(islice(reviews, args.limit)), args.method, seed=args.seed)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
