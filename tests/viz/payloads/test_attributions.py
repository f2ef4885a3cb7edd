"""A method's maps as the views draw them: between units, as shares of the largest, and biases, which have no cell."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from safetensors.numpy import load

from encoder.attribution.methods.facts import MethodName, Quantity
from encoder.measures.units import units_of
from encoder.runs.arrays import FloatArray
from tests.rounding import Written
from tests.viz.components.test_store import extras_of
from tests.viz.made_up import CLOSE, random_weights, tokens_of
from viz.payloads.attributions import ShownMaps, attributions_of_layers, heads_of_attributions, shown_maps
from viz.payloads.layer import MAX_ERROR, STEPS, layers_message
from viz.payloads.model_map import map_message

TOKENS = tokens_of([2, 1], [3])  # [CLS] and two words of 2 and 1 pieces, [SEP], one of 3, [SEP]
COUNT = len(TOKENS)
LENGTHS = [9 * random_weights(COUNT, heads=3, seed=seed) for seed in range(2)]  # of two heads and both together
BIASED = [np.concatenate([layer[-1:], np.full((1, COUNT, 1), 2, np.float32)], -1) for layer in LENGTHS]
SHARES = [random_weights(COUNT, heads=1, seed=seed) for seed in range(2)]


def shown(maps: list[FloatArray], method: MethodName, **options: str) -> ShownMaps:
    units = units_of(TOKENS, level=options.get("level", "wordpieces"), special=options.get("special", "show"))
    return shown_maps(maps, units, options.get("special", "show"), quantity=Quantity(method=method))


def test_lengths_are_sent_as_shares_of_the_largest_in_any_layer() -> None:
    maps = shown(LENGTHS, "norms")
    assert maps.largest == pytest.approx(max(layer.max() for layer in LENGTHS))
    some = attributions_of_layers(maps, "show", [1])
    units = units_of(TOKENS)
    message = layers_message(
        some.attention, units, run="run", layers=[1], removed=some.removed, quantity=maps.described(2)
    )
    sent = (load(message.data)["weights"][0].astype(np.float32) / STEPS) ** 2 * maps.largest
    assert_allclose(sent, LENGTHS[1], atol=Written(MAX_ERROR * maps.largest))
    assert extras_of(message)["quantity"] == {
        "name": "Value-weighted norms",
        "symbol": "‖α f(x)‖",
        "unit": "norm",
        "from_input": False,
        "largest": maps.largest,
        "heads": 2,
        "model_heads": 2,
    }
    assert list(load(message.data)) == ["weights"]


def test_shares_keep_the_scale_from_0_to_1_and_hidden_ones_are_counted() -> None:
    maps = shown(SHARES, "globenc", special="hide")
    assert maps.largest == 1
    specials = [0, 4, 8]
    kept = [position for position in range(COUNT) if position not in specials]
    assert_allclose(maps.removed[0], SHARES[0][:, kept][..., specials].sum(-1), **CLOSE)
    scaled = shown(SHARES, "globenc", special="renormalise")
    assert_allclose(scaled.planes[1].sum(-1), 1, rtol=1e-5)
    assert maps.described(12)["heads"] == 0


def test_lengths_are_never_scaled_to_sum_to_1() -> None:
    hidden, renormalised = (shown(LENGTHS, "norms", special=special) for special in ("hide", "renormalise"))
    assert_array_equal(hidden.planes[0], renormalised.planes[0])
    specials = [0, 4, 8]
    kept = [position for position in range(COUNT) if position not in specials]
    rows = LENGTHS[0][:, kept]
    assert_allclose(hidden.removed[0], rows[..., specials].sum(-1) / rows.sum(-1), **CLOSE)


def test_of_words_keys_are_added_and_queries_averaged() -> None:
    maps = shown(LENGTHS, "norms", level="words")
    first = LENGTHS[0][:, 1:3].mean(1)  # the word of tokens 1 and 2 looks
    assert_allclose(maps.planes[0][:, 1, 4], first[:, 5:8].sum(-1), **CLOSE)


def test_biases_have_no_column_and_are_sent_separately() -> None:
    maps = shown(BIASED, "decompx", level="words", special="hide")
    assert maps.planes[0].shape == (1, 3, 3)
    assert maps.largest < 9.1
    beside = attributions_of_layers(maps, "hide", [0, 1]).removed
    assert_array_equal(beside["biases"], np.full((2, 1, 3), 2, np.float32))
    assert beside["removed"].shape == (2, 1, 3)
    assert maps.removed[0].max() < 1


def test_the_map_measures_shares_as_shares_and_lengths_as_lengths() -> None:
    shares = heads_of_attributions(shown(SHARES, "alti"), TOKENS.labels, TOKENS.special)
    assert "entropy in bits" in shares.measures
    assert shares.pictures.shape == (2, 1, COUNT, COUNT)
    lengths = shown(LENGTHS, "norms")
    heads = heads_of_attributions(lengths, TOKENS.labels, TOKENS.special)
    assert_allclose(heads.measures["largest ‖α f(x)‖"], [layer.max((1, 2)) for layer in LENGTHS], **CLOSE)
    message = map_message(heads.pictures, heads.measures, quantity=lengths.described(2))
    assert extras_of(message)["quantity"]["largest"] == lengths.largest
    assert load(message.data)["thumbnails"].max() == 255


def test_a_text_whose_numbers_are_all_zero_is_drawn() -> None:
    maps = shown([np.zeros((1, COUNT, COUNT), np.float32)], "residual", special="hide")
    assert maps.largest == 1
    assert not attributions_of_layers(maps, "hide", [0]).attention.any()
