"""A sweep over all heads in a thread of its own, which can be watched, cancelled and restarted."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial

from encoder import Backend
from encoder.errors import HeadlightError
from encoder.experiments.silencing import draw_control_words, sweep_heads
from encoder.measures.head_effects import HeadEffects, select_words
from encoder.shipped.probes import Probes
from encoder.text.occurrences import positions_of_word
from viz.threads import start_thread

CONTROL_WORDS = 8  # of each text


class _CancelledError(Exception):
    """Ends a sweep from inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """The effects of all heads: on the word, and on random other words of its text, which are the control."""

    word: HeadEffects
    others: HeadEffects


class Sweep:
    """One word's sweep. Every method may be called from any thread.

    Attributes:
        done, total: how many of the model's heads have been silenced, and how many there are.
        result: None until all are.
        error: why it failed, or None.
    """

    def __init__(self, text: str, word: int, *, probes: Probes | None) -> None:
        self._text, self._word, self._probes = text, word, probes
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._worker: threading.Thread | None = None
        self.done, self.total = 0, 0
        self.result: SweepResult | None = None
        self.error: HeadlightError | None = None

    @property
    def running(self) -> bool:
        return self._worker is not None and self._worker.is_alive()

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled, and not started since."""
        return self._cancelled.is_set()

    def start(self, backend: Backend, *, delay: float = 0.0) -> None:
        """Begin after so many seconds, unless it runs or is done already."""
        with self._lock:
            if self.running or self.result is not None:
                return
            self._cancelled.clear()
            self.done, self.error = 0, None
            self._worker = start_thread(partial(self._work, backend, delay), stop=self.cancel, name="headlight-sweep")

    def cancel(self) -> None:
        """End it after the batch that is being run, or at once where it has not begun."""
        self._cancelled.set()

    def wait(self, seconds: float) -> None:
        """Until it is over, or so many seconds have passed."""
        if self._worker is not None:
            self._worker.join(seconds)

    def _work(self, backend: Backend, delay: float) -> None:
        if self._cancelled.wait(delay):
            return
        tokens = backend.tokenize(self._text)
        word = positions_of_word(tokens, self._word)
        words = [word, *draw_control_words(tokens, word, count=CONTROL_WORDS)]
        try:
            effects = sweep_heads(backend, tokens, words, probes=self._probes, progress=self._report_progress)
        except _CancelledError:
            return
        except HeadlightError as error:
            self.error = error
            return
        self.result = SweepResult(word=select_words(effects, [0]), others=select_words(effects, range(1, len(words))))

    def _report_progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if self._cancelled.is_set():
            raise _CancelledError
