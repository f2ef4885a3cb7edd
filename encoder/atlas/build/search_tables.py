"""The tables that searches read: the sentences, and for each word the other word that each head looks at most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from numpy.typing import NDArray

from encoder.atlas.build.layout import Encoded
from encoder.atlas.build.reduction import Reduced
from encoder.atlas.tables import HUNDREDTHS, looks_schema


def text_rows(texts: Sequence[Encoded]) -> Iterator[dict[str, Any]]:
    """One row per sentence, in order."""
    for sentence, tokens in texts:
        places = {word: position for position, word in reversed(list(enumerate(tokens.word_ids))) if word is not None}
        yield {
            "where": sentence.where,
            "name": sentence.name,
            "words": list(sentence.words),
            "tags": sentence.tags and list(sentence.tags),
            "relations": sentence.tree and list(sentence.tree.relations),
            "heads": sentence.tree and list(sentence.tree.heads),
            "b_start": sentence.b_start,
            "tokens": [places.get(word) for word in range(len(sentence.words))] + [len(tokens)],
        }


class Looks:
    """Collects, batch by batch, the other word that each head looks at most from each word of a shard's texts."""

    def __init__(self, texts: Sequence[Encoded], layers: int, heads: int) -> None:
        self.schema = looks_schema(layers, heads)
        self.texts = texts
        self._words: list[NDArray[np.int64]] = [np.empty((0, 2), dtype=np.int64)]  # sentence and word
        self._looked_at: list[NDArray[np.int16]] = [np.empty((0, layers * heads), dtype=np.int16)]
        self._weights: list[NDArray[np.uint8]] = [np.empty((0, layers * heads), dtype=np.uint8)]

    def add(self, rows: Sequence[int], reduced: Reduced) -> None:
        """Add the looks of texts that were reduced as a batch; a word alone in its sentence has none."""
        word = reduced.layout.word  # (B, T)
        has_other = (reduced.strength[:, 0, 0] >= 0) & reduced.layout.is_word  # (B, T)
        row, token = has_other.nonzero(as_tuple=True)  # (N,) each
        places = reduced.strongest[row, :, :, token].flatten(1)  # (N, L * H)
        weights = reduced.strength[row, :, :, token].flatten(1)  # (N, L * H)
        sentences = torch.tensor(rows, device=word.device)[row]  # (N,)
        self._words.append(torch.stack((sentences, word[row, token]), dim=1).cpu().numpy())
        self._looked_at.append(word[row[:, None], places].to(torch.int16).cpu().numpy())
        self._weights.append((weights * HUNDREDTHS).round().to(torch.uint8).cpu().numpy())

    def table(self) -> pa.Table:
        """The looks, in the order of the sentences and their words."""
        words, looked_at = np.concatenate(self._words), np.concatenate(self._looked_at)
        weights = np.concatenate(self._weights)
        order = np.lexsort((words[:, 1], words[:, 0]))
        of_heads = zip(looked_at[order].T, weights[order].T, strict=True)
        values = [*words[order].T, *(column for of_head in of_heads for column in of_head)]
        columns = [pa.array(column, field.type) for column, field in zip(values, self.schema, strict=True)]
        return pa.table(columns, schema=self.schema)


def renumbered(tables: Iterable[pa.Table], sentences: Iterable[int]) -> Iterator[pa.Table]:
    """Renumber the sentences of tables of looks, so that they can be concatenated; `sentences` counts those of each."""
    first = 0
    for table, count in zip(tables, sentences, strict=True):
        yield table.set_column(0, "sentence", pc.add(table["sentence"], pa.scalar(first, pa.int32())))
        first += count
