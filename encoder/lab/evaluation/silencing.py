"""Measure how silencing each head changes a model's outputs: `python -m encoder.evaluation.silencing ATLAS`.

ATLAS is a folder that `python -m encoder.atlas build` wrote. The command adds a table with one row per head:

- `shift`: one minus the cosine of a sentence's vectors with and without the head, as a mean over the first sentences
  that the atlas was measured on, with its 95 % interval;
- `accuracy_change`, for a model with a sentiment head and with `--sst`: how the share of right answers changes over
  sentences that are negative or positive, with the 95 % interval of the paired difference; `accuracy` is the share
  with all heads.

The other rows show what to expect of a random head.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from encoder.arguments import positive
from encoder.atlas.plan import check_same_weights, read_about
from encoder.atlas.tables import SILENCING, read_table, table_of, write_table
from encoder.attribution.quantities import ClassQuantity, SimilarityQuantity, measure
from encoder.catalogue import load
from encoder.errors import UnsupportedModelError, reports_errors
from encoder.lab.command import command_parser
from encoder.lab.training.data import Review, read_reviews
from encoder.lab.training.figures import NEGATIVE, POSITIVE
from encoder.measures.inference import FEWEST, mean
from encoder.models.base import Backend
from encoder.models.device import add_device_option
from encoder.models.labels import SENTIMENTS
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens

SENTENCES = 256


def silence(atlas: Path, *, sentences: int = SENTENCES, sst: Path | None = None, device: str | None = None) -> None:
    """Add the table `silencing` to an atlas.

    Args:
        sentences: number of the atlas's sentences to use.
        sst: a file of reviews with their sentiment.
    Raises:
        AtlasError: there is no atlas, or the model's weights have changed.
        DataError: the reviews are missing or damaged, or none is negative or positive.
        ModelError: the model cannot be loaded, or has no sentiment head for the reviews.
    """
    about = read_about(atlas)
    backend = load(about["model"], device=device)
    check_same_weights(atlas, about["model_checksum"], backend)
    texts = read_table(atlas / "sentences.parquet").slice(0, sentences)
    pairs = zip(texts["words"].to_pylist(), texts["b_start"].to_pylist(), strict=True)
    tokens = [backend.tokenize(words[:b_start], words[b_start:] if b_start else None) for words, b_start in pairs]
    reviews = [] if sst is None else [one for one in read_reviews(sst) if one.sentiment in (NEGATIVE, POSITIVE)]
    name = sst and sst.name.partition(".")[0]
    table = table_of((row | {"reviews": name} for row in silencing_rows(backend, tokens, reviews)), SILENCING)
    write_table(atlas / "silencing.parquet", table, {key: about[key] for key in ("model", "model_checksum")})


def silencing_rows(backend: Backend, texts: Sequence[Tokens], reviews: Sequence[Review]) -> Iterator[dict[str, Any]]:
    """The rows of the table, head by head.

    Args:
        texts: at least two, whose vectors are compared.
        reviews: negative and positive ones; empty to leave out the accuracy.
    Raises:
        UnsupportedModelError: there are reviews, and the model has no sentiment head.
    """
    vectors = [states[-1].mean(0) for states in backend.hidden_states(texts)]
    cosines = [SimilarityQuantity(vector) for vector in vectors]
    read = [backend.tokenize(review.text) for review in reviews]
    if read and getattr(backend.run(read[0]).prediction, "labels", None) != SENTIMENTS:
        raise UnsupportedModelError(f"{backend.name} has no sentiment head: leave --sst out.")
    before = _right(backend, read, reviews)
    heads = list(np.ndindex(backend.num_layers, backend.num_heads))
    for layer, head in tqdm(heads, desc="heads", disable=None):
        silenced = [(layer, head)]
        shifts = 1 - measure(backend, texts, cosines, silenced_heads=silenced)
        row = {"layer": layer, "head": head, "n": len(texts)} | _interval(shifts, "shift", "low", "high")
        if read:
            change = _right(backend, read, reviews, silenced) - before
            row |= {"num_reviews": len(read), "accuracy": float(before.mean())}
            row |= _interval(change, "accuracy_change", "change_low", "change_high")
        yield row


def _right(
    backend: Backend, texts: Sequence[Tokens], reviews: Sequence[Review], silenced: Sequence[tuple[int, int]] = ()
) -> FloatArray:
    """(N,) whether the likelier class is the right one, 0 or 1."""
    if not texts:
        return np.zeros(0, dtype=np.float32)
    log_odds = measure(backend, texts, ClassQuantity(POSITIVE, (NEGATIVE,)), silenced_heads=silenced)
    published = np.array([review.sentiment == POSITIVE for review in reviews])
    return ((log_odds > 0) == published).astype(np.float32)


def _interval(values: FloatArray, *names: str) -> dict[str, float]:
    """The mean and the bounds of its interval, under the given names."""
    return dict(zip(names, mean(values)[:3], strict=True))


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for a faulty file or model."""
    parser = command_parser("encoder.evaluation.silencing", __doc__)
    parser.add_argument("atlas", type=Path, metavar="ATLAS")
    parser.add_argument("--sentences", type=positive, default=SENTENCES, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--sst", type=Path, help="sentences with a sentiment, such as sst_dev.tsv.gz")
    add_device_option(parser)
    args = parser.parse_args(arguments)
    if args.sentences < FEWEST:
        parser.error(f"--sentences takes a number of sentences, at least {FEWEST}")
    silence(args.atlas, sentences=args.sentences, sst=args.sst, device=args.device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
