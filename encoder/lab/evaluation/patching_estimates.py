"""Compare estimates from gradients with exact runs: `python -m encoder.lab.evaluation.patching_estimates --model NAME`.

For each sentence, the effect of silencing each head is estimated from one backward pass and measured by exact runs.
With `--tokens`, the effect of patching each token at each layer from the sentence with its middle word masked. Prints
one JSON object:

- `median`, `lowest_tenth`: Spearman's rank correlation of the two over heads (or over tokens and layers);
- `times_faster`: the median over sentences of the exact runs' time over the estimate's.

The quantities: "class", the log-odds of a sentence's positive class against its negative one, over sentences with a
sentiment (`--sst`); "part of speech", the log-odds of the two likeliest of a word, and "shift", its cosine distance to
its state in a sentence of another sense, over the shipped sentences of the word lens.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from tqdm import tqdm

from encoder.arguments import positive
from encoder.attribution.patching_estimates import (
    patching_effects,
    patching_estimates,
    silencing_effects,
    silencing_estimates,
)
from encoder.attribution.quantities import ClassQuantity, OutputNumber, ShiftQuantity, TagQuantity
from encoder.attribution.removals import removable_units, without
from encoder.catalogue import load
from encoder.errors import ArgumentError, reports_errors
from encoder.experiments.senses.rows import SenseRow, shipped_senses
from encoder.lab.command import command_parser
from encoder.lab.training.data import read_reviews
from encoder.lab.training.figures import NEGATIVE, POSITIVE
from encoder.measures.head_effects import two_likeliest_classes
from encoder.measures.ranks import rank_correlation
from encoder.measures.units import occurrence_states
from encoder.models.base import Backend
from encoder.models.device import add_device_option
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import load_probes
from encoder.text.occurrences import positions_of_span
from encoder.text.tokens import Tokens

QuantityName = Literal["class", "part of speech", "shift"]


class Case(NamedTuple):
    """The effects on one text, estimated and exact: (L, H), or (L + 1, T) if tokens are patched."""

    estimate: Callable[[], FloatArray]
    exact: Callable[[], FloatArray]


def evaluate(cases: Sequence[Case]) -> dict[str, Any]:
    """The figures of estimates on some texts. Raises ArgumentError if there are none."""
    if not cases:
        raise ArgumentError("There is no text to measure on.")
    correlations, ratios = [], []
    for case in tqdm(cases, disable=None):
        started = time.perf_counter()
        estimate = case.estimate()
        between = time.perf_counter()
        exact = case.exact()
        ratios.append((time.perf_counter() - between) / (between - started))
        correlations.append(rank_correlation(estimate, exact))
    return {
        "n": len(cases),
        "median": float(np.median(correlations)),
        "lowest_tenth": float(np.quantile(correlations, 0.1)),
        "times_faster": float(np.median(ratios)),
    }


def _head_case(backend: Backend, tokens: Tokens, quantity: OutputNumber, *, second_gradient: bool = False) -> Case:
    """Each head silenced."""
    return Case(
        lambda: silencing_estimates(backend, tokens, quantity, second_gradient=second_gradient),
        lambda: silencing_effects(backend, tokens, quantity),
    )


def _token_case(backend: Backend, source: Tokens, target: Tokens, quantity: OutputNumber) -> Case:
    """Each token at each hidden state patched, from a text of as many tokens."""
    return Case(
        lambda: patching_estimates(backend, source, target, quantity),
        lambda: patching_effects(backend, source, target, quantity),
    )


def _class_cases(
    backend: Backend, texts: Iterable[str], *, patched: bool = False, second_gradient: bool = False
) -> Iterator[Case]:
    """The log-odds of the positive class of some sentences.

    Args:
        patched: patch each token from the sentence with its middle word masked, instead of silencing each head.
        second_gradient: of `silencing_estimates`.
    """
    quantity = ClassQuantity(POSITIVE, (NEGATIVE,))
    for text in texts:
        tokens = backend.tokenize(text)
        if patched:
            units = removable_units(tokens, level="words")
            source = without(tokens, units[len(units) // 2], "mask", backend=backend)
            yield _token_case(backend, source, tokens, quantity)
        else:
            yield _head_case(backend, tokens, quantity, second_gradient=second_gradient)


def _word_cases(
    backend: Backend, name: QuantityName, rows: Sequence[SenseRow], *, second_gradient: bool = False
) -> Iterator[Case]:
    """The part of speech, or the shift from a sentence of another sense, of the word of each row, by silenced heads."""
    probes = load_probes(backend.name) if name == "part of speech" else None
    for row in rows:
        tokens = backend.tokenize(row.text)
        positions = positions_of_span(tokens, row.span)
        if probes is None:
            state = _last_state(backend, next(other for other in rows if _is_other_sense(row, other)))  # (1, D)
            quantity: OutputNumber = ShiftQuantity(positions=positions, state_index=backend.num_layers, other=state[0])
        else:
            scores = probes.scores(_last_state(backend, row), backend.num_layers)  # (1, C)
            (classes,) = two_likeliest_classes(scores)
            quantity = TagQuantity.of_probes(probes, positions, backend.num_layers, classes)
        yield _head_case(backend, tokens, quantity, second_gradient=second_gradient)


def _last_state(backend: Backend, row: SenseRow) -> FloatArray:
    """(1, D) of a row's word."""
    tokens = backend.tokenize(row.text)
    states = next(backend.hidden_states([tokens]))  # (L + 1, T, D)
    return occurrence_states(states[-1:], positions_of_span(tokens, row.span))


def _is_other_sense(row: SenseRow, other: SenseRow) -> bool:
    return other.word == row.word and other.sense != row.sense


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for a faulty file or model."""
    parser = command_parser("encoder.lab.evaluation.patching_estimates", __doc__)
    parser.add_argument("--model", required=True, help="a name that encoder.load takes")
    parser.add_argument("--quantity", choices=get_args(QuantityName), default="class")
    parser.add_argument("--sst", type=Path, help="sentences with a sentiment, such as sst_dev.tsv.gz, for the class")
    parser.add_argument("--tokens", action="store_true", help="patch each token instead of silencing each head")
    parser.add_argument(
        "--second-gradient", action="store_true", help="also use the gradients where each head is silenced"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="the first N sentences")
    add_device_option(parser)
    args = parser.parse_args(arguments)
    if (args.quantity == "class") != (args.sst is not None):
        parser.error("--sst FILE goes with the quantity “class”, and the others take the shipped sentences")
    if args.tokens and (args.quantity != "class" or args.second_gradient):
        parser.error("--tokens goes with the quantity “class”, and without --second-gradient")
    backend = load(args.model, device=args.device)
    if args.quantity == "class":
        reviews = [review.text for review in read_reviews(args.sst)]
        cases = _class_cases(backend, reviews, patched=args.tokens, second_gradient=args.second_gradient)
    else:
        cases = _word_cases(backend, args.quantity, shipped_senses(), second_gradient=args.second_gradient)
    figures = evaluate(list(islice(cases, args.limit)))
    about = {"model": args.model, "quantity": args.quantity, "changed": "tokens" if args.tokens else "heads"}
    sys.stdout.write(json.dumps(about | figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
