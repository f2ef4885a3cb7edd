"""The tables that are made from a sample: examples, the likeness of heads, the distribution of weights, the mixture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from encoder.atlas.counts import Floats
from encoder.atlas.distribution import DISTRIBUTION, combine_distributions
from encoder.atlas.examples import EXAMPLES, keep_best
from encoder.atlas.likeness import LIKENESS, combine
from encoder.atlas.names import DIRECTIONS
from encoder.atlas.tables import MIXTURE, table_of


class Details(NamedTuple):
    """Examples, the likeness of heads and the distribution of their weights, as rows."""

    examples: list[dict[str, Any]]
    likeness: list[dict[str, Any]]
    distribution: list[dict[str, Any]]

    def tables(self) -> dict[str, pa.Table]:
        """By the name of their files."""
        return {
            "examples": table_of(self.examples, EXAMPLES),
            "likeness": table_of(self.likeness, LIKENESS),
            "distribution": table_of(self.distribution, DISTRIBUTION),
        }


def combine_details(of_name: Callable[[str], Iterable[pa.Table]]) -> Details:
    """The details of several samples as those of one.

    Args:
        of_name: the tables of all samples that have a name.
    """
    return Details(
        examples=keep_best(row for table in of_name("examples") for row in table.to_pylist()),
        likeness=combine(of_name("likeness")),
        distribution=combine_distributions(of_name("distribution")),
    )


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
