"""What gradients estimate of silenced heads and patched tokens, and the exact runs that replace it."""

from __future__ import annotations

import streamlit as st

from encoder import Backend
from encoder.attribution.patched_texts import PatchedTexts
from encoder.attribution.patching_estimates import silencing_effects, silencing_estimates
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
from encoder.comparison.patched_output import OutputNumber, PatchedOutput, output_number, patched_output
from encoder.measures.word_states import occurrence_states
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import load_probes
from encoder.text.occurrences import positions_of_word
from viz.caches.run_cache import model, trace
from viz.computing.job import Job, Progress
from viz.computing.worker import in_worker
from viz.state.selection import Carried

Word = tuple[str, int]  # a text, and which of its words

ENTRIES = 32  # numbers alone


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def tag_estimates(model_name: str, text: str, word: int) -> TagEstimates:
    """What the sweep will find for the part of speech of a word, as gradients estimate it.

    Raises:
        NoProbesError: the model has no probes.
    """
    backend, run, of_model = model(model_name), trace(model_name, text, None), load_probes(model_name)
    return in_worker(lambda: estimate_tag_effects(backend, run, positions_of_word(run.tokens, word), of_model))


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def shift_estimates(model_name: str, at: Word, other: Word) -> FloatArray:
    """(L, H) what the sweep will find for a word's shift, as gradients estimate it.

    Raises ArgumentError where the word has not shifted, and SelectionError; neither is kept.
    """
    backend, (run, positions), against = model(model_name), _occurrence(model_name, at), _occurrence(model_name, other)
    state = occurrence_states(against[0].hidden_states[-1], against[1])
    return in_worker(lambda: estimate_shift_effects(backend, run, positions, state))


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def patched_word(model_name: str, number: Carried, a: Word, b: Word) -> PatchedTag | PatchedTexts:
    """A number of a word in B, held against that in A. Raises ArgumentError, which is not kept."""
    in_a, in_b = (_occurrence(model_name, word) for word in (a, b))
    if number == "shift":
        return patched_shift(in_a, in_b)
    return patched_tag(model(model_name), in_a, in_b, load_probes(model_name))


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def patching_estimates(model_name: str, number: Carried, a: Word, b: Word) -> FloatArray:
    """(L + 1, T) what patching each token would do to it, by slopes. Raises HeadlightError, which is not kept."""
    backend, patched = model(model_name), patched_word(model_name, number, a, b)
    return in_worker(lambda: patched.estimates(backend))


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def patching_effects(model_name: str, number: Carried, a: Word, b: Word) -> Job[FloatArray]:
    """(L + 1, T) what it does, not begun; whoever wants it starts it."""
    return _patching_job(patched_word(model_name, number, a, b))


def _occurrence(model_name: str, word: Word) -> Occurrence:
    """The run of a text alone, and a word's tokens in it."""
    text, index = word
    run = trace(model_name, text, None)
    return run, positions_of_word(run.tokens, index)


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def number_of_texts(model_name: str, kind: OutputKind, a: str, b: str) -> OutputNumber:
    """A number that the model puts out for A and B, each alone. Raises ArgumentError, which is not kept."""
    return output_number(trace(model_name, a, None), trace(model_name, b, None), kind)


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def output_values(model_name: str, kind: OutputKind, a: str, b: str) -> tuple[float, float]:
    """The number of A and that of B, both as that of B is read. Raises ArgumentError, which is not kept."""
    backend, patched = model(model_name), patched_texts(model_name, kind, a, b)
    return in_worker(lambda: patched.values(backend))


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def patched_texts(model_name: str, kind: OutputKind, a: str, b: str) -> PatchedOutput:
    """What the model says of B, held against A. Raises ArgumentError, which is not kept."""
    return patched_output(trace(model_name, a, None), trace(model_name, b, None), kind)


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def output_estimates(model_name: str, kind: OutputKind, a: str, b: str) -> FloatArray:
    """(L + 1, T) what patching each token would do to it, by slopes. Raises HeadlightError, which is not kept."""
    backend, patched = model(model_name), patched_texts(model_name, kind, a, b)
    return in_worker(lambda: patched.estimates(backend))


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def output_effects(model_name: str, kind: OutputKind, a: str, b: str) -> Job[FloatArray]:
    """(L + 1, T) what it does, not begun; whoever wants it starts it."""
    return _patching_job(patched_texts(model_name, kind, a, b))


def _patching_job(patched: PatchedTexts) -> Job[FloatArray]:
    return Job(patched.effects, name="headlight-patching")


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def silencing_estimates_of_texts(model_name: str, kind: OutputKind, a: str, b: str) -> tuple[FloatArray, FloatArray]:
    """(L, H) what silencing each head in A, and in B, would do to the text's number, by slopes.

    Raises ArgumentError and SelectionError, which are not kept.
    """
    backend, quantities = model(model_name), number_of_texts(model_name, kind, a, b).quantities
    texts = [trace(model_name, text, None).tokens for text in (a, b)]

    def work() -> tuple[FloatArray, FloatArray]:
        in_a, in_b = (silencing_estimates(backend, *each) for each in zip(texts, quantities, strict=True))
        return in_a, in_b

    return in_worker(work)


@st.cache_resource(max_entries=ENTRIES, show_spinner=False)
def silencing_effects_on_texts(model_name: str, kind: OutputKind, a: str, b: str) -> Job[tuple[FloatArray, FloatArray]]:
    """(L, H) what it does in A, and in B, not begun; whoever wants it starts it."""
    of_a, of_b = number_of_texts(model_name, kind, a, b).quantities
    in_a, in_b = (trace(model_name, text, None).tokens for text in (a, b))

    def work(backend: Backend, progress: Progress) -> tuple[FloatArray, FloatArray]:
        first = silencing_effects(backend, in_a, of_a, progress=lambda done, total: progress(done, 2 * total))
        second = silencing_effects(backend, in_b, of_b, progress=lambda done, total: progress(total + done, 2 * total))
        return first, second

    return Job(work, name="headlight-silencing")
