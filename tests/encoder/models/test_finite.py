"""Weights and runs that are NaN, infinite or too large: one sentence says where, and nothing is drawn."""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

import encoder
from encoder.catalogue import load_writer
from encoder.errors import CheckpointError, NotFiniteError
from encoder.models.interventions import Intervention
from encoder.models.loading import load_folder
from encoder.runs.generation import Candidate
from encoder.shipped import mask_head, multi_task, probes, sentiment, seq2seq
from encoder.shipped.names import WEIGHTS
from encoder.shipped.weights_file import read_weights
from tests.encoder.models.test_pretrained_seq2seq import folder_of
from tests.encoder.random_models import LONG, A, Zoo, scale_tensors

WEIGHTS_FILE = "model.safetensors"
QUERY = "encoder.layer.1.attention.self.query.weight"
HOLDS = {
    math.nan: "numbers that are NaN",
    math.inf: "infinite numbers",
    -math.inf: "infinite numbers",
    1e30: r"numbers as large as 1e\+30",
}


def put(file: Path, tensor: str, number: float, *, metadata: dict[str, str] | None = None) -> None:
    """Put one number into a file of weights."""
    tensors = load_file(file)
    tensors[tensor].view(-1)[7] = number
    save_file(tensors, file, metadata=metadata or {"format": "pt"})


def assert_one_sentence(message: str) -> None:
    assert "\n" not in message
    assert message.count(". ") == 0
    assert message.endswith(".")


@pytest.mark.parametrize("number", HOLDS, ids=str)
@pytest.mark.parametrize("ours", [False, True], ids=["transformers", "ours"])
def test_unusable_weights_are_refused_by_tensor_name(folder: Path, number: float, ours: bool) -> None:
    put(folder / WEIGHTS_FILE, QUERY, number)
    with pytest.raises(CheckpointError, match=f"damaged: there are {HOLDS[number]} in {QUERY},") as caught:
        encoder.load(f"scratch-bert:{folder}" if ours else str(folder))
    assert_one_sentence(str(caught.value))


def test_a_writers_checkpoint_with_nan_is_refused_with_the_tensors_name(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "t5")
    put(folder / WEIGHTS_FILE, "decoder.final_layer_norm.weight", math.nan)
    with pytest.raises(CheckpointError, match=r"NaN in decoder\.final_layer_norm\.weight"):
        load_writer(str(folder))


def _with_nan(folder: Path, name: str, tensor: str) -> Path:
    """A copy of the shipped weights, in which one file holds a NaN."""
    for shipped in WEIGHTS.iterdir():
        target = folder / shipped.name
        if shipped.name != f"{name}.safetensors":
            target.symlink_to(shipped)
            continue
        _, metadata = read_weights(shipped)
        target.write_bytes(shipped.read_bytes())
        put(target, tensor, math.nan, metadata=metadata)
    return folder


