"""The fine-tuned bundled model, and the head on the untouched one: as they ship, and as they are trained."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

import encoder
from encoder import Backend
from encoder.errors import CheckpointError
from encoder.models.scratch import ScratchBackend
from encoder.shipped.bundled import HEAD
from encoder.shipped.card import figure_of, read_card
from encoder.shipped.names import TUNED, WEIGHTS
from encoder.shipped.sentiment import load_bundled, load_bundled_sentiment, merge_adapter, read_head
from encoder.shipped.weights_file import read_weights
from encoder.transformer.bert_names import our_name
from encoder.transformer.encoder import Encoder

GOOD, BAD = "a gorgeous, witty, seductive movie", "a dull, lifeless mess"
# Probabilities of negative, neutral, positive, and the score, of the weights that ship.
GOLDEN = {
    ("bundled", GOOD): (0.0004, 0.0051, 0.9945, 0.9238),
    ("bundled", BAD): (0.9530, 0.0452, 0.0018, 0.0957),
    (TUNED, GOOD): (0.0008, 0.0268, 0.9725, 0.8238),
    (TUNED, BAD): (0.9375, 0.0598, 0.0026, 0.1999),
}
# Float16 weights and another processor's order of summation move probabilities by less than this.
TOLERANCE = 2e-3


@pytest.fixture(scope="module", params=["bundled", TUNED])
def backend(request: pytest.FixtureRequest, bundled: Backend, tuned: Backend) -> Backend:
    return bundled if request.param == "bundled" else tuned


@pytest.mark.parametrize(("name", "text"), GOLDEN)
def test_shipped_weights_give_the_recorded_predictions(name: str, text: str, bundled: Backend, tuned: Backend) -> None:
    prediction = (bundled if name == "bundled" else tuned).trace(text).prediction
    assert prediction.probabilities is not None
    assert prediction.score is not None
    *probabilities, score = GOLDEN[name, text]
    np.testing.assert_allclose(prediction.probabilities, probabilities, atol=TOLERANCE)
    assert prediction.score == pytest.approx(score, abs=TOLERANCE)


@pytest.mark.parametrize("load", [load_bundled, load_bundled_sentiment])
def test_a_sentiment_head_adds_no_hooks_and_no_run_on_loading(
    load: Callable[[Path], ScratchBackend], bundled_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object) -> None:
        raise RuntimeError("it was run")

    def hooks(backend: ScratchBackend) -> int:
        parts = backend.encoder.modules()
        return sum(len(part._forward_hooks) + len(part._forward_pre_hooks) for part in parts)

    monkeypatch.setattr(Encoder, "forward", run)
    without = encoder.load("scratch-bert")
    assert isinstance(without, ScratchBackend)
    assert hooks(load(bundled_folder)) == hooks(without)


def test_a_prediction_says_how_well_it_was_measured_and_on_what(backend: Backend) -> None:
    prediction = backend.trace(GOOD).prediction
    assert prediction.trained
    assert "SST dev" in prediction.note
    assert "n = 872" in prediction.note
    assert ("frozen" in prediction.note) == (backend.name == "bundled")


def test_merged_weights_are_the_published_ones_plus_scaled_factors(tuned: Backend, bundled_folder: Path) -> None:
    tensors, extras = read_weights(WEIGHTS / f"{TUNED}.safetensors")
    published = load_file(bundled_folder / "model.safetensors")
    weights = tuned.modules[0].state_dict()
    changed = 0
    for name, value in published.items():
        if "pooler" in name or "position_ids" in name:
            continue
        layer, expected = name.removesuffix(".weight"), value
        if f"{layer}.lora_A" in tensors:
            factors = tensors[f"{layer}.lora_B"].float() @ tensors[f"{layer}.lora_A"].float()
            expected = expected + float(extras["scale"]) * factors
            changed += 1
        torch.testing.assert_close(weights.pop(our_name(name)), expected, atol=1e-6, rtol=0)
    assert not weights
    assert changed == 6 * tuned.num_layers  # query, key, value, output, and two of the feed-forward


def test_the_files_are_small() -> None:
    assert (WEIGHTS / f"{TUNED}.safetensors").stat().st_size <= 4_000_000
    assert (WEIGHTS / f"{HEAD}.safetensors").stat().st_size <= 100_000


@pytest.mark.parametrize("stem", [TUNED, HEAD])
def test_the_card_names_its_data_and_its_baselines(stem: str) -> None:
    card = read_card(WEIGHTS / f"{stem}.json")
    assert figure_of(card, "sst2_accuracy").n == 872
    assert 0 < (figure_of(card, "three_class_accuracy").baseline or 0) < 0.5
    assert any("Stanford Sentiment Treebank" in source for source in card["data"])


def test_an_adapter_for_another_width_is_refused_with_both_shapes() -> None:
    model = nn.ModuleDict({"dense": nn.Linear(6, 4)})
    factors = {"dense.lora_A": torch.zeros(2, 5), "dense.lora_B": torch.zeros(4, 2)}
    with pytest.raises(CheckpointError, match=r"\(2, 5\) and \(4, 2\).*\(4, 6\).*\(r, 6\) and \(4, r\)"):
        merge_adapter(model, factors, scale=1.0)


def test_an_adapter_for_a_layer_that_is_not_there_is_refused() -> None:
    with pytest.raises(CheckpointError, match=r"other"):
        merge_adapter(nn.ModuleDict({"dense": nn.Linear(6, 4)}), {"other.lora_A": torch.zeros(2, 6)}, scale=1.0)


def test_a_head_that_is_none_is_refused() -> None:
    with pytest.raises(CheckpointError, match=r"states"):
        read_head({}, {})


def test_missing_and_damaged_weights_are_one_clear_error(tmp_path: Path, bundled_folder: Path) -> None:
    with pytest.raises(CheckpointError, match=r"bundled-sentiment\.safetensors"):
        load_bundled_sentiment(bundled_folder, weights=tmp_path)
    (tmp_path / f"{TUNED}.safetensors").write_bytes((WEIGHTS / f"{TUNED}.safetensors").read_bytes()[:5000])
    with pytest.raises(
        CheckpointError, match=r"it is damaged, incomplete, or not a safetensors file.* Install Headlight again"
    ):
        load_bundled_sentiment(bundled_folder, weights=tmp_path)


def test_a_head_for_another_width_is_refused(tmp_path: Path, bundled_folder: Path) -> None:
    tensors, extras = read_weights(WEIGHTS / f"{TUNED}.safetensors")
    save_file(tensors | {"head.weight": torch.zeros(4, 7)}, tmp_path / f"{TUNED}.safetensors", metadata=extras)
    (tmp_path / f"{TUNED}.json").write_bytes((WEIGHTS / f"{TUNED}.json").read_bytes())
    with pytest.raises(CheckpointError, match=r"\(4, 7\).*\(4, 384\)"):
        load_bundled_sentiment(bundled_folder, weights=tmp_path)
