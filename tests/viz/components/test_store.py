"""What the views are sent: golden bytes, bounds of the quantisation, and tokens of every kind."""

import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load

from encoder.errors import ShapeError
from encoder.measures.head_profiles import HeadProfiles
from encoder.measures.units import Units, units_of
from encoder.runs.arrays import FloatArray
from tests.encoder.measures.test_head_profiles import weights_of
from tests.viz.made_up import tokens_of
from viz.payloads.layer import MAX_ERROR, layers_message, quantised
from viz.payloads.message import Message, pack
from viz.payloads.model_map import map_message, usual_measures

# A character of every Unicode plane that has some, lone surrogates, and what ends scripts and lines elsewhere.
PLANES = ("flies", "𝕬", "🙂", "𠀋", "\U00030000", "\U000e0041", "\U0010fffd", "\ud800")
LABELS = (*PLANES, "</script>", "\u2028", "עברית", "\x00")


def header_of(data: bytes) -> dict[str, dict[str, str]]:
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length])


def extras_of(message: Message) -> dict[str, Any]:
    return json.loads(header_of(message.data)["__metadata__"]["extras"])


def units(labels: tuple[str, ...]) -> Units:
    count = len(labels)
    members = tuple((index,) for index in range(count))
    return Units(labels=labels, members=members, special=(False,) * count, sentence_b_start=1, length=count)


def layer_message(weights: FloatArray, units: Units, **options: Any) -> Message:
    """The message of layer 3 of a run."""
    return layers_message(weights[None], units, run="run", layers=[3], **options)


def test_a_message_is_header_and_raw_arrays() -> None:
    weights = np.array([[[0.25, 0.75], [1.0, 0.0]]], np.float32)
    message = layer_message(weights, units(("a", "b")))
    header = header_of(message.data)
    assert header["weights"] == {"dtype": "U16", "shape": [1, 1, 2, 2], "data_offsets": [0, 8]}
    assert extras_of(message) == {
        "id": "run",
        "layers": [3],
        "labels": ["a", "b"],
        "special": [False, False],
        "positions": [[0], [1]],
        "b_start": 1,
        "letters": ["A", "B"],
        "numbers": [0, 1],
    }
    assert message.data[-8:] == struct.pack("<4H", 32768, 56755, 65535, 0)
    assert (len(message.data) - 8) % 8 == 0


@given(st.lists(st.floats(0, 1, width=32), min_size=1))
def test_quantisation_keeps_weights_to_its_bound(values: list[float]) -> None:
    weights = np.array(values, np.float32)
    before = weights.copy()
    back = (quantised(weights).astype(np.float64) / 65535) ** 2
    assert np.abs(back - weights).max() <= MAX_ERROR
    np.testing.assert_array_equal(weights, before)


def test_quantisation_keeps_the_rows_of_a_long_text() -> None:
    weights = weights_of(2, 512, sharpness=1.0)
    back = (quantised(weights).astype(np.float64) / 65535) ** 2
    np.testing.assert_allclose(back.sum(-1), 1, atol=1e-3)
    assert np.median(np.abs(back - weights) / weights) < 1e-3


@pytest.mark.parametrize("shape", [(0, 4, 4), (1, 181, 181), (2, 3, 128, 256), (5, 211, 213)])
def test_every_weight_is_quantised_however_many_there_are(shape: tuple[int, ...]) -> None:
    weights = np.random.default_rng(0).random(shape, dtype=np.float32)
    at_once = np.rint(np.sqrt(weights) * 65535)
    np.testing.assert_array_equal(quantised(weights), at_once)
    np.testing.assert_array_equal(quantised(weights.swapaxes(-1, -2)), at_once.swapaxes(-1, -2))


def test_labels_of_every_plane_arrive() -> None:
    message = layer_message(weights_of(1, len(LABELS)), units(LABELS))
    labels = extras_of(message)["labels"]
    assert labels == [*PLANES[:5], "⟨U+E0041⟩", PLANES[6], "\ufffd", "</script>", "⟨U+2028⟩", "עברית", "⟨U+0000⟩"]