SHIPPED: dict[str, tuple[str, Callable[[Path, Path], object]]] = {
    "scratch": (
        "encoder.layers.0.attention.key.weight",
        lambda bundled, at: multi_task.load_scratch(bundled, weights=at),
    ),
    "scratch-steps": (
        "0/encoder.embeddings.norm.bias",
        lambda bundled, at: multi_task.load_scratch(bundled, step=0, weights=at),
    ),
    "bundled-head": ("head.weight", lambda bundled, at: sentiment.load_bundled(bundled, weights=at)),
    "bundled-sentiment": ("head.weight", lambda bundled, at: sentiment.load_bundled_sentiment(bundled, weights=at)),
    "bundled-mask-head": ("norm.weight", lambda _, at: mask_head.load_mask_head("bundled", at)),
    "bundled-probes": ("weight", lambda _, at: probes.load_probes("bundled", at)),
    "seq2seq": ("encoder.layers.0.attention.key.weight", lambda _, at: seq2seq.load_seq2seq(at)),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_weights_of_ours_with_nan_are_refused_with_the_tensors_name(
    name: str, tmp_path: Path, bundled_folder: Path
) -> None:
    tensor, load = SHIPPED[name]
    with pytest.raises(CheckpointError, match=rf"{name}\.safetensors.* NaN in {tensor},"):
        load(bundled_folder, _with_nan(tmp_path, name, tensor))


NORM = "embeddings.LayerNorm.weight"
# Each scaled tensor is small enough to be loaded; what follows from them is not.
OVERFLOWS = {
    "the embedding output": {NORM: 1e18},
    "the queries of layer 0": {NORM: 1e12, "attention.self.query.weight": 1e12},
    "the keys of layer 0": {NORM: 1e12, "attention.self.key.weight": 1e12},
    "the values of layer 0": {NORM: 1e12, "attention.self.value.weight": 1e12},
    "the states after layer 0": {"intermediate.dense.weight": 1e12, "layer.0.output.dense.weight": 1e12},
}


@pytest.mark.parametrize("ours", [False, True], ids=["transformers", "ours"])
@pytest.mark.parametrize("named", OVERFLOWS)
def test_a_run_that_overflows_says_where_instead_of_a_trace(folder: Path, named: str, ours: bool) -> None:
    scale_tensors(folder, OVERFLOWS[named])
    backend = encoder.load(f"scratch-bert:{folder}" if ours else str(folder))
    with pytest.raises(NotFiniteError, match=rf"there are numbers .* in {named}:") as caught:
        backend.trace(LONG)
    assert_one_sentence(str(caught.value))
    assert str(folder) in str(caught.value)


def test_states_without_a_trace_are_refused_as_well(folder: Path) -> None:
    scale_tensors(folder, OVERFLOWS["the embedding output"])
    backend = load_folder("m", folder)
    states = backend.hidden_states([backend.tokenize(LONG)], [Intervention(silenced_heads=((0, 1),))])
    with pytest.raises(NotFiniteError, match=r"numbers as large as .* in the embedding output"):
        next(states)


def test_a_trace_accepts_the_infinite_scores_of_a_causal_model(zoo: Zoo) -> None:
    trace = zoo.backend("gpt2").trace(A)
    assert np.isneginf(trace.scores(0)).any()
    assert np.isfinite(trace.weights(0)).all()


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_every_part_of_a_trace_is_looked_at(zoo: Zoo, number: float) -> None:
    trace = zoo.backend("bert").trace(A)

    def spoilt(array: np.ndarray) -> np.ndarray:
        copy = array.copy()
        copy.flat[-1] = number
        return copy

    last = trace.layers[-1]
    parts = [
        ({"hidden_states": spoilt(trace.hidden_states)}, "in the states after layer 2"),
        ({"embedding_parts": {"position": spoilt(trace.embedding_parts["position"])}}, "in the position embeddings"),
        *(
            ({"layers": (*trace.layers[:-1], dataclasses.replace(last, **{name: spoilt(last.captured(name))}))}, where)
            for name, where in (
                ("query", "in the queries of layer 2"),
                ("key", "in the keys of layer 2"),
                ("value", "in the values of layer 2"),
            )
        ),
    ]
    for change, where in parts:
        with pytest.raises(NotFiniteError, match=where):
            dataclasses.replace(trace, **change)


def test_a_prediction_that_is_no_number_is_refused(bundled: "encoder.Backend") -> None:
    trace = bundled.trace(A)
    logits = np.full_like(trace.prediction.logits, math.nan)
    for change, where in (({"logits": logits}, "NaN in the logits"), ({"score": math.nan}, "NaN in the score")):
        with pytest.raises(NotFiniteError, match=where):
            dataclasses.replace(trace, prediction=dataclasses.replace(trace.prediction, **change))


def test_attention_and_candidates_of_a_generation_are_checked() -> None:
    generation = load_writer().generate("date", "3 May 2021")
    layer = generation.cross[1]
    keys = layer.captured("key").copy()
    keys[0, 0, 0] = math.inf
    cross = (generation.cross[0], dataclasses.replace(layer, key=keys), *generation.cross[2:])
    with pytest.raises(NotFiniteError, match="infinite numbers in the keys of the cross-attention in layer 1"):
        dataclasses.replace(generation, cross=cross)
    unsure = ((Candidate(label="a", probability=math.nan),), *generation.candidates[1:])
    with pytest.raises(NotFiniteError, match="NaN in the candidates' probabilities"):
        dataclasses.replace(generation, candidates=unsure)
