"""Runs with nonlinear parts held fixed: the same numbers forward, and gradients of a linear function."""

import pytest
import torch

from encoder.attribution.linearised import Linearised
from encoder.attribution.quantities import batch_of
from encoder.models.hooks import EMBEDDING
from tests.encoder.random_models import A, Zoo


@pytest.mark.parametrize("family", ["bert", "distilbert", "roberta", "gpt2", "modernbert"])
def test_linearised_runs_leave_the_states_as_they_are(zoo: Zoo, family: str) -> None:
    model = zoo.backend(family)
    batch = batch_of(model, [model.tokenize(A)])
    states = model.run_batch(batch).hidden_states[-1]
    with Linearised():
        found = model.run_batch(batch).hidden_states[-1]
    torch.testing.assert_close(found, states, atol=1e-5, rtol=1e-4)


def test_a_linearised_state_is_the_sum_of_its_gradient_times_the_embeddings_and_biases(zoo: Zoo) -> None:
    model = zoo.backend("bert")
    module = model.modules[0]
    names = [name for name, _ in module.named_parameters() if name.endswith(".bias")]
    biases = [module.get_parameter(name) for name in names if "embeddings" not in name]
    batch = batch_of(model, [model.tokenize(A)])
    embeddings: list[torch.Tensor] = []

    def record(states: torch.Tensor, _: object) -> torch.Tensor:
        embeddings.append(states.detach().requires_grad_())
        return embeddings[0]

    with Linearised():
        number = model.run_batch(batch, {EMBEDDING: (record,)}).hidden_states[-1][0, 2, 5]
    parts = [*embeddings, *biases]
    gradients = torch.autograd.grad(number, parts, allow_unused=True, materialize_grads=True)
    total = torch.stack([(gradient * part).sum() for gradient, part in zip(gradients, parts, strict=True)]).sum()
    torch.testing.assert_close(total, number, atol=1e-4, rtol=1e-4)
