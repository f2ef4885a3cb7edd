"""Integrated gradients and gradient × input: complete, zero where nothing changes, right where the answer is known."""

from itertools import product
from pathlib import Path as FilePath
from typing import get_args

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import encoder
from encoder import Backend
from encoder.attribution import gradients
from encoder.attribution.gradients import Path, Rule, gradient_times_input, integrated_gradients
from encoder.attribution.quantities import ClassQuantity, measure
from encoder.attribution.removals import removable_units, without
from encoder.errors import ArgumentError, SelectionError, UnsupportedModelError
from encoder.models.base import BatchOutput
from tests.encoder.attribution.classifiers import DECOMPOSED, classifier
from tests.encoder.random_models import WIDTH, A, B, Zoo, backend_of
from tests.rounding import rounding

LOGIT = ClassQuantity(1, unit="logit")


@pytest.fixture(params=[*DECOMPOSED, "mpnet", "deberta-v2"])
def classes(zoo: Zoo, tmp_path: FilePath, request: pytest.FixtureRequest) -> Backend:
    return classifier(zoo, tmp_path, request.param)


def test_the_values_sum_to_text_minus_masks(classes: Backend) -> None:
    tokens = classes.tokenize(A, B)
    positions = [position for unit in removable_units(tokens) for position in unit]
    masked = without(tokens, positions, "mask", backend=classes)
    text, masks = measure(classes, [tokens, masked], LOGIT)
    found = integrated_gradients(classes, tokens, LOGIT, path=Path(points=200))
    assert found.total == pytest.approx(text - masks, abs=1e-4)
    assert found.completeness_error < 0.01 * max(abs(found.total), np.abs(found.values).max())
    framing = [position for position, special in enumerate(tokens.special) if special]
    assert_allclose(found.values[framing], 0, atol=rounding(WIDTH))  # ELECTRA projects its embeddings


def test_a_long_text_takes_few_points_at_once(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens, quantity = bundled.tokenize("not a lovely film"), ClassQuantity(2, (0,))
    together = integrated_gradients(bundled, tokens, quantity, path=Path(8))
    sizes = []

    def counting(output: BatchOutput) -> torch.Tensor:
        sizes.append(len(output.hidden_states[0]))
        return quantity(output)

    monkeypatch.setattr(gradients, "TOKENS_AT_ONCE", 3 * len(tokens))
    apart = integrated_gradients(bundled, tokens, counting, path=Path(8))
    assert sizes == [3, 3, 2, 2]  # and the two ends
    assert_allclose(apart.values, together.values, atol=1e-5)


def test_a_linear_quantity_is_decomposed_exactly(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    tokens = backend.tokenize(A)
    weights = torch.randn(len(tokens), WIDTH, generator=torch.Generator().manual_seed(0))

    def linear(output: BatchOutput) -> torch.Tensor:
        return (output.hidden_states[0] * weights).sum((1, 2))

    states = backend.trace(A).hidden_states[0]
    positions = [position for position, special in enumerate(tokens.special) if not special]
    masked = backend.run(without(tokens, positions, "mask", backend=backend)).hidden_states[0]
    products = weights.numpy() * (states - masked)
    found = integrated_gradients(backend, tokens, linear, path=Path(points=1))
    assert_allclose(found.values, products.sum(-1), atol=1e-4)
    assert found.completeness_error < 1e-3
    assert_allclose(gradient_times_input(backend, tokens, linear).values, (weights.numpy() * states).sum(-1), atol=1e-4)


def test_weights_of_the_path_sum_to_one() -> None:
    for points, rule in product((1, 2, 8), get_args(Rule)):
        nodes, weights = Path(points, rule=rule).nodes()
        assert nodes.min() > 0
        assert nodes.max() < 1
        assert weights.sum() == pytest.approx(1)


def test_midpoints_are_those_of_equal_parts() -> None:
    nodes, weights = Path(4, rule="midpoints").nodes()
    assert_allclose(nodes, [0.125, 0.375, 0.625, 0.875])
    assert_allclose(weights, [0.25] * 4)


def test_eight_midpoints_miss_less_of_a_class_than_eight_points_of_gauss() -> None:
    sentiment = encoder.load("bundled-sentiment")
    tokens, quantity = sentiment.tokenize("a lovely film, and not boring at all"), ClassQuantity(2, (0,))
    missed = {
        rule: integrated_gradients(sentiment, tokens, quantity, path=Path(8, rule=rule)).completeness_error
        for rule in get_args(Rule)
    }
    assert missed["midpoints"] < missed["Gauss"] / 2


def test_what_cannot_be_asked_is_an_error(zoo: Zoo) -> None:
    with pytest.raises(ArgumentError, match="at least 1"):
        Path(points=0)
    bert = backend_of(zoo, "bert")
    with pytest.raises(UnsupportedModelError, match="no classification head"):
        integrated_gradients(bert, bert.tokenize(A), LOGIT)


def test_classes_are_held_against_those_that_are_named(zoo: Zoo, tmp_path: FilePath) -> None:
    backend = classifier(zoo, tmp_path, "scratch")
    tokens = backend.tokenize(A)
    prediction = backend.trace(A).prediction
    one, odds = (float(measure(backend, [tokens], ClassQuantity(1, unit=unit))[0]) for unit in ("logit", "log odds"))
    assert one == pytest.approx(prediction.logits[1], abs=1e-5)
    probability = prediction.probabilities[1]
    assert odds == pytest.approx(np.log(probability / (1 - probability)), abs=1e-4)
    assert measure(backend, [tokens], ClassQuantity(1, unit="probability")) == pytest.approx(probability, abs=1e-5)
    against = measure(backend, [tokens], ClassQuantity(1, (0,)))[0]
    assert against == pytest.approx(prediction.logits[1] - prediction.logits[0], abs=1e-5)
    with pytest.raises(SelectionError, match="0 to 2"):
        measure(backend, [tokens], ClassQuantity(3))
