"""Measure orders of links: `python -m encoder.lab.evaluation.links --sst FILE --model NAME`.

Of each sentence labelled negative or positive, links are kept in an order until 90 % of the probability of the model's
answer is back: `kept` is the median share of all links. A model without classes answers with the part of speech of the
middle word. For sentences of up to 16 tokens, up to 400 links of weight .01
or more are cut one at a time: `zeroed` and `renormalised` are the rank correlations of the exact effects with estimates
from the gradient at the text, medians over sentences. Prints one JSON object.

Source: Hao et al. (2021), section 4.3, for sets of links; Syed et al. (2023) for the estimate of a single one.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from tqdm import tqdm

from encoder.arguments import positive
from encoder.attribution.carriers import OPENED, Carriers, carriers, gate_gradients
from encoder.attribution.explaining import target_of
from encoder.attribution.layer_runs import layer_runs
from encoder.attribution.linearised import Linearised
from encoder.attribution.methods.alti import alti
from encoder.attribution.questions import Question
from encoder.attribution.routes import agreement
from encoder.catalogue import load
from encoder.errors import reports_errors
from encoder.lab.command import command_parser
from encoder.lab.training.data import read_reviews
from encoder.lab.training.figures import NEUTRAL
from encoder.models.base import Backend
from encoder.models.device import add_device_option
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray

Values = Callable[[Carriers], FloatArray]  # (L, H, T, T)
SHARE: Final = 0.9
MOST_TOKENS: Final = 16


def _gradients(of: Carriers, opened: Sequence[float]) -> FloatArray:
    values: FloatArray = gate_gradients(of.backend, of.target.tokens, of.target.additive, opened).mean(0)
    return values


def _linearised(of: Carriers, opened: Sequence[float]) -> FloatArray:
    with Linearised():
        return _gradients(of, opened)


def _vector_norms(of: Carriers) -> FloatArray:
    """Norms of the vectors that each head adds, of Kobayashi et al. (2020), equation 7."""
    runs = layer_runs(of.backend, of.backend.run(of.target.tokens))
    return np.stack(
        [of.weights[at] * to_numpy(run.transformed_values.norm(dim=-1))[:, None] for at, run in enumerate(runs)]
    )


def _alti(of: Carriers) -> FloatArray:
    """ALTI's shares in each layer, divided among the heads by the norms of their vectors."""
    runs = layer_runs(of.backend, of.backend.run(of.target.tokens))
    norms = _vector_norms(of)
    return np.stack([alti(run) for run in runs])[:, None] * norms / norms.sum(1, keepdims=True)


def _random(of: Carriers) -> FloatArray:
    return np.random.default_rng(len(of.target.tokens)).random(of.values.shape, np.float32)


SOURCES: Final[Mapping[str, Values]] = {
    "integrated gradient": lambda of: _gradients(of, OPENED),
    "gradient at the text": lambda of: _gradients(of, [1.0]),
    "integrated DecompX": lambda of: _linearised(of, OPENED),
    "DecompX": lambda of: _linearised(of, [1.0]),
    "ALTI": _alti,
    "norms of vectors": _vector_norms,
    "weights": lambda of: of.weights,
    "random": _random,
}


def evaluate(backend: Backend, texts: Sequence[str], *, cuts: int = 0) -> dict[str, Any]:
    """The figures of a model with classes, or with parts of speech.

    Args:
        cuts: of how many short texts links are cut one at a time.
    """
    kept, orders = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for text in tqdm(texts, disable=None):
        target = target_of(backend, _question(backend, text))
        of_text = carriers(backend, target, source="weights")
        reaching = np.flatnonzero(of_text.values)
        for name, values in SOURCES.items():
            order = reaching[np.argsort(-values(of_text).ravel()[reaching], kind="stable")]
            kept[name].append(of_text.smallest(SHARE, order) / of_text.size)
        if len(target.tokens) <= MOST_TOKENS and len(orders["zeroed"]) < cuts:
            for name, correlation in _agreements(of_text).items():
                orders[name].append(correlation)
    found: dict[str, Any] = {"model": backend.name, "n": len(texts), "kept": _medians(kept)}
    return found | {"n_cut": len(orders["zeroed"])} | _medians(orders)


def _question(backend: Backend, text: str) -> str | Question:
    """About the class of a text; without classes, about the part of speech of its middle word."""
    trace = backend.trace(text)
    if trace.prediction is not None:
        return text
    middle, last = len(trace.tokens.words) // 2, trace.num_layers - 1
    return Question(kind="part of speech", texts=(text, None), word=middle, layer=last)


def _agreements(of: Carriers) -> dict[str, float]:
    """Rank correlations of the exact effects of single cuts with their estimates."""
    return {
        name: agreement(of.backend, of.target, of.values, of.weights, renormalised=renormalised).estimates
        for name, renormalised in (("zeroed", False), ("renormalised", True))
    }


def _medians(found: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: round(float(np.median(values)), 4) for name, values in found.items() if values}


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for a faulty file or model."""
    parser = command_parser("encoder.lab.evaluation.links", __doc__)
    parser.add_argument("--sst", type=Path, required=True, help="sentences with a sentiment, such as sst_dev.tsv.gz")
    parser.add_argument("--model", required=True, help="a model with classes or parts of speech, such as bundled")
    parser.add_argument("--limit", type=positive, default=200, metavar="N", help="the first N sentences")
    parser.add_argument(
        "--cuts", type=positive, default=50, metavar="N", help="of N short sentences, links are cut singly"
    )
    add_device_option(parser)
    args = parser.parse_args(arguments)
    texts = [review.text for review in read_reviews(args.sst) if review.sentiment != NEUTRAL]
    figures = evaluate(load(args.model, device=args.device), list(islice(texts, args.limit)), cuts=args.cuts)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
