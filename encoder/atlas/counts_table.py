"""Counts as a table and back, without the loss of a bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from encoder.atlas.counts import Counts
from encoder.atlas.names import DIRECTIONS, HABITS, OFFSETS
from encoder.atlas.tables import COUNTS, table_of
from encoder.errors import AtlasError

Row = dict[str, Any]


def counts_to_table(counts: Counts) -> pa.Table:
    """One row a number or two, in an order that depends on the counts alone."""
    return table_of(_rows(counts), COUNTS)


def _rows(counts: Counts) -> Iterator[Row]:
    for name in ("sentences", "words", "looks"):
        yield {"quantity": "total", "name": name, "n": getattr(counts, name)}
    for index, habit in enumerate(HABITS):
        n = int(counts.habit_sentences[index])
        yield {"quantity": "chance", "name": habit, "n": n, "total": float(counts.chance_sums[index])}
    for layer, head in np.ndindex(*counts.shape):
        at = {"layer": layer, "head": head}
        for index, habit in enumerate(HABITS):
            sums = counts.habit_sums[layer, head, index], counts.habit_squares[layer, head, index]
            yield {"quantity": "habit", "name": habit, **at, "total": float(sums[0]), "squares": float(sums[1])}
        for index, offset in enumerate(OFFSETS):
            yield {"quantity": "look", **at, "offset": offset, "n": int(counts.looks_at[layer, head, index])}
    for relation, of_relation in sorted(counts.relations.items()):
        for offset, n in sorted(of_relation.offsets.items()):
            yield {"quantity": "offset", "name": relation, "offset": offset, "n": n}
        for direction, layer, head in np.ndindex(*of_relation.right.shape):
            right = int(of_relation.right[direction, layer, head])
            at = {"direction": DIRECTIONS[direction], "layer": layer, "head": head}
            yield {"quantity": "relation", "name": relation, **at, "n": of_relation.n, "right": right}
    for relation, n in sorted(counts.mixture_n.items()):
        yield {"quantity": "mixture", "name": relation, "n": n, "right": counts.mixture_right[relation]}


def counts_of_table(table: pa.Table, layers: int, heads: int) -> Counts:
    """The counts that `counts_to_table` made a table of.

    Raises:
        AtlasError: the table is of a model with other layers and heads, or of other counts.
    """
    counts = Counts.none(layers, heads)
    try:
        for row in table.to_pylist():
            _READERS[row["quantity"]](counts, row)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise AtlasError(f"These counts are not those of {layers} layers and {heads} heads.") from error
    return counts


def _read_total(counts: Counts, row: Row) -> None:
    setattr(counts, row["name"], row["n"])


def _read_chance(counts: Counts, row: Row) -> None:
    index = HABITS.index(row["name"])
    counts.habit_sentences[index], counts.chance_sums[index] = row["n"], row["total"]


def _read_habit(counts: Counts, row: Row) -> None:
    at = row["layer"], row["head"], HABITS.index(row["name"])
    counts.habit_sums[at], counts.habit_squares[at] = row["total"], row["squares"]


def _read_look(counts: Counts, row: Row) -> None:
    counts.looks_at[row["layer"], row["head"], OFFSETS.index(row["offset"])] = row["n"]


def _read_offset(counts: Counts, row: Row) -> None:
    counts.relation(row["name"]).offsets[row["offset"]] = row["n"]


def _read_relation(counts: Counts, row: Row) -> None:
    of_relation = counts.relation(row["name"])
    of_relation.n = row["n"]
    of_relation.right[DIRECTIONS.index(row["direction"]), row["layer"], row["head"]] = row["right"]


def _read_mixture(counts: Counts, row: Row) -> None:
    counts.mixture_n[row["name"]], counts.mixture_right[row["name"]] = row["n"], row["right"]


_READERS: dict[str, Callable[[Counts, Row], None]] = {
    "total": _read_total,
    "chance": _read_chance,
    "habit": _read_habit,
    "look": _read_look,
    "offset": _read_offset,
    "relation": _read_relation,
    "mixture": _read_mixture,
}
