"""A text as one vector: its last states, special tokens included, as the model's folder makes a vector of them.

For the cosine of two texts, each encoded alone, vectors are scaled to length 1, so that it is their product.
`SimilarityQuantity` of `encoder.attribution.quantities` and the cosines of the page are the same number.
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
from encoder.models.pooling import Pooling, Similarity, check_pooling, pooled_states
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray, check_finite
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens


def text_vector(backend: Backend, output: BatchOutput, similarity: Similarity) -> Tensor:
    """(B, D) vectors of the texts of a batch without padding, of length 1 for the cosine."""
    vectors = output.pooled(backend.pooling.mode)
    if similarity == "cosine":
        return F.normalize(vectors, dim=-1)
    return backend.pooling.scaled(vectors, torch.tensor([output.hidden_states[-1].shape[1]], device=vectors.device))


@torch.no_grad()
def text_vectors(backend: Backend, texts: Sequence[Tokens], similarity: Similarity = "cosine") -> FloatArray:
    """The vectors of N texts; texts of similar length are batched together.

    Args:
        similarity: by which they are compared.
    Returns:
        (N, D), each of length 1 for the cosine.
    Raises:
        NotFiniteError: the model's states are NaN or infinite.
    """
    check_pooling(backend.pooling.differs)
    found: dict[int, FloatArray] = {}
    for rows in batches_by_length(texts, ROW_TOKENS):
        output = backend.run_batch(batch_of(backend, [texts[row] for row in rows]))
        for number, row in enumerate(rows):
            found[row] = to_numpy(text_vector(backend, output.of_row(number, len(texts[row])), similarity)[0])
    vectors = np.stack([found[row] for row in range(len(texts))])
    check_finite(backend.name, [("the vectors of the texts", vectors)])
    return vectors


def similarities(queries: FloatArray, vectors: FloatArray, similarity: Similarity) -> FloatArray:
    """(Q, N) similarities of queries (Q, D) and texts (N, D), the largest for the most similar.

    Args:
        queries, vectors: of length 1 for the cosine.
        similarity: of a distance, the negative one.
    """
    if similarity in ("cosine", "dot"):
        return queries @ vectors.T
    order = 2 if similarity == "euclidean" else 1
    return np.stack([-np.linalg.norm(vectors - query, axis=1, ord=order) for query in queries])


def cosine_of_runs(a: Trace, b: Trace) -> float:
    """The cosine of the vectors of two traced texts.

    Raises:
        ShapeError: they were run by two models.
    """
    check_pooling(*a.notes, *b.notes)
    first, second = (pooled_states(trace)[-1:] for trace in (a, b))  # (1, D) each
    return float(cosines_by_layer(first, second)[0])


def similarity_of_runs(a: Trace, b: Trace, pooling: Pooling) -> float:
    """The similarity of two traced texts that `pooling.split_by` names. Errors as in `cosine_of_runs`."""
    if pooling.split_by == "cosine":
        return cosine_of_runs(a, b)
    check_pooling(*a.notes, *b.notes)
    vectors = [
        pooling.scaled(torch.tensor(pooled_states(run)[-1:]), torch.tensor([len(run.hidden_states[0])]))
        for run in (a, b)
    ]
    return float((vectors[0] * vectors[1]).sum())
