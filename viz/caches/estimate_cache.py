"""Effects of silenced heads and patched tokens: estimates by gradients, and the exact runs that replace them.

Functions that take a model are called by `run_cache.cached_with_model`, and those that report progress by `cached_job`.
"""

from __future__ import annotations

from encoder import Backend
from encoder.attribution.patching_estimates import PatchedTexts, silencing_effects, silencing_estimates
from encoder.attribution.questions import OutputKind
from encoder.attribution.word_estimates import (
    Occurrence,
    PatchedTag,
    TagEstimates,
    estimate_shift_effects,
    estimate_tag_effects,
    patched_shift,
    patched_tag,
)
from encoder.comparison.patched_output import OutputPair, PatchedOutput, output_pair, patched_output
from encoder.measures.units import occurrence_states
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import load_probes
from encoder.text.occurrences import positions_of_word
from viz.caches.run_cache import trace
from viz.computing.job import Progress
from viz.state.selection import Carried

Word = tuple[str, int]  # a text, and which of its words


def tag_estimates(backend: Backend, word: Word) -> TagEstimates:
    """Estimates by gradients of the sweep's effects on a word's part of speech.

    Raises:
        NoProbesError: the model has no probes.
    """
    return estimate_tag_effects(backend, *_occurrence(backend.name, word), load_probes(backend.name))


def shift_estimates(backend: Backend, word: Word, other: Word) -> FloatArray:
    """(L, H) estimates by gradients of the sweep's effects on a word's shift.

    Raises:
        ArgumentError: the word has not shifted.
        SelectionError: the heads cannot be silenced.
    """
    (run, positions), against = _occurrence(backend.name, word), _occurrence(backend.name, other)
    state = occurrence_states(against[0].hidden_states[-1], against[1])
    return estimate_shift_effects(backend, run, positions, state)


def patched_word(backend: Backend, number: Carried, a: Word, b: Word) -> PatchedTag | PatchedTexts:
    """A number of a word in B, compared with that in A. Raises ArgumentError."""
    in_a, in_b = (_occurrence(backend.name, word) for word in (a, b))
    if number == "shift":
        return patched_shift(in_a, in_b)
    return patched_tag(backend, in_a, in_b, load_probes(backend.name))


def patching_estimates(backend: Backend, number: Carried, a: Word, b: Word) -> FloatArray:
    """(L + 1, T) estimates by gradients of the effect of patching each token. Raises HeadlightError."""
    return patched_word(backend, number, a, b).estimates(backend)


def patching_effects(backend: Backend, progress: Progress, number: Carried, a: Word, b: Word) -> FloatArray:
    """(L + 1, T) effect of patching each token."""
    return patched_word(backend, number, a, b).effects(backend, progress)


def _occurrence(model_name: str, word: Word) -> Occurrence:
    """The run of a text alone, and a word's tokens in it."""
    text, index = word
    run = trace(model_name, text)
    return run, positions_of_word(run.tokens, index)


def output_of_texts(model_name: str, kind: OutputKind, a: str, b: str) -> OutputPair:
    """An output of the model for A and B, each alone. Raises ArgumentError."""
    return output_pair(trace(model_name, a), trace(model_name, b), kind)


def patched_texts(model_name: str, kind: OutputKind, a: str, b: str) -> PatchedOutput:
    """An output of the model for B, compared with that for A. Raises ArgumentError."""
    return patched_output(trace(model_name, a), trace(model_name, b), kind)


def output_values(backend: Backend, kind: OutputKind, a: str, b: str) -> tuple[float, float]:
    """The numbers of A and B, both read as that of B. Raises ArgumentError."""
    return patched_texts(backend.name, kind, a, b).values(backend)


def output_estimates(backend: Backend, kind: OutputKind, a: str, b: str) -> FloatArray:
    """(L + 1, T) estimates by gradients of the effect of patching each token. Raises HeadlightError."""
    return patched_texts(backend.name, kind, a, b).estimates(backend)


def output_effects(backend: Backend, progress: Progress, kind: OutputKind, a: str, b: str) -> FloatArray:
    """(L + 1, T) effect of patching each token."""
    return patched_texts(backend.name, kind, a, b).effects(backend, progress)


def silencing_estimates_of_texts(backend: Backend, kind: OutputKind, a: str, b: str) -> tuple[FloatArray, FloatArray]:
    """(L, H) estimates by gradients of the effect of silencing each head, in A and in B.

    Raises:
        ArgumentError: the texts have no such number.
        SelectionError: the heads cannot be silenced.
    """
    of_a, of_b = output_of_texts(backend.name, kind, a, b).quantities
    in_a, in_b = (trace(backend.name, text).tokens for text in (a, b))
    return silencing_estimates(backend, in_a, of_a), silencing_estimates(backend, in_b, of_b)


def silencing_effects_on_texts(
    backend: Backend, progress: Progress, kind: OutputKind, a: str, b: str
) -> tuple[FloatArray, FloatArray]:
    """(L, H) effect of silencing each head, in A and in B."""
    of_a, of_b = output_of_texts(backend.name, kind, a, b).quantities
    in_a, in_b = (trace(backend.name, text).tokens for text in (a, b))
    first = silencing_effects(backend, in_a, of_a, progress=lambda done, total: progress(done, 2 * total))
    second = silencing_effects(backend, in_b, of_b, progress=lambda done, total: progress(total + done, 2 * total))
    return first, second
