"""What a made-up model, "tiny", says of the rows of a table."""

from typing import Any

import numpy as np
import numpy.typing as npt

from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Classes, WithShares
from encoder.collection.kinds.scores import Score


def results(
    shares: npt.ArrayLike,
    gold: npt.ArrayLike,
    labels: tuple[str, ...] = ("bad", "good"),
    *,
    kind: type[WithShares] = Classes,
    **more: Any,
) -> WithShares:
    """Probabilities `shares` (N, C) of rows of 3, 4, 5, ... tokens, and the rows' own classes `gold`."""
    probabilities = np.array(shares, np.float32)
    given = rows_of(len(probabilities)) | {"logits": np.log(probabilities)} | more
    return kind(**given, labels=labels, probabilities=probabilities, gold=np.array(gold, np.int32))


def rows_of(count: int) -> dict[str, Any]:
    lengths = np.arange(3, 3 + count, dtype=np.int32)
    return {"model_name": "tiny", "lengths": lengths} | dict.fromkeys(("truncated", "unread"), np.zeros(count, bool))


def scores(values: npt.ArrayLike, gold: npt.ArrayLike) -> Results:
    logits = np.array(values, np.float32)[:, None]
    return Score(**rows_of(len(logits)), labels=("score",), logits=logits, gold=np.array(gold, np.float32))
