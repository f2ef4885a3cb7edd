"""The heads at the end of the anatomy, and their numbers worked out."""

import math

import numpy as np
import pytest
import torch

import encoder
from encoder import Backend
from encoder.experiments.anatomy.cells import logit, probability, readout_score
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import Record, ours, record
from encoder.models.scratch import ScratchBackend
from encoder.text.tokens import Tokens
from tests.rounding import rounding

A = "time flies like an arrow"


def test_logits_and_probabilities_are_the_models_own(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    read = readout(backend, seen)
    prediction = read.prediction
    for row in range(len(prediction.labels)):
        product = logit(read, row=row)
        assert product.value == pytest.approx(float(prediction.logits[row]))
        assert product.bias == float(read.bias[row])
        assert product.total + product.bias == pytest.approx(product.value, abs=1e-4)
    same_weights = {"scratch-bert": "bundled"}.get(backend.name, backend.name)
    predicted = encoder.load(same_weights).run(tokens).prediction
    assert predicted.probabilities is not None
    room = rounding(read.state.size)
    np.testing.assert_allclose(prediction.probabilities, predicted.probabilities, rtol=0, atol=room)
    assert prediction.trained == (backend.name != "scratch-untrained")
    assert not read.made_up


def test_what_is_read_is_named_by_its_states(backend: ScratchBackend, seen: Record) -> None:
    read = readout(backend, seen)
    vectors = [
        seen.hidden_states[state][0] if pooling == "cls" else seen.hidden_states[state].mean(axis=0)
        for state, pooling in read.reads
    ]
    np.testing.assert_allclose(read.state, np.concatenate(vectors), atol=1e-6)


def test_weights_without_a_head_get_one_that_is_made_up(scratch_bert: Backend) -> None:
    known = ours(scratch_bert)
    other = ScratchBackend("scratch-bert:elsewhere", known.encoder, known.tokenizer)
    state = torch.random.get_rng_state()
    one, two = (readout(other, record(other.encoder, other.tokenize(A), layer=0)) for _ in range(2))
    assert one.made_up
    assert not one.prediction.trained
    np.testing.assert_array_equal(one.prediction.logits, two.prediction.logits)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_probabilities_and_the_score_are_the_heads_own(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    read = readout(backend, seen)
    for row in range(len(read.prediction.labels)):
        softmax = probability(read, row=row)
        np.testing.assert_array_equal(softmax.scores, read.prediction.logits)
        assert softmax.value == float(read.prediction.probabilities[row])
        assert float(softmax.exponentials[row]) / softmax.total == pytest.approx(softmax.value, abs=1e-6)
    cell = readout_score(read)
    assert cell.value == pytest.approx(read.prediction.score)
    assert cell.product.bias == float(read.bias[-1])
    assert cell.product.total + cell.product.bias == pytest.approx(cell.product.value, abs=1e-4)
    raw = cell.product.value
    assert cell.value == pytest.approx(1 / (1 + math.exp(-raw)) if cell.squashed else raw, abs=rounding(384))
