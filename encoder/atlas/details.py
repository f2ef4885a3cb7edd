"""The tables that are made from a sample: examples with their sentences, the likeness of heads, the mixture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from encoder.atlas.counts import Floats
from encoder.atlas.examples import EXAMPLES, TEXTS, keep_best
from encoder.atlas.likeness import LIKENESS, combine
from encoder.atlas.names import DIRECTIONS
from encoder.atlas.tables import MIXTURE, table_of


class Details(NamedTuple):
    """Examples, the sentences that they are in, and the likeness of heads, as rows."""

    examples: list[dict[str, Any]]
    sentences: list[dict[str, Any]]
    likeness: list[dict[str, Any]]

    def tables(self) -> dict[str, pa.Table]:
        """By the name of their files."""
        return {
            "examples": table_of(self.examples, EXAMPLES),
            "sentences": table_of(self.sentences, TEXTS),
            "likeness": table_of(self.likeness, LIKENESS),
        }


def combine_details(
    examples: Iterable[pa.Table], sentences: Iterable[pa.Table], likeness: Iterable[pa.Table]
) -> Details:
    """The details of several samples as those of one; sentences without an example are left out."""
    kept = keep_best(row for table in examples for row in table.to_pylist())
    shown = {row["where"] for row in kept}
    texts = [row for table in sentences for row in table.to_pylist() if row["where"] in shown]
    return Details(kept, texts, combine(likeness))


def mixture_rows(weights: Floats | None) -> Iterator[dict[str, Any]]:
    """The weights (2, L, H) of a mixture that are not 0."""
    if weights is None:
        return
    for direction, layer, head in np.argwhere(weights > 0).tolist():
        at = {"direction": DIRECTIONS[direction], "layer": layer, "head": head}
        yield {**at, "weight": float(weights[direction, layer, head])}


def mixture_table(weights: Floats | None) -> pa.Table:
    """The mixture as a table, without rows where there is none."""
    return table_of(mixture_rows(weights), MIXTURE)
