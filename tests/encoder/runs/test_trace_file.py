"""A trace that was saved and loaded is the same to the bit; a file that is no trace, or a damaged one, is refused."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from safetensors.numpy import load, load_file, save

from encoder import Backend, Prediction, Trace
from encoder.errors import TraceFileError
from encoder.runs.layer_attention import LayerAttention
from encoder.runs.trace_file import FORMAT, pack, unpack

LAYERS, HEADS, WIDTH, CLASSES = 2, 3, 4, 3
FINITE = st.floats(-1e6, 1e6, width=32)


def assert_equal(one: Any, other: Any) -> None:
    """Equal to the bit, down to every field of every record."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()
    elif hasattr(one, "__dataclass_fields__"):
        for field in (field for field in fields(one) if field.compare):
            assert_equal(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, tuple) and one and hasattr(one[0], "__dataclass_fields__"):
        assert len(one) == len(other)
        for each, its_twin in zip(one, other, strict=True):
            assert_equal(each, its_twin)
    elif hasattr(one, "keys"):
        assert list(one) == list(other)
        for name in one:
            assert_equal(one[name], other[name])
    else:
        assert one == other


@pytest.fixture(scope="module")
def trace(scratch_bert: Backend) -> Trace:
    return scratch_bert.trace("don't fly, café ", "it’s 𝔘nicode", silenced_heads=[(1, 2), (0, 5)])


@st.composite
def traces(draw: st.DrawFn, tokens: Any) -> Trace:
    """Made-up traces over real tokens: with biases, with weights alone, and with predictions of every sort."""
    length = len(tokens)

    def array(*shape: int) -> np.ndarray:
        return draw(arrays_of.arrays(np.float32, shape, elements=FINITE))

    def layer() -> LayerAttention:
        if draw(st.booleans()):
            return LayerAttention(given_weights=array(HEADS, length, length))
        bias = array(*draw(st.sampled_from([(1, 1, length), (HEADS, length, length)]))) if draw(st.booleans()) else None
        query, key, value = (array(HEADS, length, WIDTH) for _ in range(3))
        scaling = draw(st.floats(0.01, 2))
        return LayerAttention(query=query, key=key, value=value, scaling=scaling, bias=bias)

    prediction = Prediction(
        labels=tuple(draw(st.lists(st.text(max_size=5), min_size=CLASSES, max_size=CLASSES))),
        logits=array(CLASSES),
        probabilities=draw(st.sampled_from([None, array(CLASSES)])),
        score=draw(st.none() | st.floats(-10, 10)),
        score_range=draw(st.sampled_from([None, (0.0, 1.0)])),
        trained=draw(st.booleans()),
        note=draw(st.text(max_size=20)),
    )
    return Trace(
        model_name=draw(st.text(max_size=20)),
        tokens=tokens,
        layers=tuple(layer() for _ in range(LAYERS)),
        hidden_states=array(LAYERS + 1, length, WIDTH),
        embedding_parts={name: array(length, WIDTH) for name in draw(st.sets(st.sampled_from(["word", "token type"])))},
        prediction=draw(st.sampled_from([None, prediction])),
        notes=tuple(draw(st.lists(st.text(max_size=20), max_size=2))),
    )


def test_a_saved_trace_is_the_same_to_the_bit(trace: Trace, tmp_path: Path) -> None:
    trace.save(tmp_path / "trace.safetensors")
    assert_equal(trace, loaded := Trace.load(tmp_path / "trace.safetensors"))
    assert trace == loaded
    trace.save(str(tmp_path / "named.safetensors"))
    assert_equal(trace, Trace.load(str(tmp_path / "named.safetensors")))


@given(data=st.data())
def test_any_trace_survives_being_written_and_read(trace: Trace, data: st.DataObject) -> None:
    made_up = data.draw(traces(trace.tokens))
    assert_equal(made_up, Trace.from_bytes(made_up.to_bytes()))
    assert made_up == Trace.from_bytes(made_up.to_bytes())


def test_a_trace_is_equal_to_one_with_the_same_numbers_alone(trace: Trace) -> None:
    states = trace.hidden_states.copy()
    states[1, 2, 3] = np.nextafter(states[1, 2, 3], np.float32(9))
    layers = (replace(trace.layers[0], scaling=1.0), *trace.layers[1:])
    others = [replace(trace, **each) for each in ({"hidden_states": states}, {"layers": layers}, {"notes": ("one",)})]
    assert replace(trace) == trace
    assert replace(trace).excerpt() == trace
    assert trace not in [*others, trace.tokens, None]


def test_equal_traces_make_equal_files(trace: Trace) -> None:
    assert len({trace.to_bytes() for _ in range(8)}) == 1


