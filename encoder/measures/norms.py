"""Lengths of vectors, and how much each layer changes their direction."""

from __future__ import annotations

import numpy as np

from encoder.errors import ShapeError
from encoder.measures.similarity import cosines_by_layer
from encoder.runs.arrays import FloatArray


def l2_norms(vectors: FloatArray) -> FloatArray:
    """(..., D) to (...): the L2 norm of every vector."""
    return np.linalg.norm(vectors, axis=-1)


def successive_cosines(hidden_states: FloatArray) -> FloatArray:
    """Cosine between each layer's input and output, for every token.

    Args:
        hidden_states: (L + 1, U, D), the embedding output first.
    Returns:
        (L, U) cosine between what goes into layer l and what leaves it, in [-1, 1]; 0 where a state is zero.
    Raises:
        ShapeError: fewer than two arrays.
    """
    if len(hidden_states) < 2:
        raise ShapeError(f"Hidden states are {hidden_states.shape}; at least two arrays are needed to compare.")
    return cosines_by_layer(hidden_states[:-1], hidden_states[1:])
