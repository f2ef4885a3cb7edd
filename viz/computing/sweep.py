"""A sweep over all heads as a job."""

from __future__ import annotations

from encoder import Backend
from encoder.experiments.silencing import WordSweep, sweep_word
from encoder.shipped.probes import Probes
from encoder.text.occurrences import positions_of_word
from viz.computing.job import Job, Progress


class Sweep(Job[WordSweep]):
    """One word's sweep; its progress counts the model's heads."""

    nbytes = 4_000_000  # the final vectors of nine words of BERT-base in every run

    def __init__(self, text: str, word: int, *, probes: Probes | None) -> None:
        def work(backend: Backend, progress: Progress) -> WordSweep:
            tokens = backend.tokenize(text)
            return sweep_word(backend, tokens, positions_of_word(tokens, word), probes=probes, progress=progress)

        super().__init__(work, name="headlight-sweep")
