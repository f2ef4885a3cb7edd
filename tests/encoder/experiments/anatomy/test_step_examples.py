"""What the first steps show: pieces of words, two texts in a batch, and a text that is cut."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np

import encoder
from encoder import Backend
from encoder.experiments.anatomy.record import ours
from encoder.experiments.anatomy.step_examples import (
    HIGH,
    LOW,
    POINTS,
    activation_curves,
    batch_of_two,
    has_own_word_table,
    pieces_of_words,
    relu,
    too_long,
)
from tests.rounding import rounding


def test_every_word_has_its_pieces_and_special_tokens_have_no_word(scratch_bert: Backend) -> None:
    tokens = scratch_bert.tokenize("time is unbelievably", "[SEP] short")
    pieces = dict(pieces_of_words(tokens))
    assert list(pieces) == ["time", "is", "unbelievably", "short"]
    assert pieces["time"] == ("time",)
    assert len(pieces["unbelievably"]) > 1
    assert "".join(piece.removeprefix("##") for piece in pieces["unbelievably"]) == "unbelievably"


def test_the_shorter_text_of_a_batch_is_padded_and_masked(scratch_bert: Backend) -> None:
    tokens = scratch_bert.tokenize("time flies like an arrow")
    pad_id = ours(scratch_bert).encoder.config.pad_token_id
    batch = batch_of_two(scratch_bert, tokens, pad_id=pad_id)
    padding = len(tokens) - 3
    assert batch.labels == (tokens.labels, ("[CLS]", "hello", "[SEP]", *["[PAD]"] * padding))
    assert batch.masks == ((1,) * len(tokens), (1,) * 3 + (0,) * padding)
    assert batch.ids[0] == tokens.ids
    assert batch.ids[1] == (*scratch_bert.tokenize("hello").ids, *[pad_id] * padding)


def test_the_long_example_is_cut_by_every_model() -> None:
    for name in ("scratch-bert", "scratch"):
        backend = encoder.load(name)
        assert has_own_word_table(ours(backend).encoder) == (name == "scratch-bert")
        tokens = too_long(backend)
        assert len(tokens) == tokens.max_length
        assert tokens.truncated[0] > 0


def test_the_curves_are_those_of_the_formulas() -> None:
    curves = activation_curves()
    assert set(curves) == {"GELU", "ReLU"}
    for points, _ in curves.values():
        np.testing.assert_allclose(points, np.linspace(LOW, HIGH, POINTS), atol=1e-6)
    points, gelu = curves["GELU"]
    np.testing.assert_allclose(gelu, [x * (1 + erf(x / sqrt(2))) / 2 for x in points], atol=rounding(8, HIGH))
    np.testing.assert_array_equal(curves["ReLU"][1], relu(points))
    np.testing.assert_array_equal(relu(np.array([-2.0, 0.0, 3.0], np.float32)), [0, 0, 3])