def test_other_programs_find_every_array_under_its_documented_name(trace: Trace, tmp_path: Path) -> None:
    trace.save(tmp_path / "trace.safetensors")
    found = load_file(tmp_path / "trace.safetensors")
    assert found.pop("hidden_states").shape == trace.hidden_states.shape
    for index in range(trace.num_layers):
        for name, array in (("query", trace.queries), ("key", trace.keys), ("value", trace.values)):
            np.testing.assert_array_equal(found.pop(f"layers.{index}.{name}"), array(index))
    for name, part in trace.embedding_parts.items():
        np.testing.assert_array_equal(found.pop(f"embedding_parts.{name}"), part)
    assert not found


@given(cut=st.integers(0, 10_000), flipped=st.integers(0, 10_000))
def test_a_damaged_file_is_refused_or_still_a_trace(trace: Trace, cut: int, flipped: int) -> None:
    whole = trace.to_bytes()
    changed = bytearray(whole)
    changed[flipped] ^= 0xFF
    for damaged in (whole[:cut], bytes(changed)):
        try:
            read = Trace.from_bytes(damaged)
        except TraceFileError:
            continue
        assert read.hidden_states.shape == trace.hidden_states.shape


@pytest.mark.parametrize("missing", ["hidden_states", "layers.1.key", "embedding_parts.word"])
def test_a_file_without_one_of_its_arrays_is_refused(trace: Trace, missing: str) -> None:
    arrays, about = unpack(trace.to_bytes())
    with pytest.raises(TraceFileError):
        Trace.from_bytes(pack({name: array for name, array in arrays.items() if name != missing}, about))


@pytest.mark.parametrize("name", ["hidden_states", "layers.1.key", "layers.0.query", "embedding_parts.word"])
@pytest.mark.parametrize(
    "change",
    [lambda array: array[:1], lambda array: array[..., 0], lambda array: array * np.nan],
    ids=["cut", "without an axis", "NaN"],
)
def test_arrays_that_do_not_fit_or_are_not_finite_are_refused(trace: Trace, name: str, change: Any) -> None:
    arrays, about = unpack(trace.to_bytes())
    with pytest.raises(TraceFileError):
        Trace.from_bytes(pack(arrays | {name: change(arrays[name])}, about))


@pytest.mark.parametrize(
    "entry",
    [
        {"tokens": {}},
        {"tokens": None},
        {"scaling": None},
        {"scaling": ["one"]},
        {"silenced_heads": [1]},
        {"prediction": []},
        {"prediction": "negative"},
    ],
)
def test_wrong_facts_about_the_arrays_are_refused(trace: Trace, entry: dict[str, Any]) -> None:
    arrays, about = unpack(trace.to_bytes())
    with pytest.raises(TraceFileError):
        Trace.from_bytes(pack(arrays, about | entry))


def test_tokens_of_different_counts_are_refused(trace: Trace) -> None:
    arrays, about = unpack(trace.to_bytes())
    about["tokens"]["labels"].pop()
    with pytest.raises(TraceFileError, match="numbers of tokens in this file differ"):
        Trace.from_bytes(pack(arrays, about))


def test_files_of_others_are_refused(trace: Trace) -> None:
    arrays = load(trace.to_bytes())
    half = {name: array.astype(np.float16) for name, array in arrays.items()}
    about = unpack(trace.to_bytes())[1]
    ours, other = (json.dumps(about | {"format": name}) for name in ("headlight.trace.1", "headlight.trace.0"))
    for foreign in (
        b"",
        b"not safetensors at all",
        save(arrays),
        save(arrays, metadata={"about": "[]"}),
        save(arrays, metadata={"about": other}),
        save(half, metadata={"about": ours}),
    ):
        with pytest.raises(TraceFileError):
            Trace.from_bytes(foreign)


@pytest.mark.parametrize("entry", ["format", "tokens", "notes"])
def test_metadata_that_is_nested_too_deeply_is_refused(trace: Trace, entry: str) -> None:
    arrays, about = unpack(trace.to_bytes())
    nested = json.dumps({"format": FORMAT} | about | {entry: "NESTED"}).replace(
        '"NESTED"', "[" * 100_000 + "]" * 100_000
    )
    with pytest.raises(TraceFileError, match="nested"):
        Trace.from_bytes(save(arrays, metadata={"about": nested}))


@pytest.mark.parametrize("metadata", [None, [], "about", {"about": None}])
def test_metadata_of_another_kind_is_refused(trace: Trace, metadata: Any) -> None:
    whole = trace.to_bytes()
    end = 8 + int.from_bytes(whole[:8], "little")
    header = json.dumps(json.loads(whole[8:end]) | {"__metadata__": metadata}).encode()
    with pytest.raises(TraceFileError):
        Trace.from_bytes(len(header).to_bytes(8, "little") + header + whole[end:])
