"""Encoder-decoders and their output, experiments, comparisons, claims of tours, and the anatomy.

Functions that take a model are called by `run_cache.cached_with_model`, those that use the worker themselves by
`VALUES.get`, those that make jobs by `JOBS.get`, and the differences of two runs by `cached`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from encoder import Backend, Trace
from encoder.attribution.score_removals import RemovalTest, removal_test
from encoder.attribution.score_terms import SIDES, Cell, ScoreTerms, score_terms
from encoder.catalogue import load_writer
from encoder.comparison.alignment import Matching
from encoder.comparison.compare import WordMeasure, compare
from encoder.comparison.run_differences import attention_difference, pooled_differences
from encoder.experiments.anatomy.changes import Changed, Masked, changed, masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.record import Record, ours, record
from encoder.experiments.decoder_lens import WrittenText, decoder_lens
from encoder.experiments.mask_lens import Filling, MaskLens, MaskSweep, fill_masks, mask_lens, sweep_mask
from encoder.experiments.patching import Patching, patch_word
from encoder.experiments.senses.evaluate import band_of_model
from encoder.experiments.senses.sentence_search import SentenceSearch, shipped_sentences, typed_sentences
from encoder.experiments.silencing import WordSweep, sweep_word
from encoder.measures.similarity import ReferenceBand
from encoder.measures.units import Special
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import Generation
from encoder.shipped.seq2seq import Seq2SeqBackend
from encoder.shipped.tasks import Task
from encoder.text.occurrences import positions_of_word
from viz.caches import revisions
from viz.caches.memo import MODELS, VALUES, cached, key_of
from viz.caches.run_cache import load_revision, model, probes, timed_in_worker, trace
from viz.claims.job import ClaimsJob
from viz.claims.of_tables import table_subject
from viz.claims.subject import Subject, subject_of_runs
from viz.computing.job import Job, Progress
from viz.computing.worker import in_worker
from viz.state.selection import OWN, Table
from viz.tours.grammar import parse_claim

if TYPE_CHECKING:
    from encoder.models.pretrained_seq2seq import PretrainedSeq2Seq

SWEEP_BYTES = 4_000_000  # the final vectors of nine words of BERT-base in every run

Texts = tuple[str, str | None]


def writer(name: str) -> Seq2SeqBackend | PretrainedSeq2Seq:
    """An encoder-decoder, loaded once from the same files. Raises ModelError."""
    return MODELS.get(_load_writer, revisions.current(name))


def _load_writer(name: str) -> Seq2SeqBackend | PretrainedSeq2Seq:
    with st.spinner("Loading the model …"):
        return load_revision(name, load_writer)


def generation(writer_name: str, task: Task, text: str) -> Generation:
    """What an encoder-decoder writes about a text. Raises InputError."""
    return VALUES.get(_generate, revisions.current(writer_name), task, text)


def _generate(writer_name: str, task: Task, text: str) -> Generation:
    model = writer(writer_name)
    generate = partial(model.generate, task) if isinstance(model, Seq2SeqBackend) else model.generate
    with st.spinner("Writing, a token at a time …"):
        return timed_in_worker(writer_name, lambda: generate(text), lambda run: run.source.tokens)


def texts_by_layer(model: Seq2SeqBackend, task: Task, text: str) -> tuple[WrittenText, ...]:
    """What our decoder writes from each hidden state of its encoder. Raises InputError."""
    return VALUES.compute(
        key_of(texts_by_layer, model.name, task, text),
        lambda: in_worker(lambda: decoder_lens(model, model.tokenize(task, text))),
    )


def band(model_name: str) -> ReferenceBand:
    """The usual similarity of two occurrences of a word in a model, from shipped sentences."""
    return VALUES.get(_band, revisions.current(model_name))


def _band(model_name: str) -> ReferenceBand:
    with st.spinner("Measuring how similar words usually are in this model …"):
        backend = model(model_name)
        return in_worker(lambda: band_of_model(backend))


def further(backend: Backend, name: str, typed: str, word: str) -> tuple[SentenceSearch, FloatArray]:
    """Sentences in addition to the page's two, and (N, L + 1, D), the states of the word in them.

    Args:
        name: the shipped word whose sentences they are, or "own" for those of `typed`.
        typed, word: the user's sentences, and the word to find in them; "" for shipped ones.
    """
    sentences = typed_sentences(backend, typed, word) if name == OWN else shipped_sentences(backend, name)
    words = [(each.tokens, each.positions) for each in sentences.occurrences]
    return sentences, backend.states_of_words(words)


def patching(backend: Backend, a: tuple[str, int], b: tuple[str, int]) -> Patching:
    """A word's state patched from one text into another. Raises SelectionError.

    Args:
        a, b: each text, and which of its words.
    """
    words = [(tokens := backend.tokenize(text), positions_of_word(tokens, word)) for text, word in (a, b)]
    return patch_word(backend, *words, probes=probes(backend.name))


def words_by_layer(backend: Backend, texts: Texts, followed: str) -> MaskLens:
    """The words for masked tokens after every layer; arguments and errors as in `mask_lens`."""
    return mask_lens(backend, trace(backend.name, *texts), followed)


def words_together(backend: Backend, texts: Texts) -> tuple[Filling, ...]:
    """The likeliest words for all masks together; errors as in `fill_masks`."""
    return fill_masks(backend, backend.tokenize(*texts))


def words_without_heads(backend: Backend, progress: Progress, texts: Texts, position: int) -> MaskSweep:
    """What silencing each head alone changes at a masked token; errors as in `sweep_mask`."""
    return sweep_mask(backend, backend.tokenize(*texts), position, progress=progress)


def attention_differences(
    a: Trace, b: Trace, *, special: Special, measure: WordMeasure, matching: Matching, layer: int
) -> FloatArray:
    """(H, P, P) signed difference of a layer's attention between the shared words. Raises ShapeError."""
    found = cached(compare, a, b, special=special, measure=measure, matching=matching)
    return attention_difference(found.runs, layer)


