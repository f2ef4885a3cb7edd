"""The keys of the anatomy's steps, masks and changes, as used in links. Needs no torch."""

from __future__ import annotations

from typing import Literal, get_args

Mask = Literal["none", "padding", "causal"]
WhatIf = Literal["unscaled", "one-head", "dropout", "no-positions", "shuffled"]
# In the order of the computation. `viz.views.anatomy.answer.steps` has a function for each.
StepKey = Literal[
    "text",
    "ids",
    "positions",
    "embeddings",
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
