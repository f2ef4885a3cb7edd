"""Floating-point operations of one pass by part and length, and the lengths at which attention dominates.

Only matrix products are counted; an (m, k) by (k, n) product costs 2 m k n operations. Softmax, layer norms,
activations, biases and look-ups are left out; they do not grow faster.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from encoder.transformer.config import EncoderConfig

Part = Literal["queries, keys, values", "scores", "context", "output projection", "feed-forward"]
PARTS: tuple[Part, ...] = get_args(Part)
QUADRATIC: tuple[Part, ...] = ("scores", "context")
SCORES_AND_CONTEXT = "scores and context"
Counts = NDArray[np.int64]


def count_operations(config: EncoderConfig, lengths: NDArray[np.integer]) -> dict[Part, Counts]:
    """Operations of all layers of an encoder, by part.

    Args:
        lengths: (N,) numbers of tokens T.
    Returns:
        (N,) for each part: 6 T D² for queries, keys and values, 2 T² D each for scores and context, 2 T D² for the
        output projection, 4 T D F for the feed-forward, times L.
    """
    tokens = lengths.astype(np.int64)
    width, inner, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    return {
        "queries, keys, values": layers * 6 * tokens * width**2,
        "scores": layers * 2 * tokens**2 * width,
        "context": layers * 2 * tokens**2 * width,
        "output projection": layers * 2 * tokens * width**2,
        "feed-forward": layers * 4 * tokens * width * inner,
    }


def add_up_quadratic_parts(parts: Mapping[Part, Counts]) -> dict[str, Counts]:
    """The operations, with the two quadratic parts, scores and context, added up."""
    others: dict[str, Counts] = {part: counts for part, counts in parts.items() if part not in QUADRATIC}
    return others | {SCORES_AND_CONTEXT: np.sum([parts[part] for part in QUADRATIC], axis=0)}


@dataclass(frozen=True, slots=True)
class Crossings:
    """Numbers of tokens at which the quadratic part (scores and context) costs as much as other parts.

    Attributes:
        projections: the four projections, 8 T D²: at 2 D tokens.
        feed_forward: 4 T D F: at F tokens.
        all_else: both: at 2 D + F tokens.
    """

    projections: int
    feed_forward: int
    all_else: int


def crossings(config: EncoderConfig) -> Crossings:
    """The T at which 4 T² D equals 8 T D², 4 T D F, and their sum; the number of layers cancels."""
    width, inner = config.hidden_size, config.intermediate_size
    return Crossings(projections=2 * width, feed_forward=inner, all_else=2 * width + inner)
