"""The states of sense-labelled words in a model, and how similar those of a word usually are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from encoder.errors import InputError
from encoder.experiments.senses.rows import SenseRow, shipped_senses
from encoder.measures.similarity import ReferenceBand, reference_band
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import Positions, positions_of_span
from encoder.text.tokens import Tokens


def states_of_rows(backend: Backend, rows: Sequence[SenseRow]) -> tuple[list[int], FloatArray]:
    """The states of labelled words, each sentence encoded alone.

    Returns:
        The indices of the N rows whose word the model reads, in order, and (N, L + 1, D) states. A word is left out if
        it was truncated, or if the tokenizer keeps none of its characters.
    """
    located = list(_located(backend, rows))
    states = backend.states_of_words([(tokens, positions) for _, tokens, positions in located])
    return [index for index, _, _ in located], states


def band_of_model(backend: Backend) -> ReferenceBand:
    """How similar two occurrences of a word usually are in a model, from the shipped sentences."""
    rows = shipped_senses()
    kept, states = states_of_rows(backend, rows)  # (N, L + 1, D)
    read = [rows[index] for index in kept]
    return reference_band(states, [row.word for row in read], [row.sense for row in read])


def _located(backend: Backend, rows: Sequence[SenseRow]) -> Iterator[tuple[int, Tokens, Positions]]:
    """The rows whose word the model reads: index, tokens, and the word's positions among them."""
    for index, row in enumerate(rows):
        try:
            tokens = backend.tokenize(row.text)
            yield index, tokens, positions_of_span(tokens, row.span)
        except InputError:
            continue
