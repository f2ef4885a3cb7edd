"""A sweep over all heads in a thread of its own."""

from __future__ import annotations

from dataclasses import dataclass

from encoder import Backend
from encoder.experiments.silencing import draw_control_words, sweep_heads
from encoder.measures.head_effects import HeadEffects, select_words
from encoder.shipped.probes import Probes
from encoder.text.occurrences import positions_of_word
from viz.computing.job import Job, Progress

CONTROL_WORDS = 8  # of each text


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """The effects of all heads: on the word, and on random other words of its text, which are the control."""

    word: HeadEffects
    others: HeadEffects


class Sweep(Job[SweepResult]):
    """One word's sweep; its progress counts the model's heads."""

    def __init__(self, text: str, word: int, *, probes: Probes | None) -> None:
        def work(backend: Backend, progress: Progress) -> SweepResult:
            tokens = backend.tokenize(text)
            positions = positions_of_word(tokens, word)
            words = [positions, *draw_control_words(tokens, positions, count=CONTROL_WORDS)]
            effects = sweep_heads(backend, tokens, words, probes=probes, progress=progress)
            others = select_words(effects, range(1, len(words)))
            return SweepResult(word=select_words(effects, [0]), others=others)

        super().__init__(work, name="headlight-sweep")
