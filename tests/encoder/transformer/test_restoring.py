"""Stored values into weights: all, none besides, each of the right shape, and nothing by halves."""

import pytest
import torch
from torch import Tensor, nn

from encoder.errors import CheckpointError
from encoder.transformer.restoring import restore_weights


@pytest.fixture
def model() -> nn.Module:
    return nn.Linear(3, 2)


def stored(model: nn.Module) -> dict[str, Tensor]:
    return {name: torch.full_like(weight, 7) for name, weight in model.named_parameters()}


def test_parameters_that_are_learned_take_the_stored_values(model: nn.Module) -> None:
    restore_weights(dict(model.named_parameters()), stored(model), where="The file")
    assert all(bool((weight == 7).all()) and weight.requires_grad for weight in model.parameters())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bias": None}, r"^The file does not fit the model\. Missing: bias\.$"),
        ({"scale": torch.ones(1)}, r"^The file does not fit the model\. Left over: scale\.$"),
        (dict.fromkeys("cab", torch.ones(1)), r"Left over: a, b, c\.$"),
        (dict.fromkeys("abdce", torch.ones(1)), r"Left over: a, b, c and 2 more\.$"),
        ({"bias": None, "scale": torch.ones(1)}, r"Missing: bias\. Left over: scale\.$"),
        ({"bias": torch.ones(3)}, r"^The file does not fit the model: bias is \(3,\) and should be \(2,\)\.$"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_copied(
    model: nn.Module, changes: dict[str, Tensor | None], message: str
) -> None:
    values = {name: value for name, value in (stored(model) | changes).items() if value is not None}
    with pytest.raises(CheckpointError, match=message):
        restore_weights(dict(model.named_parameters()), values, where="The file")
    assert not any(bool((weight == 7).any()) for weight in model.parameters())
