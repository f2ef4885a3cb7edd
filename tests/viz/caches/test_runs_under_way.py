"""Waiting for one layer of a run that continues."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from encoder import Trace
from encoder.errors import InputError
from encoder.runs.layer_attention import LayerAttention
from tests.viz.made_up import random_weights, tokens_of
from viz.caches.run_cache import RunsUnderWay

RUN = ("model", "time flies", None)
SECONDS = 30.0


def trace_of(num_layers: int) -> Trace:
    tokens = tokens_of([1, 1])
    layer = LayerAttention(given_weights=random_weights(len(tokens)))
    states = np.zeros((num_layers + 1, len(tokens), 4), np.float32)
    return Trace(model_name="model", tokens=tokens, layers=(layer,) * num_layers, hidden_states=states)


PART, WHOLE = trace_of(2), trace_of(4)


class Model:
    """A run of four layers, which continues after two of them on request."""

    def __init__(self, runs: RunsUnderWay) -> None:
        self.runs = runs
        self.goes_on = threading.Event()
        self.ended = threading.Event()

    def compute(self) -> Trace:
        for layer in range(2):
            self.runs.reached(RUN, layer, lambda: PART)
        assert self.goes_on.wait(SECONDS)
        for layer in range(2, 4):
            self.runs.reached(RUN, layer, lambda: WHOLE)
        self.ended.set()
        return WHOLE


def test_a_layer_is_there_before_the_run_is_over() -> None:
    runs = RunsUnderWay()
    model = Model(runs)
    assert runs.until(RUN, 1, model.compute) is PART
    assert not model.ended.is_set()
    model.goes_on.set()
    assert model.ended.wait(SECONDS)


def test_a_later_layer_is_waited_for() -> None:
    runs = RunsUnderWay()
    model = Model(runs)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(runs.until, RUN, 3, model.compute)
        assert not asked.done()
        model.goes_on.set()
        assert asked.result(SECONDS) is WHOLE


def test_each_who_waits_gets_the_first_that_has_the_layer() -> None:
    runs = RunsUnderWay()
    model = Model(runs)
    begun = threading.Barrier(3)

    def compute_together() -> Trace:
        begun.wait(SECONDS)
        return model.compute()

    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(runs.until, RUN, layer, compute_together) for layer in (0, 1, 2)]
        assert [asked[layer].result(SECONDS) for layer in (0, 1)] == [PART, PART]
        assert not asked[2].done()
        model.goes_on.set()
        assert asked[2].result(SECONDS) is WHOLE


def test_a_run_that_reports_no_layer_is_awaited() -> None:
    assert RunsUnderWay().until(RUN, 1, lambda: WHOLE) is WHOLE


def test_an_error_reaches_who_waits() -> None:
    def fail() -> Trace:
        raise InputError("There is nothing to encode.")

    with pytest.raises(InputError, match="nothing to encode"):
        RunsUnderWay().until(RUN, 1, fail)


def test_traces_are_made_for_those_only_who_wait() -> None:
    def made() -> Trace:
        raise AssertionError("no caller waits for it")

    runs = RunsUnderWay()
    runs.reached(RUN, 1, made)

    def compute() -> Trace:
        runs.reached(("another", *RUN[1:]), 1, made)
        runs.reached(RUN, 0, made)
        runs.reached(RUN, 1, lambda: PART)
        runs.reached(RUN, 2, made)  # the caller has it
        return WHOLE

    assert runs.until(RUN, 1, compute).num_layers >= 2
    runs.reached(RUN, 1, made)  # no caller waits any more
