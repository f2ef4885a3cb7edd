"""The activation functions of the feed-forward: their names, their curves, and ReLU for comparison."""

from __future__ import annotations

import numpy as np
import torch

from encoder.experiments.anatomy.record import shared
from encoder.runs.arrays import FloatArray
from encoder.transformer.encoder import ACTIVATIONS

NAMES = {"gelu": "GELU", "relu": "ReLU"}
LOW, HIGH, POINTS = -4.0, 3.0, 141


def activation_curves() -> dict[str, tuple[FloatArray, FloatArray]]:
    """For each activation of `encoder.transformer.encoder` the points (M,) and its values there (M,)."""
    points = torch.linspace(LOW, HIGH, POINTS)
    return {NAMES[name]: (shared(points), shared(function(points))) for name, function in ACTIVATIONS.items()}


def relu(inputs: FloatArray) -> FloatArray:
    """What ReLU makes of the inputs of units, whatever activation the model has."""
    passed: FloatArray = np.maximum(inputs, 0)
    return passed
