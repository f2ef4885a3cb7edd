"""Many texts at once: the same traces, predictions and vectors as one at a time, in the order of the texts."""

from __future__ import annotations

from itertools import count, islice
from typing import get_args

import numpy as np
import pytest
import torch

from encoder.errors import ArgumentError, InputError, SelectionError, UnsupportedModelError
from encoder.models.base import Backend, BatchOutput
from encoder.models.interventions import Patch
from encoder.models.pooling import pooled, pooled_states
from encoder.runs.trace import PoolingMode, Trace
from tests.encoder.random_models import FAMILIES, Zoo
from tests.rounding import rounding

TEXTS = ["time flies like an arrow", "fruit", ("the key", "to the cabinets is here"), "a b c d e f g h i j k l m n o"]


def assert_same(found: Trace, alone: Trace) -> None:
    assert found.tokens == alone.tokens
    assert found.notes == alone.notes
    np.testing.assert_allclose(found.hidden_states, alone.hidden_states, atol=2e-5)
    np.testing.assert_allclose(found.all_weights(), alone.all_weights(), atol=2e-5)
    for name, part in alone.embedding_parts.items():
        np.testing.assert_array_equal(found.embedding_parts[name], part)


@pytest.mark.parametrize("family", FAMILIES)
def test_traces_of_many_texts_are_those_of_each(zoo: Zoo, family: str) -> None:
    model = zoo.backend(family)
    for text, found in zip(TEXTS, model.traces(TEXTS, batch_size=3), strict=True):
        a, b = text if isinstance(text, tuple) else (text, None)
        assert_same(found, model.trace(a, b))


def test_our_own_models_run_many_texts_and_predict_the_same(bundled: Backend) -> None:
    found = list(bundled.traces(TEXTS))
    alone = [bundled.trace(*text) if isinstance(text, tuple) else bundled.trace(text) for text in TEXTS]
    for one, other in zip(found, alone, strict=True):
        assert_same(one, other)
        assert one.layers[0].bias is None
    predictions = bundled.predict(TEXTS)
    assert predictions.probabilities is not None
    expected = [trace.prediction.probabilities for trace in alone if trace.prediction is not None]
    np.testing.assert_allclose(predictions.probabilities, np.stack(expected), atol=rounding(384))
    columns = predictions.columns
    assert list(columns) == ["label", *predictions.labels, "score", "cut off", "no known word"]
    assert columns["label"][0] == predictions.labels[int(np.argmax(expected[0]))]


def test_vectors_of_many_texts_are_the_pooled_states_of_each(bundled: Backend) -> None:
    vectors = bundled.embed(TEXTS[:2])
    expected = np.stack([pooled_states(bundled.trace(text))[-1] for text in TEXTS[:2]])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)  # as its folder scales them
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


@pytest.mark.parametrize("mode", get_args(PoolingMode)[:5])
def test_padding_counts_for_no_vector_of_a_batch(mode: PoolingMode) -> None:
    states = torch.randn(4, 6, 8, generator=torch.Generator().manual_seed(0))
    lengths = [3, 6, 1, 3]
    for row, length in enumerate(lengths):
        states[row, length:] = torch.nan
    found = BatchOutput((states,), None).vectors(lengths, mode)
    alone = [pooled(states[row : row + 1, :length], mode)[0] for row, length in enumerate(lengths)]
    np.testing.assert_allclose(found, torch.stack(alone).numpy(), atol=1e-6)


def test_texts_that_are_read_in_part_are_named(bundled: Backend) -> None:
    texts = ["a bank", "word " * 300, "😂 ฉัน", ("a", "word " * 300)]
    columns = bundled.predict(texts).columns
    assert columns["cut off"].tolist() == [False, True, False, True]
    assert columns["no known word"].tolist() == [False, False, True, False]
    with pytest.warns(UserWarning, match=r"^Cut off, .*: 2 of 4 texts\. Without .*: 1 of 4 texts") as found:
        bundled.embed(texts)
    assert found[0].filename == __file__


def test_texts_are_read_as_they_are_needed(bundled: Backend) -> None:
    asked = count()
    texts = (f"text {next(asked)}" for _ in range(100))
    assert [trace.tokens.words[1] for trace in islice(bundled.traces(texts, batch_size=4), 3)] == ["0", "1", "2"]
    assert next(asked) == 4


def test_nothing_to_run_and_heads_that_are_missing_are_refused(zoo: Zoo, bundled: Backend) -> None:
    with pytest.raises(InputError, match="at least one"):
        bundled.predict([])
    with pytest.raises(InputError, match="at least one"):
        bundled.embed(iter(()))
    with pytest.raises(ArgumentError, match="batch_size is 0"):
        next(bundled.traces(["a"], batch_size=0))
    with pytest.raises(UnsupportedModelError, match="no head that predicts"):
        zoo.backend("bert").predict(["a"])


def test_a_word_of_one_text_patched_into_another_changes_its_trace(bundled: Backend) -> None:
    a, b = bundled.trace("time flies like an arrow"), bundled.tokenize("fruit flies like a banana")
    patch = Patch.of_word(a, 1, into=b, at=1, layer=2)
    patched = bundled.run(b, patches=[patch])
    np.testing.assert_allclose(patched.hidden_states[3, 2], a.hidden_states[3, 2], atol=1e-6)
    assert patched.notes[-1] == "The states of tokens 2 after layer 2 were replaced."
    [states] = bundled.hidden_states([b])
    np.testing.assert_allclose(patched.hidden_states[:3], states[:3], atol=1e-5)
    assert np.abs(patched.hidden_states[-1] - states[-1]).max() > 0.01
    with pytest.raises(SelectionError, match="Layer 6"):
        Patch.of_word(a, 1, into=b, at=1, layer=6)
