"""What the walk's steps, masks and changes are called; needs no torch."""

from __future__ import annotations

from typing import Literal, get_args

Mask = Literal["none", "padding", "causal"]
WhatIf = Literal["unscaled", "one-head", "dropout", "no-positions", "shuffled"]
StepKey = Literal[
    "text",
    "ids",
    "embeddings",
    "positions",
    "projections",
    "scores",
    "scaling",
    "mask",
    "softmax",
    "context",
    "heads",
    "output",
    "residual",
    "feed-forward",
    "layers",
    "prediction",
    "what-if",
    "numbers",
]
STEPS: tuple[StepKey, ...] = get_args(StepKey)
TITLES: dict[StepKey, str] = {
    "text": "Text into wordpieces",
    "ids": "Wordpieces into numbers",
    "embeddings": "Numbers into vectors",
    "positions": "Where a token stands",
    "projections": "Queries, keys and values",
    "scores": "Every query meets every key",
    "scaling": "Scores are scaled",
    "mask": "A mask hides keys",
    "softmax": "Scores into weights",
    "context": "Weights mix the values",
    "heads": "All heads side by side",
    "output": "The output projection",
    "residual": "Residual connection and layer norm",
    "feed-forward": "The feed-forward network",
    "layers": "The next layers",
    "prediction": "From [CLS] to probabilities",
    "what-if": "What if …?",
    "numbers": "BERT in numbers",
}
