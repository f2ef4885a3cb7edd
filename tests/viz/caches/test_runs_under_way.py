"""Waiting for one layer of a run that continues."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from encoder import Trace
from encoder.errors import InputError
from encoder.runs.layer_attention import LayerAttention
from tests.viz.made_up import random_weights, tokens_of
from viz.caches.run_cache import RunKey, RunsUnderWay

TEXTS = ("model", "time flies", None)
RUN: RunKey = (*TEXTS, ())
SECONDS = 30.0


def trace_of(num_layers: int) -> Trace:
    tokens = tokens_of([1, 1])
    layer = LayerAttention(given_weights=random_weights(len(tokens)))
    states = np.zeros((num_layers + 1, len(tokens), 4), np.float32)
    return Trace(model_name="model", tokens=tokens, layers=(layer,) * num_layers, hidden_states=states)


PART, WHOLE = trace_of(2), trace_of(4)


class Model:
    """A run of four layers, which continues after two of them on request."""

    def __init__(self) -> None:
        self.runs = RunsUnderWay(self.compute)
        self.goes_on = threading.Event()
        self.ended = threading.Event()

    def compute(self, *_: object) -> Trace:
        for layer in range(2):
            self.runs.reached(RUN, layer, lambda: PART)
        assert self.goes_on.wait(SECONDS)
        for layer in range(2, 4):
            self.runs.reached(RUN, layer, lambda: WHOLE)
        self.ended.set()
        return WHOLE


def test_a_layer_is_there_before_the_run_is_over() -> None:
    model = Model()
    assert model.runs.trace_until(*TEXTS, layer=1) is PART
    assert not model.ended.is_set()
    model.goes_on.set()
    assert model.ended.wait(SECONDS)


def test_a_later_layer_is_waited_for() -> None:
    model = Model()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(model.runs.trace_until, *TEXTS, layer=3)
        assert not asked.done()
        model.goes_on.set()
        assert asked.result(SECONDS) is WHOLE


def test_each_caller_gets_the_first_trace_that_has_its_layer() -> None:
    model = Model()
    begun = threading.Barrier(3)

    def compute_together(*_: object) -> Trace:
        begun.wait(SECONDS)
        return model.compute()

    model.runs = RunsUnderWay(compute_together)
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(model.runs.trace_until, *TEXTS, layer=layer) for layer in (0, 1, 2)]
        assert [asked[layer].result(SECONDS) for layer in (0, 1)] == [PART, PART]
        assert not asked[2].done()
        model.goes_on.set()
        assert asked[2].result(SECONDS) is WHOLE


def test_a_run_that_reports_no_layer_is_awaited() -> None:
    assert RunsUnderWay(lambda *_: WHOLE).trace_until(*TEXTS, layer=1) is WHOLE


def test_an_error_of_the_run_reaches_the_caller() -> None:
    def fail(*_: object) -> Trace:
        raise InputError("There is nothing to encode.")

    with pytest.raises(InputError, match="nothing to encode"):
        RunsUnderWay(fail).trace_until(*TEXTS, layer=1)


def test_a_trace_is_made_only_if_a_caller_waits_for_it() -> None:
    def made() -> Trace:
        raise AssertionError("no caller waits for it")

    def compute(*_: object) -> Trace:
        runs.reached(("another", *RUN[1:]), 1, made)
        runs.reached(RUN, 0, made)
        runs.reached(RUN, 1, lambda: PART)
        runs.reached(RUN, 2, made)  # the caller has it
        return WHOLE

    runs = RunsUnderWay(compute)
    runs.reached(RUN, 1, made)
    assert runs.trace_until(*TEXTS, layer=1).num_layers >= 2
    runs.reached(RUN, 1, made)  # no caller waits any more
