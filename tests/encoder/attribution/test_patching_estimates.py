"""Estimates of what silencing heads and patching tokens does, beside exact runs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.attribution.patching_estimates import (
    patching_effects,
    patching_estimates,
    silencing_effects,
    silencing_estimates,
)
from encoder.attribution.quantities import ClassQuantity, TagQuantity, batch_of
from encoder.errors import ShapeError
from encoder.measures.ranks import rank_correlation
from encoder.models.base import BatchOutput
from encoder.models.hooks import Point
from encoder.models.interventions import Intervention, Patch
from encoder.shipped.probes import load_probes
from tests.encoder.attribution.classifiers import classifier
from tests.encoder.random_models import HEADS, LAYERS, A, Zoo, backend_of

FAMILIES = ("bert", "electra", "distilbert", "mpnet", "deberta-v2", "scratch")
QUANTITY = ClassQuantity(1, (0,))


def context_sum(output: BatchOutput) -> torch.Tensor:
    """Linear in the last states."""
    return output.hidden_states[-1][:, 1].sum(-1)


@pytest.fixture(params=FAMILIES)
def classes(zoo: Zoo, tmp_path: Path, request: pytest.FixtureRequest) -> Backend:
    return classifier(zoo, tmp_path, request.param)


def test_exact_changes_are_those_of_single_runs(classes: Backend) -> None:
    tokens = classes.tokenize(A)
    found = silencing_effects(classes, tokens, QUANTITY)
    assert found.shape == (LAYERS, HEADS)

    def odds(heads: Sequence[tuple[int, int]]) -> float:
        logits = classes.run(tokens, silenced_heads=heads).prediction.logits  # type: ignore[union-attr]
        return float(logits[1] - logits[0])

    for head in ((0, 0), (1, 3), (LAYERS - 1, 2)):
        assert found[head] == pytest.approx(odds([head]) - odds([]), abs=1e-4)


def test_gradients_are_those_of_small_steps(classes: Backend) -> None:
    """The estimate is the change per removed share of a head."""
    tokens, share = classes.tokenize(A), 3e-3
    estimates = silencing_estimates(classes, tokens, QUANTITY)

    @torch.no_grad()
    def with_gate(layer: int, head: int, gate: float) -> float:
        def weaken(context: torch.Tensor, _: Point) -> torch.Tensor:
            context = context.clone()
            context[:, head] *= 1 - gate
            return context

        return float(QUANTITY(classes.run_batch(batch_of(classes, [tokens]), {Point("context", layer): (weaken,)}))[0])

    for layer, head in ((0, 1), (LAYERS - 1, 0)):
        gradient = (with_gate(layer, head, share) - with_gate(layer, head, -share)) / (2 * share)
        assert estimates[layer, head] == pytest.approx(gradient, rel=0.05, abs=2e-3)


def test_a_second_gradient_brings_estimates_nearer(bundled: Backend) -> None:
    tokens = bundled.tokenize("time flies like an arrow")
    quantity = TagQuantity.of_probes(load_probes("bundled"), (2,), bundled.num_layers, (0, 1))
    exact = silencing_effects(bundled, tokens, quantity)
    once, twice = (silencing_estimates(bundled, tokens, quantity, second_gradient=two) for two in (False, True))
    assert rank_correlation(once, exact) > 0.85
    assert np.abs(twice - exact).mean() < np.abs(once - exact).mean()


def test_exact_patches_are_those_of_single_runs(zoo: Zoo) -> None:
    for family in FAMILIES:
        backend = backend_of(zoo, family)
        source, target = (backend.tokenize(text) for text in ("a flies like a banana", "b flies like a banana"))
        found = patching_effects(backend, source, target, context_sum)
        assert found.shape == (LAYERS + 1, len(target))
        states = next(backend.hidden_states([source]))
        before = next(backend.hidden_states([target]))[-1, 1].sum()
        for index, position in ((0, 1), (LAYERS, 1), (1, 3)):
            patch = Patch(state_index=index, positions=(position,), state=states[index, position])
            after = next(backend.hidden_states([target], [Intervention(patches=(patch,))]))[-1, 1].sum()
            assert found[index, position] == pytest.approx(after - before, abs=1e-3)
        estimates = patching_estimates(backend, source, target, context_sum)
        assert_allclose(estimates[-1], found[-1], atol=1e-3)  # a linear function of what is patched last
        assert_allclose(patching_estimates(backend, target, target, context_sum), 0, atol=1e-6)


def test_texts_of_other_lengths_have_no_counterparts(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    for of_pair in (patching_estimates, patching_effects):
        with pytest.raises(ShapeError, match="tokens: each token needs a counterpart"):
            of_pair(backend, backend.tokenize("time"), backend.tokenize(A), context_sum)


def test_a_sweep_tells_how_far_it_is_and_can_be_ended(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    seen: list[tuple[int, int]] = []
    silencing_effects(backend, backend.tokenize(A), context_sum, progress=lambda *done: seen.append(done))
    assert seen[-1] == (LAYERS * HEADS, LAYERS * HEADS)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        silencing_effects(backend, backend.tokenize(A), context_sum, progress=stop)
