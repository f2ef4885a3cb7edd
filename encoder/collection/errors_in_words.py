"""The errors of a model in words: `python -m encoder.collection.errors_in_words --data TABLE`.

Prints which words drive the errors, what happens when the first ten are deleted from all rows that have them, next to
as many random words, and how good the order of the words is in some of these rows. docs/texts.md has the result for
`bundled-sentiment` on SST dev, by `--data sst_dev.tsv.gz --text natural --label label3`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from encoder.catalogue import load
from encoder.collection.driving_words import TESTED_WORDS, remove_words, row_words, words_of_rows
from encoder.collection.files import open_collection
from encoder.collection.order_quality import order_quality
from encoder.collection.results import results_of_all
from encoder.collection.row_filters import ERRORS
from encoder.collection.table import Collection
from encoder.errors import reports_errors
from encoder.models.base import Backend
from encoder.models.device import add_device_option


def report(model: Backend, collection: Collection, rows: str = ERRORS) -> Iterator[str]:
    """The lines of the report, in Markdown.

    Args:
        rows: a filter, as in `encoder.collection.row_filters`.
    Raises:
        SelectionError: there are no such rows.
        UnsupportedModelError: the model predicts nothing for a whole text, or its tokenizer has no mask token.
    """
    results = results_of_all(model, collection)
    found = words_of_rows(row_words(model, collection, results, rows))
    yield f"{model.name}, {collection.name}: {found.num_rows:,} of {len(results):,} rows ({rows})."
    yield ""
    first = slice(0, TESTED_WORDS)
    yield from _table({name: column[first] for name, column in found.columns.items()})
    yield ""
    removals = [removal.columns for removal in remove_words(model, collection, results, found.words[first])]
    yield from _table({name: [removal[name] for removal in removals] for name in removals[0]})
    yield ""
    order = order_quality(model, collection, results, rows)
    gain, low, high, n = order.gain
    tried = np.isfinite(order.places)
    yield f"AOPC over random orders: {gain:+.3f} ({low:+.3f} to {high:+.3f}, n = {n} rows)."
    if tried.any():
        place, chance = order.places[tried].mean(), order.random_places[tried].mean()
        yield f"NAOPC in {tried.sum()} of them: {place:.2f}, random {chance:.2f}."


def _table(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Columns of equal length in Markdown."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for cells in zip(*columns.values(), strict=True):
        yield f"| {' | '.join(map(_cell, cells))} |"


def _cell(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, (float, np.floating)) else str(value)


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for a faulty table or model."""
    parser = argparse.ArgumentParser(
        prog="python -m encoder.collection.errors_in_words", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("--data", type=Path, required=True, metavar="TABLE", help="texts with labels")
    parser.add_argument("--text", metavar="COLUMN", help="of the texts (default: guessed)")
    parser.add_argument("--label", metavar="COLUMN", help="of the labels (default: guessed)")
    parser.add_argument("--model", default="bundled-sentiment", metavar="NAME", help="(default: %(default)s)")
    parser.add_argument("--rows", default=ERRORS, help="such as “false positives of negative” (default: %(default)s)")
    add_device_option(parser)
    given = parser.parse_args(arguments)
    model = load(given.model, device=given.device)
    for line in report(model, open_collection(given.data, text=given.text, label=given.label), given.rows):
        sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
