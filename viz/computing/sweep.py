"""A sweep over all heads in a thread of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from encoder import Backend
from encoder.experiments.silencing import draw_control_words, effects_of_vectors, silenced_vectors
from encoder.measures.head_effects import HeadEffects, select_words, shift_effects
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import Probes
from encoder.text.occurrences import positions_of_word
from viz.computing.job import Job, Progress

CONTROL_WORDS = 8  # of each text


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """The effects of all heads: on the word, and on random other words of its text, which are the control.

    Attributes:
        vectors: (1 + L * H, W, D) final vectors of the word and of the others, as `silenced_vectors` gives them.
    """

    word: HeadEffects
    others: HeadEffects
    vectors: FloatArray

    def held_against(self, other: FloatArray) -> SweepResult:
        """The same with the shift from a final vector (D,) of another text, which needs no run."""
        _, layers, heads = self.word.distance.shape
        shift = shift_effects(self.vectors[0], self.vectors[1:], (layers, heads), other)  # (W, L, H)
        return replace(self, word=replace(self.word, shift=shift[:1]), others=replace(self.others, shift=shift[1:]))


class Sweep(Job[SweepResult]):
    """One word's sweep; its progress counts the model's heads."""

    nbytes = 4_000_000  # the final vectors of nine words of BERT-base in every run

    def __init__(self, text: str, word: int, *, probes: Probes | None) -> None:
        def work(backend: Backend, progress: Progress) -> SweepResult:
            tokens = backend.tokenize(text)
            positions = positions_of_word(tokens, word)
            words = [positions, *draw_control_words(tokens, positions, count=CONTROL_WORDS)]
            vectors = silenced_vectors(backend, tokens, words, progress=progress)
            effects = effects_of_vectors(backend, vectors, probes=probes)
            others = select_words(effects, range(1, len(words)))
            return SweepResult(word=select_words(effects, [0]), others=others, vectors=vectors)

        super().__init__(work, name="headlight-sweep")