def test_equal_content_has_one_id_and_other_content_another() -> None:
    weights = quantised(weights_of(2, 4))
    first, again = (pack({"weights": weights.copy()}, {"labels": ["a"]}) for _ in range(2))
    assert first == again
    others = [
        pack({"weights": weights}, {"labels": ["b"]}),
        pack({"weights": weights[::-1]}, {"labels": ["a"]}),
        pack({"weights": weights.reshape(2, 16)}, {}),
        pack({"weights": weights.reshape(4, 8)}, {}),
    ]
    assert len({first.id, *(other.id for other in others)}) == 5


def test_layers_of_a_run_have_its_id_and_what_hidden_tokens_get() -> None:
    weights, removed = np.stack([weights_of(2, 4)] * 3), np.full((3, 2, 4), 0.25, np.float32)
    message = layers_message(weights, units(tuple("abcd")), run="run", layers=(0, 2, 5), removed={"removed": removed})
    assert (message.id, extras_of(message)["layers"]) == ("run", [0, 2, 5])
    np.testing.assert_array_equal(load(message.data)["removed"], removed)


def test_weights_of_other_units_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"Attention is \(1, 2, 4, 4\); 1 layers of 3 units need \(1, H, 3, 3\)"):
        layer_message(weights_of(2, 4), units(tuple("abc")))


def test_parts_and_units_have_the_names_that_they_were_given() -> None:
    weights = weights_of(1, 3)
    message = layer_message(weights, units(tuple("abc")), letters=("S", "T"), numbers=(0, 0, 1))
    assert extras_of(message)["letters"] == ["S", "T"]
    assert extras_of(message)["numbers"] == [0, 0, 1]
    plain = layer_message(weights, units(tuple("abc")))
    assert plain == layer_message(weights, units(tuple("abc")), numbers=[0, 1, 2])
    with pytest.raises(ShapeError, match="There are 2 numbers for 3 units; each needs one"):
        layer_message(weights, units(tuple("abc")), numbers=[0, 1])


def test_words_know_their_tokens() -> None:
    tokens = tokens_of([1, 3])
    grouped = units_of(tokens, level="words")
    message = layer_message(weights_of(1, len(grouped)), grouped)
    assert extras_of(message)["positions"] == [[0], [1], [2, 3, 4], [5]]


def profiles(layers: int, heads: int) -> HeadProfiles:
    names = HeadProfiles.__dataclass_fields__
    arrays = np.arange(len(names) * layers * heads, dtype=np.float32).reshape(len(names), layers, heads)
    return HeadProfiles(**dict(zip(names, arrays, strict=True)))


def test_the_map_gets_pictures_and_measures_with_their_names() -> None:
    pictures = weights_of(6, 5).reshape(2, 3, 5, 5)
    given_profiles = profiles(2, 3)
    message = map_message(pictures, usual_measures(given_profiles, "[SEP]"))
    arrays = load(message.data)
    np.testing.assert_array_equal(arrays["thumbnails"], np.rint(255 * np.sqrt(pictures)).astype(np.uint8))
    names = extras_of(message)["measures"]
    assert names == ["entropy in bits", "to [SEP]", "to itself", "to the previous token", "to the next token"]
    np.testing.assert_array_equal(arrays["profiles"][..., 1], given_profiles.to_separators)
    np.testing.assert_array_equal(arrays["profiles"][..., 4], given_profiles.to_next)


def test_a_text_without_separators_has_no_share_of_them() -> None:
    message = map_message(weights_of(2, 3)[None], usual_measures(profiles(1, 2), None))
    assert load(message.data)["profiles"].shape == (1, 2, 4)


def test_pictures_and_measures_must_be_of_the_same_heads() -> None:
    with pytest.raises(ShapeError, match=r"Pictures are \(1, 2, 3, 3\); 'entropy in bits' is of \(1, 3\) heads"):
        map_message(weights_of(2, 3)[None], usual_measures(profiles(1, 3), None))
