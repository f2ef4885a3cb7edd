"""A run that is looked at while it goes on."""

from collections.abc import Callable

import numpy as np
import pytest

from encoder import Trace
from encoder.errors import NotFiniteError
from tests.encoder.random_models import CAPTURED, EAGER, HEADS, LAYERS, A, B, Zoo, backend_of

watchable = pytest.mark.parametrize("family", ["scratch", "scratch-pre-norm", *(family.name for family in CAPTURED)])
SILENCED = ((0, 1), (1, 2))


def parts_of_run(zoo: Zoo, family: str) -> tuple[Trace, list[tuple[int, Trace]]]:
    """A whole trace, and what was told while it was made."""
    told: list[tuple[int, Trace]] = []

    def note(layer: int, so_far: Callable[[], Trace]) -> None:
        told.append((layer, so_far()))

    backend = backend_of(zoo, family)
    return backend.trace(A, B, silenced_heads=SILENCED, on_layer=note), told


@watchable
def test_after_each_layer_there_is_the_trace_until_it(zoo: Zoo, family: str) -> None:
    whole, told = parts_of_run(zoo, family)
    assert [layer for layer, _ in told] == list(range(LAYERS))
    for layer, part in told:
        assert part.num_layers == layer + 1
        assert part.num_heads == HEADS
        assert (part.tokens, part.model_name, part.notes) == (whole.tokens, whole.model_name, whole.notes)
        assert part.silenced_heads == whole.silenced_heads == SILENCED
        assert part.prediction is None
        np.testing.assert_array_equal(part.hidden_states, whole.hidden_states[: layer + 2])
        for index in range(layer + 1):
            np.testing.assert_array_equal(part.weights(index), whole.weights(index))
            np.testing.assert_array_equal(part.values(index), whole.values(index))


@watchable
def test_being_looked_at_changes_nothing(zoo: Zoo, family: str) -> None:
    whole, _ = parts_of_run(zoo, family)
    alone = backend_of(zoo, family).trace(A, B, silenced_heads=SILENCED)
    np.testing.assert_array_equal(whole.hidden_states, alone.hidden_states)


@pytest.mark.parametrize("family", [family.name for family in EAGER])
def test_a_model_with_attention_code_of_its_own_tells_nothing(zoo: Zoo, family: str) -> None:
    told: list[int] = []
    trace = backend_of(zoo, family).trace(A, on_layer=lambda layer, _: told.append(layer))
    assert trace.num_layers
    assert told == []


def test_what_is_told_is_finite_or_the_run_ends(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    (network,) = backend.modules
    inside = network.get_submodule("encoder.layer.1.output.dense")
    told: list[int] = []

    def note(index: int, so_far: Callable[[], Trace]) -> None:
        so_far()
        told.append(index)

    handle = inside.register_forward_hook(lambda module, given, output: output * np.inf)
    try:
        with pytest.raises(NotFiniteError, match="layer 1"):
            backend.trace(A, on_layer=note)
    finally:
        handle.remove()
    assert told == [0]
