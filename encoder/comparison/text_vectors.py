"""A text as one vector: its last states, special tokens included, as the model pools them, scaled to length 1.

The cosine of two texts, each encoded alone, is the product of their vectors. `SimilarityQuantity` of
`encoder.attribution.quantities` and the cosines of the page are the same number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from encoder.attribution.quantities import ROW_TOKENS, batch_of
from encoder.measures.similarity import cosines_by_layer
from encoder.models.base import Backend, BatchOutput, batches_by_length
from encoder.models.pooling import check_pooling, pooled_states
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray, check_finite
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens


def text_vector(backend: Backend, output: BatchOutput) -> Tensor:
    """(B, D) vectors of the texts of a batch without padding."""
    return F.normalize(output.pooled(backend.pooling.mode), dim=-1)


@torch.no_grad()
def text_vectors(backend: Backend, texts: Sequence[Tokens]) -> FloatArray:
    """The vectors of N texts; texts of similar length are batched together.

    Returns:
        (N, D), each of length 1.
    Raises:
        NotFiniteError: the model's states are NaN or infinite.
    """
    check_pooling(backend.pooling.differs)
    found: dict[int, FloatArray] = {}
    for rows in batches_by_length(texts, ROW_TOKENS):
        output = backend.run_batch(batch_of(backend, [texts[row] for row in rows]))
        for number, row in enumerate(rows):
            found[row] = to_numpy(text_vector(backend, output.of_row(number, len(texts[row])))[0])
    vectors = np.stack([found[row] for row in range(len(texts))])
    check_finite(backend.name, [("the vectors of the texts", vectors)])
    return vectors


def cosine_of_runs(a: Trace, b: Trace) -> float:
    """The cosine of the vectors of two traced texts.

    Raises:
        ShapeError: they were run by two models.
    """
    check_pooling(*a.notes, *b.notes)
    first, second = (pooled_states(trace)[-1:] for trace in (a, b))  # (1, D) each
    return float(cosines_by_layer(first, second)[0])
