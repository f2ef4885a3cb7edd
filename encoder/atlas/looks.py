"""Where every head looks from every word: the other word that it looks at most, and how hard. Searches read this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from encoder.atlas.layout import Encoded
from encoder.atlas.reduction import Reduced
from encoder.atlas.tables import HUNDREDTHS, looks_schema


class Looks:
    """Collects the looks of a shard's words, batch by batch.

    Args:
        texts: of the shard; a row's `sentence` is an index of them.
    """

    def __init__(self, texts: Sequence[Encoded], layers: int, heads: int) -> None:
        self.schema = looks_schema(layers, heads)
        self.size = layers * heads
        self.texts = texts
        self.rows: list[NDArray[np.int64]] = []

    def add(self, rows: Sequence[int], reduced: Reduced) -> None:
        """Keep the looks of some texts, which were reduced as a batch; words without another one have none."""
        word = reduced.layout.word  # (B, T)
        places = reduced.strongest.flatten(1, 2)  # (B, L * H, T)
        looked_at = word[:, None].expand(places.shape).gather(-1, places)  # (B, L * H, T)
        strength = reduced.strength.flatten(1, 2)  # (B, L * H, T)
        has_other = (strength[:, 0] >= 0) & reduced.layout.is_word  # (B, T)
        row, token = (index.cpu().numpy() for index in has_other.nonzero(as_tuple=True))  # (N,)
        kept = np.empty((len(row), 2 + 2 * self.size), dtype=np.int64)
        kept[:, 0] = np.asarray(rows)[row]
        kept[:, 1] = word.cpu().numpy()[row, token]
        kept[:, 2::2] = looked_at.cpu().numpy()[row, :, token]
        kept[:, 3::2] = np.rint(strength.cpu().numpy()[row, :, token] * HUNDREDTHS)
        self.rows.append(kept)

    def table(self) -> pa.Table:
        """In the order of the sentences and their words."""
        width = 2 + 2 * self.size
        kept = np.concatenate([np.empty((0, width), dtype=np.int64), *self.rows])
        ordered = kept[np.lexsort((kept[:, 1], kept[:, 0]))]
        columns = [pa.array(ordered[:, index], field.type) for index, field in enumerate(self.schema)]
        return pa.table(columns, schema=self.schema)


def renumbered(tables: Iterable[pa.Table], sentences: Iterable[int]) -> Iterator[pa.Table]:
    """Tables of looks as parts of one, each with its sentences behind those of the ones before.

    Args:
        sentences: how many each table's sentences are.
    """
    first = 0
    for table, count in zip(tables, sentences, strict=True):
        yield table.set_column(0, "sentence", pc.add(table["sentence"], pa.scalar(first, pa.int32())))
        first += count
