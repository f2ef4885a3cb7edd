"""The maps of attribution methods, shown instead of weights."""

from __future__ import annotations

from typing import Final

from encoder import Backend
from encoder.attribution.methods.facts import Quantity
from encoder.attribution.methods.maps import planes
from encoder.errors import ArgumentError
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.recipes.step import Step
from viz.wording.quantities import TITLES

DECOMPX_TOKENS: Final = 256  # a vector for each pair of tokens: as much work as a forward pass for each token


def maps_of(run: Trace, quantity: Quantity) -> Step[tuple[FloatArray, ...]]:
    """(P, T, T) of every layer between tokens, from `encoder.attribution.methods.planes`.

    Raises:
        ArgumentError: the text is too long. The step raises UnsupportedModelError if the model cannot be decomposed.
    """
    count = len(run.tokens)
    if quantity.method == "decompx" and count > DECOMPX_TOKENS:
        raise ArgumentError(
            f"{TITLES['decompx']} carries a vector for every two tokens through the whole model, which takes about as "
            f"long as {count + 1} runs of this text of {count} tokens. It is drawn up to {DECOMPX_TOKENS} tokens: "
            "shorten the text, or choose another method."
        )
    return Step(_maps, (run, quantity))


def _maps(backend: Backend, run: Trace, quantity: Quantity) -> tuple[FloatArray, ...]:
    return tuple(planes(backend, run, quantity))
