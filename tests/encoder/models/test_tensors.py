"""Traces of the layers computed so far, and texts split into batches."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder import Trace
from encoder.errors import NotFiniteError
from encoder.models.tensors import batches_within
from tests.encoder.random_models import CAPTURED, EAGER, HEADS, LAYERS, A, B, Zoo, backend_of

every_reporting_family = pytest.mark.parametrize(
    "family", ["scratch", "scratch-pre-norm", *(family.name for family in CAPTURED)]
)
SILENCED = ((0, 1), (1, 2))


def parts_of_run(zoo: Zoo, family: str) -> tuple[Trace, list[tuple[int, Trace]]]:
    """A whole trace, and the traces reported while it was computed."""
    reported: list[tuple[int, Trace]] = []

    def report(layer: int, so_far: Callable[[], Trace]) -> None:
        reported.append((layer, so_far()))

    backend = backend_of(zoo, family)
    return backend.trace(A, B, silenced_heads=SILENCED, on_layer=report), reported


@every_reporting_family
def test_after_each_layer_there_is_the_trace_until_it(zoo: Zoo, family: str) -> None:
    whole, reported = parts_of_run(zoo, family)
    assert [layer for layer, _ in reported] == list(range(LAYERS))
    for layer, part in reported:
        assert part.num_layers == layer + 1
        assert part.num_heads == HEADS
        assert (part.tokens, part.model_name, part.notes) == (whole.tokens, whole.model_name, whole.notes)
        assert part.silenced_heads == whole.silenced_heads == SILENCED
        assert part.prediction is None
        np.testing.assert_array_equal(part.hidden_states, whole.hidden_states[: layer + 2])
        for index in range(layer + 1):
            np.testing.assert_array_equal(part.weights(index), whole.weights(index))
            np.testing.assert_array_equal(part.values(index), whole.values(index))


@every_reporting_family
def test_reporting_layers_changes_nothing(zoo: Zoo, family: str) -> None:
    whole, _ = parts_of_run(zoo, family)
    alone = backend_of(zoo, family).trace(A, B, silenced_heads=SILENCED)
    np.testing.assert_array_equal(whole.hidden_states, alone.hidden_states)


@pytest.mark.parametrize("family", [family.name for family in EAGER])
def test_a_model_with_its_own_attention_code_reports_nothing(zoo: Zoo, family: str) -> None:
    reported: list[int] = []
    trace = backend_of(zoo, family).trace(A, on_layer=lambda layer, _: reported.append(layer))
    assert trace.num_layers
    assert reported == []


def test_a_reported_trace_is_finite_or_the_run_ends(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    (network,) = backend.modules
    inside = network.get_submodule("encoder.layer.1.output.dense")
    reported: list[int] = []

    def report(index: int, so_far: Callable[[], Trace]) -> None:
        so_far()
        reported.append(index)

    handle = inside.register_forward_hook(lambda module, given, output: output * np.inf)
    try:
        with pytest.raises(NotFiniteError, match="layer 1"):
            backend.trace(A, on_layer=report)
    finally:
        handle.remove()
    assert reported == [0]


def test_a_text_that_is_longer_than_the_budget_is_alone() -> None:
    assert batches_within([0, 1, 2, 3], [2, 3, 9, 1], 6) == [[0, 1], [2], [3]]
    assert batches_within([], [], 6) == []


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(40, 200))
def test_batches_keep_the_order_and_are_as_long_as_they_can_be(lengths: list[int], budget: int) -> None:
    batches = batches_within(range(len(lengths)), lengths, budget)
    assert [index for batch in batches for index in batch] == list(range(len(lengths)))
    for batch, following in pairwise(batches):
        longer = [*batch, following[0]]
        assert max(lengths[index] for index in longer) * len(longer) > budget


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(0, 40))
def test_batches_have_at_most_the_allowed_padding(lengths: list[int], most: int) -> None:
    batches = batches_within(range(len(lengths)), lengths, 200, most_padding=most)
    assert [index for batch in batches for index in batch] == list(range(len(lengths)))
    for batch in batches:
        own = [lengths[index] for index in batch]
        assert max(own) * len(own) - sum(own) <= most
