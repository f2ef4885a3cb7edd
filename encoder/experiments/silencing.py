"""Silence each head in turn, and measure the effects on the words of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from encoder.errors import ShapeError
from encoder.measures.head_effects import HeadEffects, head_effects, select_words, shift_effects
from encoder.measures.units import word_mean_matrix
from encoder.models.base import Backend
from encoder.models.interventions import UNCHANGED, Intervention
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import Probes
from encoder.text.common_words import has_letters
from encoder.text.occurrences import Positions, positions_of_word
from encoder.text.tokens import Tokens

CONTROL_WORDS = 8  # of each text


def sweep_heads(
    backend: Backend,
    tokens: Tokens,
    words: Sequence[Positions],
    *,
    probes: Probes | None = None,
    other: FloatArray | None = None,
    progress: Progress = no_progress,
) -> HeadEffects:
    """Silence each head in turn, in batches of copies of one text, and measure the effects on words of the text.

    One sweep measures the chosen word and its control words.

    Args:
        words: the positions of each of W words.
        probes: the model's, for the last layer's log-odds.
        other: (D,) the final vector in another text, from which the shift is measured.
        progress: called after each of L * H runs; an exception raised there cancels the sweep.
    Raises:
        SelectionError: there is no such token, or the model's heads cannot be silenced.
        ShapeError: there are no words, or the other vector has another width.
    """
    vectors = _silenced_vectors(backend, tokens, words, progress=progress)
    return _effects_of_vectors(backend, vectors, probes=probes, other=other)


def _effects_of_vectors(
    backend: Backend, vectors: FloatArray, *, probes: Probes | None = None, other: FloatArray | None = None
) -> HeadEffects:
    """The effects of all heads, from the result of `_silenced_vectors` (1 + L * H, W, D). The rest as `sweep_heads`."""
    scores = probes.scores(vectors, backend.num_layers) if probes is not None else None
    return head_effects(vectors, (backend.num_layers, backend.num_heads), scores=scores, other=other)


def _silenced_vectors(
    backend: Backend, tokens: Tokens, words: Sequence[Positions], *, progress: Progress = no_progress
) -> FloatArray:
    """(1 + L * H, W, D) final vectors of words: with all heads, then with each silenced. The rest as `sweep_heads`."""
    if not words:
        raise ShapeError("A sweep needs at least one word.")
    word_means = word_mean_matrix(words, len(tokens))  # (W, T)
    heads = [(layer, head) for layer in range(backend.num_layers) for head in range(backend.num_heads)]
    interventions = [UNCHANGED, *(Intervention(silenced_heads=(head,)) for head in heads)]
    final_vectors = []
    for index, states in enumerate(backend.hidden_states([tokens] * len(interventions), interventions)):
        final_vectors.append(word_means @ states[-1])  # (W, D)
        if index:
            progress(index, len(heads))
    return np.stack(final_vectors)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSweep:
    """The effects of all heads on a word, and on others, the control, with the result of `_silenced_vectors`."""

    word: HeadEffects
    others: HeadEffects
    vectors: FloatArray

    def with_shift(self, other: FloatArray) -> WordSweep:
        """The same with the shift from a final vector (D,) of another text, which needs no run."""
        _, layers, heads = self.word.distance.shape
        shift = shift_effects(self.vectors, (layers, heads), other)  # (W, L, H)
        return replace(self, word=replace(self.word, shift=shift[:1]), others=replace(self.others, shift=shift[1:]))


def sweep_word(
    backend: Backend,
    tokens: Tokens,
    positions: Positions,
    *,
    probes: Probes | None,
    progress: Progress = no_progress,
) -> WordSweep:
    """The effects of all heads on a word, and on random other words of its text. The rest as `sweep_heads`."""
    words = [positions, *draw_control_words(tokens, positions, count=CONTROL_WORDS)]
    vectors = _silenced_vectors(backend, tokens, words, progress=progress)
    effects = _effects_of_vectors(backend, vectors, probes=probes)
    others = select_words(effects, range(1, len(words)))
    return WordSweep(word=select_words(effects, [0]), others=others, vectors=vectors)


def draw_control_words(tokens: Tokens, word: Positions, *, count: int) -> list[Positions]:
    """Random words of a text, as a control for one of its words; the same each time.

    Truncated words and words without a letter or digit are excluded.

    Returns:
        The positions of each, in text order.
    """
    candidates = [
        positions
        for index in tokens.words_read
        if has_letters(tokens.words[index]) and not set(positions := positions_of_word(tokens, index)) & set(word)
    ]
    chosen = np.random.default_rng(0).permutation(len(candidates))[:count]
    return [candidates[index] for index in sorted(chosen)]