def differences_of_heads(
    a: Trace, b: Trace, *, special: Special, measure: WordMeasure, matching: Matching, size: int
) -> FloatArray:
    """(L, H, G, G) `pooled_differences` of two runs. Raises ShapeError."""
    return pooled_differences(cached(compare, a, b, special=special, measure=measure, matching=matching).runs, size)


def split_score(run: Trace, cell: Cell) -> ScoreTerms:
    """One score of a run, split into terms. Raises SelectionError and UnsupportedModelError."""
    backend = model(run.model_name)
    with st.spinner("Decomposing the score …"):
        return in_worker(lambda: score_terms(backend, run, cell))


def removals(run: Trace, cell: Cell) -> tuple[RemovalTest, ...]:
    """The effect of removing the largest term of each side. Raises what `split_score` does."""
    backend, terms = model(run.model_name), VALUES.get(split_score, run, cell)
    with st.spinner("Removing terms from the run …"):
        return in_worker(lambda: tuple(removal_test(backend, run, terms, side) for side in SIDES))


def sweep(model_name: str, text: str, word: int) -> Job[WordSweep]:
    """The sweep over all heads for one word of a text; the caller starts it."""

    def work(backend: Backend, progress: Progress) -> WordSweep:
        tokens, known = backend.tokenize(text), probes(model_name)
        return sweep_word(backend, tokens, positions_of_word(tokens, word), probes=known, progress=progress)

    return Job(work, nbytes=SWEEP_BYTES)


def claims_about_texts(model_name: str, runs: tuple[Texts, ...], claims: tuple[str, ...]) -> ClaimsJob:
    """Claims about an encoder's runs over one pair, or over two texts alone; the caller starts the job."""

    def subject() -> Subject:
        return subject_of_runs(model(model_name), [trace(model_name, a, b) for a, b in runs], probes(model_name))

    return ClaimsJob([parse_claim(claim) for claim in claims], subject)


def claims_about_table(model_name: str, table: Table, claims: tuple[str, ...]) -> ClaimsJob:
    """Claims about a table that ships; the caller starts the job."""
    return ClaimsJob([parse_claim(claim) for claim in claims], lambda: table_subject(model(model_name), table))


def claims_about_writing(writer_name: str, task: Task, text: str, claims: tuple[str, ...]) -> ClaimsJob:
    """Claims about what an encoder-decoder writes; the caller starts the job."""
    return ClaimsJob([parse_claim(claim) for claim in claims], lambda: generation(writer_name, task, text))


def anatomy(backend: Backend, texts: Texts, *, layer: int) -> Record:
    """One layer of our own encoder with all its tensors. Raises InputError."""
    return record(ours(backend).encoder, backend.tokenize(*texts), layer=layer)


def masked_attention(backend: Backend, texts: Texts, *, layer: int, mask: Mask) -> Masked:
    """One layer's attention with a mask and without."""
    return masked(ours(backend).encoder, backend.tokenize(*texts), layer=layer, mask=mask)


def what_if(backend: Backend, texts: Texts, *, layer: int, what_ifs: tuple[WhatIf, ...]) -> Changed:
    """One layer's attention in a pass with something changed."""
    return changed(ours(backend).encoder, backend.tokenize(*texts), layer=layer, what_ifs=what_ifs)
