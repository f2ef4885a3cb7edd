"""Encoder-decoders and what they write, experiments, comparisons, claims of tours, and the anatomy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from encoder import Trace
from encoder.attribution.score_removals import RemovalTest, removal_test
from encoder.attribution.score_terms import SIDES, Cell, ScoreTerms, score_terms
from encoder.catalogue import load_writer
from encoder.comparison.compare import Comparison, WordMeasure, compare
from encoder.comparison.run_differences import attention_difference, pooled_differences
from encoder.experiments.anatomy.masks import Masked, masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.our_models import ours
from encoder.experiments.anatomy.parameter_counts import ParameterCounts, count_preset
from encoder.experiments.anatomy.record import Record, record
from encoder.experiments.anatomy.what_if import Changed, changed
from encoder.experiments.decoder_lens import WrittenText, decoder_lens
from encoder.experiments.patching import Patching, patch_word
from encoder.experiments.senses.evaluate import band_of_model
from encoder.experiments.senses.sentence_search import SentenceSearch, shipped_sentences, typed_sentences
from encoder.measures.similarity import ReferenceBand
from encoder.measures.units import Special
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import Generation
from encoder.shipped.task_model import Seq2SeqBackend
from encoder.shipped.tasks import Task
from encoder.text.occurrences import positions_of_word
from viz.caches import revisions
from viz.caches.keys import BY_RUN, key_of_trace, size_of_trace
from viz.caches.recent import keep_recent
from viz.caches.run_cache import GENERATIONS, MODELS, load_revision, model, probes, timed_in_worker, trace
from viz.claims.job import ClaimsJob
from viz.claims.subject import Subject, subject_of_runs
from viz.computing.sweep import Sweep
from viz.computing.worker import in_worker
from viz.state.selection import OWN
from viz.tours.grammar import parse_claim

if TYPE_CHECKING:
    from encoder.models.pretrained_seq2seq import PretrainedSeq2Seq

EXPERIMENTS = 8  # with the states of up to two texts each
SWEEPS = 32  # with the final vectors of nine words in every run: 4 MB each of BERT-base
CLAIMS = 128  # of a stop each: numbers alone, once they are worked out
SCORES = 128  # numbers alone
COMPARISON_BYTES = 330_000_000  # two of 512 tokens through BERT-base, whose runs they hold
DIFFERENCES = 4  # of 512 tokens through BERT-base 12.6 MB each
RECORDS = 4  # one of 512 tokens through BERT-base takes 80 MB, its attention with a mask 50 MB


def writer(name: str) -> Seq2SeqBackend | PretrainedSeq2Seq:
    """An encoder-decoder, loaded once from the same files. Raises ModelError, which is not kept."""
    return _writer(revisions.current(name))


@st.cache_resource(max_entries=MODELS, show_spinner="Loading the model …")
def _writer(name: str) -> Seq2SeqBackend | PretrainedSeq2Seq:
    return load_revision(name, load_writer)


@st.cache_resource(max_entries=GENERATIONS, show_spinner="Writing, a token at a time …")
def generation(writer_name: str, task: Task, text: str) -> Generation:
    """What an encoder-decoder writes about a text. Raises InputError, which is not kept."""
    model = writer(writer_name)

    def work() -> Generation:
        return model.generate(task, text) if isinstance(model, Seq2SeqBackend) else model.generate(text)

    return timed_in_worker(writer_name, work, lambda run: run.source.tokens)


@st.cache_resource(max_entries=GENERATIONS, show_spinner=False)
def texts_by_layer(_model: Seq2SeqBackend, name: str, task: Task, text: str) -> tuple[WrittenText, ...]:
    """What a decoder of ours writes from each state of its encoder. Raises InputError, which is not kept."""
    return in_worker(lambda: decoder_lens(_model, _model.tokenize(task, text)))


@st.cache_resource(max_entries=MODELS, show_spinner="Measuring how similar words usually are in this model …")
def band(model_name: str) -> ReferenceBand:
    """How similar two occurrences of a word usually are in a model, from the sentences that ship."""
    backend = model(model_name)
    return in_worker(lambda: band_of_model(backend))


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
def silenced_trace(model_name: str, a: str, heads: tuple[tuple[int, int], ...], b: str | None = None) -> Trace:
    """One run with heads silenced, of a text or of a pair. Raises SelectionError, which is not kept."""
    backend = model(model_name)
    return in_worker(lambda: backend.trace(a, b, silenced_heads=heads))


def _key_of_comparison(a: Trace, b: Trace, *, special: Special, measure: WordMeasure) -> tuple[str, ...]:
    return key_of_trace(a), key_of_trace(b), special, measure


def _size_of_comparison(found: Comparison) -> int:
    return size_of_trace(found.runs.a) + size_of_trace(found.runs.b)


@keep_recent(key_of=_key_of_comparison, size_of=_size_of_comparison, entries=SCORES, num_bytes=COMPARISON_BYTES)
def comparison(a: Trace, b: Trace, *, special: Special, measure: WordMeasure) -> Comparison:
    """Two runs compared, with the control of 200 permutations."""
    return in_worker(lambda: compare(a, b, special=special, measure=measure))


@st.cache_resource(max_entries=DIFFERENCES, show_spinner=False, hash_funcs=BY_RUN)
def attention_differences(a: Trace, b: Trace, *, special: Special, measure: WordMeasure, layer: int) -> FloatArray:
    """(H, P, P) signed difference of a layer's attention between the shared words. Raises ShapeError."""
    runs = comparison(a, b, special=special, measure=measure).runs
    return in_worker(lambda: attention_difference(runs, layer))


@st.cache_resource(max_entries=DIFFERENCES, show_spinner=False, hash_funcs=BY_RUN)
def differences_of_heads(a: Trace, b: Trace, *, special: Special, measure: WordMeasure, size: int) -> FloatArray:
    """(L, H, G, G) `pooled_differences` of two runs. Raises ShapeError."""
    runs = comparison(a, b, special=special, measure=measure).runs
    return in_worker(lambda: pooled_differences(runs, size))


@st.cache_resource(max_entries=SCORES, show_spinner="Taking the score apart …")
def split_score(model_name: str, texts: tuple[str, str | None], cell: Cell) -> ScoreTerms:
    """One score of a run, split into terms. Raises SelectionError and UnsupportedModelError, which are not kept."""
    backend, run = model(model_name), trace(model_name, *texts)
    return in_worker(lambda: score_terms(backend, run, cell))


@st.cache_resource(max_entries=SCORES, show_spinner="Removing terms from the run …")
def removals(model_name: str, texts: tuple[str, str | None], cell: Cell) -> tuple[RemovalTest, ...]:
    """What removing the largest term of each side does. Raises what `split_score` does."""
    backend, run, terms = model(model_name), trace(model_name, *texts), split_score(model_name, texts, cell)
    return in_worker(lambda: tuple(removal_test(backend, run, terms, side) for side in SIDES))


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
