"""The sentences of the measuring half as a table, which examples and searches name them from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from encoder.atlas.layout import Encoded

TEXTS = pa.schema(
    [("where", pa.string()), ("name", pa.string())]
    + [(name, pa.list_(pa.string())) for name in ("words", "tags", "relations")]
    + [("heads", pa.list_(pa.int32())), ("b_start", pa.int32()), ("tokens", pa.list_(pa.int32()))]
)


def text_rows(texts: Sequence[Encoded]) -> Iterator[dict[str, Any]]:
    """One row a sentence, in their order."""
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
