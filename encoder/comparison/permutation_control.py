"""What chance gives: how large the differences of two runs are beside those after permuting.

Heads: within the row of every shared word, its distances are dealt out to the heads anew, at random and independently
of other rows. If no head differed more than another, this would change nothing. The mean of each head is held against
the largest mean of any head after the permutation, so that the p values allow for the number of heads.

Words: it is permuted which shared word of B belongs to which one of A. If a word were no nearer to its counterpart than
to other words of B, this would change nothing.

A p value is (1 + permutations that reach the observed value) / (1 + permutations), and so never 0.

Sources: Westfall and Young (1993), "Resampling-Based Multiple Testing", and Nichols and Holmes (2002) for the largest
value; Phipson and Smyth (2010), "Permutation P-values Should Never Be Zero".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.runs.arrays import FloatArray

PERMUTATIONS, SEED = 200, 0
HEAD_TOLERANCE = 1e-9  # of a float64 mean of the same numbers in another order
WORD_TOLERANCE = 1e-6  # of distances that are made of float32 cosines


def head_p_values(distances: FloatArray, *, permutations: int = PERMUTATIONS) -> FloatArray:
    """How often chance makes some head differ as much as each head does.

    Args:
        distances: (L, H, P) of each head's row of each shared unit, from `run_differences.row_distances`.
    Returns:
        (L, H) p values in (0, 1]. A text of one unit has no rows to tell heads apart by: the largest then gets 1.
    Raises:
        ShapeError: there is no shared unit.
    """
    if not distances.shape[-1]:
        raise ShapeError("The two texts share no word, so that no row can be permuted.")
    rows = distances.reshape(-1, distances.shape[-1]).astype(np.float64)  # (L * H, P)
    observed = rows.mean(1)
    generator = np.random.default_rng(SEED)
    reached = np.ones(len(rows))
    for _ in range(permutations):
        largest = generator.permuted(rows, axis=0).mean(1).max()
        reached += largest >= observed - HEAD_TOLERANCE
    return (reached / (1 + permutations)).reshape(distances.shape[:2]).astype(np.float32)


def word_p_values(distances_after: Callable[[NDArray[np.intp]], FloatArray], count: int) -> FloatArray:
    """How often a random word of B lies as near to each word of A as its counterpart does.

    Args:
        distances_after: gives (W,) distances of A's words to B's where word i of A belongs to word permutation[i] of B.
        count: W shared words.
    Returns:
        (W,) p values in (0, 1]; a small one says that the word is still the nearest to itself.
    """
    farthest = distances_after(np.arange(count)) + WORD_TOLERANCE
    generator = np.random.default_rng(SEED)
    reached = np.ones(count)
    for _ in range(PERMUTATIONS):
        reached += distances_after(generator.permutation(count)) <= farthest
    return (reached / (1 + PERMUTATIONS)).astype(np.float32)
