"""Encoder-decoders, and what they write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from encoder.catalogue import Writer, load_writer, write
from encoder.experiments.decoder_lens import WrittenText, decoder_lens
from encoder.runs.generation import Generation
from encoder.shipped.tasks import Task
from viz.caches import revisions
from viz.caches.memo import MODELS, VALUES, key_of
from viz.caches.run_cache import load_revision, timed_in_worker
from viz.computing.worker import in_worker

if TYPE_CHECKING:
    from encoder.shipped.seq2seq import Seq2SeqBackend


def writer(name: str) -> Writer:
    """An encoder-decoder, loaded once from the same files. Raises ModelError."""
    return MODELS.get(_load_writer, revisions.current(name))


def _load_writer(name: str) -> Writer:
    with st.spinner("Loading the model …"):
        return load_revision(name, load_writer)


def generation(writer_name: str, task: Task, text: str) -> Generation:
    """What an encoder-decoder writes about a text. Raises InputError."""
    return VALUES.get(_generate, revisions.current(writer_name), task, text)


def _generate(writer_name: str, task: Task, text: str) -> Generation:
    model = writer(writer_name)
    with st.spinner("Writing, a token at a time …"):
        return timed_in_worker(writer_name, lambda: write(model, task, text), lambda run: run.source.tokens)


def texts_by_layer(model: Seq2SeqBackend, task: Task, text: str) -> tuple[WrittenText, ...]:
    """What our decoder writes from each hidden state of its encoder. Raises InputError."""
    return VALUES.compute(
        key_of(texts_by_layer, model.name, task, text),
        lambda: in_worker(lambda: decoder_lens(model, model.tokenize(task, text))),
    )
