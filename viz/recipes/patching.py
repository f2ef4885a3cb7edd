"""Steps that several views share: tokens patched from one text into another, and runs with silenced heads."""

from __future__ import annotations

from typing import Any

from encoder import Backend
from encoder.attribution.patching_estimates import PatchedTexts
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.answers.patched_tokens import patched_tokens
from viz.recipes.step import LongStep, Recipe, Step

Heads = tuple[tuple[int, int], ...]


def patched_map(
    a: Trace, b: Trace, patched: PatchedTexts, identity: tuple[Any, ...], *, unit: str, what: str
) -> Recipe[None]:
    """The map of all tokens: estimates by gradients, until the exact values are computed. Raises HeadlightError.

    Args:
        patched: the number whose change is shown.
        identity: plain values that identify it, besides the model.
        a, b, unit, what: as the answer has them.
    """
    estimates = yield from Step(estimates_of, (patched,), identity=identity)
    exact = yield from LongStep(
        effects_of,
        (patched,),
        identity=identity,
        tokens=estimates.size * len(b.tokens),
        what="Every token patched at every layer",
        key="patched",
        is_optional=True,
    )
    yield patched_tokens(a, b, estimates, exact, unit=unit, what=what)


def estimates_of(backend: Backend, patched: PatchedTexts) -> FloatArray:
    """(L + 1, T) estimates by gradients of the effect of patching each token. Raises HeadlightError."""
    return patched.estimates(backend)


def effects_of(backend: Backend, patched: PatchedTexts, *, progress: Progress = no_progress) -> FloatArray:
    """(L + 1, T) effect of patching each token."""
    return patched.effects(backend, progress=progress)


def run_without_heads(backend: Backend, a: str, b: str | None, heads: Heads) -> Trace:
    """One run with silenced heads. Raises InputError, SelectionError."""
    return backend.trace(a, b, silenced_heads=heads)
