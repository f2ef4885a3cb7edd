"""A sweep beside the page: it ends with the sweep's numbers, is cancelled, and fails in words."""

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from encoder import Backend
from encoder.errors import SelectionError
from encoder.experiments.silencing import CONTROL_WORDS, draw_control_words, sweep_heads
from encoder.shipped.probes import load_probes
from encoder.text.occurrences import positions_of_word
from viz.computing.sweep import Sweep

TEXT = "time flies like an arrow"


class Slow:
    """A backend whose runs wait for a signal, or fail."""

    def __init__(self, backend: Backend, error: Exception | None = None) -> None:
        self._backend, self._error = backend, error
        self.go = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def hidden_states(self, texts: Sequence[Any], changes: Sequence[Any]) -> Iterator[Any]:
        if self._error:
            raise self._error
        for states in self._backend.hidden_states(texts, changes):
            assert self.go.wait(30)
            yield states


def test_a_sweep_gives_the_effects_on_the_word_and_on_others(bundled: Backend) -> None:
    probes = load_probes("bundled")
    sweep = Sweep(TEXT, 1, probes=probes)
    sweep.start(bundled)
    sweep.wait(60)
    assert not sweep.running
    assert sweep.result is not None
    assert (sweep.done, sweep.total) == (72, 72)
    tokens = bundled.tokenize(TEXT)
    word = positions_of_word(tokens, 1)
    wanted = sweep_heads(bundled, tokens, [word, *draw_control_words(tokens, word, count=CONTROL_WORDS)], probes=probes)
    np.testing.assert_array_equal(sweep.result.word.distance[0], wanted.distance[0])
    np.testing.assert_array_equal(sweep.result.others.distance, wanted.distance[1:])
    assert len(sweep.result.others.distance) == 4
    other = bundled.trace("fruit flies like a banana").hidden_states[-1, 2]
    held = sweep.result.with_shift(other)
    shifted = sweep_heads(
        bundled, tokens, [word, *draw_control_words(tokens, word, count=CONTROL_WORDS)], probes=probes, other=other
    )
    assert shifted.shift is not None
    assert held.word.shift is not None
    assert held.others.shift is not None
    np.testing.assert_allclose(np.concatenate([held.word.shift, held.others.shift]), shifted.shift, atol=1e-6)
    np.testing.assert_array_equal(held.word.distance, sweep.result.word.distance)


def test_a_cancelled_sweep_ends_and_can_be_begun_again(bundled: Backend) -> None:
    slow: Any = Slow(bundled)
    sweep = Sweep(TEXT, 1, probes=None)
    sweep.start(slow)
    sweep.start(slow)  # it runs already
    assert sweep.running
    sweep.cancel()
    slow.go.set()
    sweep.wait(60)
    assert sweep.cancelled
    assert not sweep.running
    assert sweep.result is None
    assert sweep.done < 72
    sweep.start(bundled)
    sweep.wait(60)
    assert sweep.result is not None
    assert not sweep.cancelled


def test_a_queued_sweep_has_not_begun_and_can_be_cancelled(bundled: Backend) -> None:
    sweep = Sweep(TEXT, 1, probes=None)
    sweep.start(bundled, delay=60)
    assert sweep.running
    sweep.cancel()
    sweep.wait(30)
    assert not sweep.running
    assert (sweep.done, sweep.result) == (0, None)
    sweep.start(bundled, delay=0.01)
    sweep.wait(60)
    assert sweep.result is not None


def test_a_sweep_that_cannot_be_made_says_why(bundled: Backend) -> None:
    broken: Any = Slow(bundled, SelectionError("This model's heads cannot be silenced."))
    sweep = Sweep(TEXT, 1, probes=None)
    sweep.start(broken)
    sweep.wait(60)
    assert str(sweep.error) == "This model's heads cannot be silenced."
    assert sweep.result is None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_bug_is_shown_and_not_repeated_before_a_click(bundled: Backend) -> None:
    broken: Any = Slow(bundled, MemoryError())
    sweep = Sweep(TEXT, 1, probes=None)
    sweep.start(broken)
    sweep.wait(60)
    assert (sweep.failed, sweep.waits_for_a_click) == (True, True)
    assert (sweep.error, sweep.result) == (None, None)
    sweep.start(bundled)
    sweep.wait(60)
    assert sweep.result is not None
    assert not sweep.waits_for_a_click
