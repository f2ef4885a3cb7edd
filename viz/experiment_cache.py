"""All caching of what takes torch even to be asked for: encoder-decoders, experiments and the anatomy.

The rules are those of `viz.cache`, which keeps what the first picture needs and imports no torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from encoder import Trace
from encoder.catalogue import load_writer
from encoder.experiments.anatomy.masks import Masked, masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.our_models import ours
from encoder.experiments.anatomy.parameter_counts import ParameterCounts, count_preset
from encoder.experiments.anatomy.record import Record, record
from encoder.experiments.anatomy.what_if import Changed, changed
from encoder.experiments.patching import Patching, patch_word
from encoder.experiments.senses.evaluate import states_of_rows
from encoder.experiments.senses.rows import shipped_senses
from encoder.experiments.senses.sentence_search import SentenceSearch, shipped_sentences, typed_sentences
from encoder.measures.similarity import ReferenceBand, reference_band
from encoder.runs.generation import Generation
from encoder.runs.trace import FloatArray
from encoder.shipped.task_model import Seq2SeqBackend
from encoder.shipped.tasks import Task
from encoder.text.occurrences import positions_of_word
from viz.cache import GENERATIONS, MODELS, model, probes, timed_in_worker, trace
from viz.claims.job import ClaimsJob
from viz.claims.subject import Subject, subject_of_runs
from viz.state.selection import OWN
from viz.sweep import Sweep
from viz.tours.grammar import parse_claim
from viz.worker import in_worker

if TYPE_CHECKING:
    from encoder.models.pretrained_seq2seq import PretrainedSeq2Seq

EXPERIMENTS = 8  # with the states of up to two texts each
SWEEPS = 32
CLAIMS = 128  # of a stop each: numbers alone, once they are worked out
RECORDS = 4  # one of 512 tokens through BERT-base takes 80 MB, its attention with a mask 50 MB


@st.cache_resource(max_entries=MODELS, show_spinner="Loading the model …")
def writer(name: str) -> Seq2SeqBackend | PretrainedSeq2Seq:
    """An encoder-decoder, loaded once. Raises ModelError, which is not kept."""
    return load_writer(name)


@st.cache_resource(max_entries=GENERATIONS, show_spinner="Writing, a token at a time …")
def generation(writer_name: str, task: Task, text: str) -> Generation:
    """What an encoder-decoder writes about a text. Raises InputError, which is not kept."""
    model = writer(writer_name)

    def work() -> Generation:
        return model.generate(task, text) if isinstance(model, Seq2SeqBackend) else model.generate(text)

    return timed_in_worker(writer_name, work, lambda run: run.source.tokens)


@st.cache_resource(max_entries=MODELS, show_spinner="Measuring how similar words usually are in this model …")
def band(model_name: str) -> ReferenceBand:
    """How similar two occurrences of a word usually are in a model, from the sentences that ship."""
    backend = model(model_name)
    rows = shipped_senses()

    def work() -> ReferenceBand:
        kept, states = states_of_rows(backend, rows)  # (N, L + 1, D)
        return reference_band(states, [rows[at].word for at in kept], [rows[at].sense for at in kept])

    return in_worker(work)


@st.cache_resource(max_entries=EXPERIMENTS, show_spinner=False)
def further(model_name: str, name: str, typed: str, word: str) -> tuple[SentenceSearch, FloatArray]:
    """Sentences beside the page's two, and (N, L + 1, D), the states of the word in them.

    Args:
        name: the shipped word whose sentences they are, or "own" for those of `typed`.
        typed, word: sentences of one's own, and what to look for in them; "" for shipped ones.
    """
    backend = model(model_name)

    def work() -> tuple[SentenceSearch, FloatArray]:
        sentences = typed_sentences(backend, typed, word) if name == OWN else shipped_sentences(backend, name)
        words = [(each.tokens, each.positions) for each in sentences.occurrences]
        return sentences, backend.states_of_words(words)

    return in_worker(work)


@st.cache_resource(max_entries=EXPERIMENTS, show_spinner=False)
def patching(model_name: str, a: tuple[str, int], b: tuple[str, int]) -> Patching:
    """A word's state carried from one text into another. Raises SelectionError, which is not kept.

    Args:
        a, b: each text, and which of its words.
    """
    backend = model(model_name)
    words = [(tokens := backend.tokenize(text), positions_of_word(tokens, word)) for text, word in (a, b)]
    return in_worker(lambda: patch_word(backend, *words, probes=probes(model_name)))


@st.cache_resource(max_entries=EXPERIMENTS, show_spinner=False)
def silenced_trace(model_name: str, text: str, heads: tuple[tuple[int, int], ...]) -> Trace:
    """One run with heads silenced."""
    backend = model(model_name)
    return in_worker(lambda: backend.trace(text, silenced_heads=heads))


@st.cache_resource(max_entries=SWEEPS, show_spinner=False)
def sweep(model_name: str, text: str, word: int) -> Sweep:
    """The sweep over all heads for one word of a text, not begun; whoever wants it starts it."""
    return Sweep(text, word, probes=probes(model_name))


@st.cache_resource(max_entries=CLAIMS, show_spinner=False)
def claims_about_texts(model_name: str, runs: tuple[tuple[str, str | None], ...], claims: tuple[str, ...]) -> ClaimsJob:
    """Claims about an encoder's runs over one pair, or over two texts alone; whoever wants them starts the job."""

    def subject() -> Subject:
        return subject_of_runs(model(model_name), [trace(model_name, a, b) for a, b in runs], probes(model_name))

    return ClaimsJob([parse_claim(claim) for claim in claims], subject)


@st.cache_resource(max_entries=CLAIMS, show_spinner=False)
def claims_about_writing(writer_name: str, task: Task, text: str, claims: tuple[str, ...]) -> ClaimsJob:
    """Claims about what an encoder-decoder writes; whoever wants them starts the job."""
    return ClaimsJob([parse_claim(claim) for claim in claims], lambda: generation(writer_name, task, text))


@st.cache_resource(max_entries=RECORDS, show_spinner=False)
def anatomy(model_name: str, texts: tuple[str, str | None], *, layer: int) -> Record:
    """One layer of our own encoder with all its tensors. Raises InputError, which is not kept."""
    backend = ours(model(model_name))
    return in_worker(lambda: record(backend.encoder, backend.tokenize(*texts), layer=layer))


@st.cache_resource(max_entries=RECORDS, show_spinner=False)
def masked_attention(model_name: str, texts: tuple[str, str | None], *, layer: int, mask: Mask) -> Masked:
    """One layer's attention with a mask and without."""
    backend = ours(model(model_name))
    return in_worker(lambda: masked(backend.encoder, backend.tokenize(*texts), layer=layer, mask=mask))


@st.cache_resource(max_entries=2 * RECORDS, show_spinner=False)
def what_if(model_name: str, texts: tuple[str, str | None], *, layer: int, what_ifs: tuple[WhatIf, ...]) -> Changed:
    """One layer's attention in a pass with something changed."""
    backend = ours(model(model_name))
    return in_worker(lambda: changed(backend.encoder, backend.tokenize(*texts), layer=layer, what_ifs=what_ifs))


@st.cache_resource(show_spinner=False)
def parameters_of_preset(name: str) -> ParameterCounts:
    """Parameters of one of our presets."""
    return in_worker(lambda: count_preset(name))
