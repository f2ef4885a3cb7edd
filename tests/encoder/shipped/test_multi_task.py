"""The shipped weights of the small encoder: they load, predict what was recorded, and match their card."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import encoder
from encoder.errors import CheckpointError, UnknownModelError
from encoder.models.labels import TAGS
from encoder.models.scratch import ScratchBackend
from encoder.shipped.card import figure_of, read_card
from encoder.shipped.multi_task import load_scratch
from encoder.shipped.names import WEIGHTS, step_name, steps

GOOD, BAD = "a gorgeous, witty, seductive movie", "a dull, lifeless mess"
MEGABYTES = 12
# Recorded once from the shipped weights: negative, neutral, positive, score. Kernels of other processors differ by
# about 1e-5 here; 2e-3 would still notice weights that were rounded to 8 bits.
GOLDEN = {
    GOOD: (0.0047, 0.0341, 0.9612, 0.8125),
    BAD: (0.9335, 0.0567, 0.0098, 0.1842),
    "time flies like an arrow": (0.6785, 0.2545, 0.0670, 0.3464),
}
GOLDEN_TAGS = {"she books a flight": "PRON NOUN DET NOUN", "i know": "PRON VERB"}


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """The shipped files, to be damaged."""
    for path in WEIGHTS.glob("scratch*"):
        shutil.copy(path, tmp_path)
    return tmp_path


# What they say ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", GOLDEN)
def test_the_recorded_predictions_come_out(scratch: ScratchBackend, text: str) -> None:
    prediction = scratch.trace(text).prediction
    assert prediction.labels == ("negative", "neutral", "positive")
    assert_allclose([*prediction.probabilities, prediction.score], GOLDEN[text], atol=2e-3)
    assert prediction.trained


def test_every_piece_has_a_vector_of_its_own_and_tokens_are_berts(scratch: ScratchBackend, bundled: object) -> None:
    assert scratch.tokenize("zyzzyva").ids == bundled.tokenize("zyzzyva").ids
    rows = scratch.encoder.embeddings.word(torch.arange(30522)[None])[0]
    assert len(torch.unique(rows, dim=0)) > 30_000


# Steps of the training ----------------------------------------------------------------------------------------------


def test_ten_to_twelve_training_steps_ship(scratch: ScratchBackend) -> None:
    known = steps()
    assert len(known) == 12
    assert known[0] == 0
    assert list(known) == sorted(set(known))
    last = encoder.load(step_name(known[-1]))
    assert last.name == f"scratch:step={known[-1]}"
    assert_allclose(last.trace(GOOD).hidden_states, scratch.trace(GOOD).hidden_states, atol=1e-6)


def test_every_step_loads_and_they_grow_more_able() -> None:
    curve = {row["step"]: row["tag_accuracy"]["value"] for row in read_card(WEIGHTS / "scratch.json")["extra"]["curve"]}
    shares = []
    for step in steps():
        backend = encoder.load(step_name(step))
        prediction = backend.trace(GOOD).prediction
        assert prediction.trained == (step > 0)
        assert (f"step {step:,} of" if step else "before its first step") in prediction.note or step == steps()[-1]
        shares.append(share_of_right_tags(backend))
    assert shares[0] < 0.5 < shares[-1] == 1
    recorded = [curve[step] for step in steps()]
    assert recorded[0] < 0.2 < 0.8 < recorded[-1]
    assert recorded[3] < recorded[-1]


def share_of_right_tags(backend: ScratchBackend) -> float:
    """Of the words of `GOLDEN_TAGS`, each a single piece."""
    right = []
    for text, tags in GOLDEN_TAGS.items():
        state = torch.tensor(backend.trace(text).hidden_states[-1])[None]  # (1, T, D)
        read = backend.heads.tag(state).probabilities[0, 1:-1].argmax(1)
        right += [TAGS[tag] == wanted for tag, wanted in zip(read, tags.split(), strict=True)]
    return sum(right) / len(right)


def test_the_early_steps_attend_evenly_and_the_late_ones_do_not() -> None:
    def spread(step: int) -> float:
        trace = encoder.load(step_name(step)).trace("time flies like an arrow")
        return float(np.mean([trace.weights(layer).std() for layer in range(trace.num_layers)]))

    first, *_, last = steps()
    assert spread(first) < 0.05 < spread(last)


@pytest.mark.parametrize("name", ["scratch:step=", "scratch:step=-1", "scratch:step=٣", "scratch:step=1e3"])
def test_a_step_that_is_not_a_number_is_refused(name: str) -> None:
    with pytest.raises(UnknownModelError, match="is not a training step"):
        encoder.load(name)


def test_a_step_that_does_not_ship_is_refused() -> None:
    with pytest.raises(UnknownModelError, match=r"Step 999999 .* there are 0, "):
        encoder.load("scratch:step=999999")


# Files and cards ----------------------------------------------------------------------------------------------------


def test_the_files_are_small_and_the_card_credits_its_data() -> None:
    size = sum(path.stat().st_size for path in WEIGHTS.glob("scratch*") if "probes" not in path.name)
    assert size <= MEGABYTES * 1_000_000
    text = (WEIGHTS / "scratch.md").read_text(encoding="utf-8")
    for credit in ("CC BY-SA 4.0", "Socher et al.", "Google LLC", "MiniLM"):
        assert credit in text


def test_the_note_quotes_the_card(scratch: ScratchBackend) -> None:
    card, note = read_card(WEIGHTS / "scratch.json"), scratch.trace(GOOD).prediction.note
    assert "SST dev" in note
    for name in ("sst2_accuracy", "three_class_accuracy"):
        figure = figure_of(card, name)
        assert f"{100 * figure.value:.1f} %" in note
        assert f"n = {figure.n:,}" in note


def rewritten(path: Path, *, tensors: dict[str, torch.Tensor] | None = None, **metadata: str) -> None:
    """The file with some of its tensors or of its metadata replaced."""
    with safe_open(path, framework="pt") as file:
        before = file.metadata()
    save_file(load_file(path) | (tensors or {}), path, metadata=before | metadata)


def test_weights_of_other_sizes_are_refused_with_both_shapes(copies: Path, bundled_folder: Path) -> None:
    path = copies / "scratch.safetensors"
    name = "heads.classifier.output.weight"
    rewritten(path, tensors={name: torch.zeros(5, 128)})
    with pytest.raises(CheckpointError, match=rf"{name} is \(5, 128\) and should be \(3, 128\)"):
        load_scratch(bundled_folder, weights=copies)


def test_a_configuration_that_the_weights_do_not_fit_is_refused(copies: Path, bundled_folder: Path) -> None:
    path = copies / "scratch.safetensors"
    with safe_open(path, framework="pt") as file:
        config = json.loads(file.metadata()["config"])
    rewritten(path, config=json.dumps(config | {"hidden_size": 64}))
    with pytest.raises(CheckpointError, match=r"is \(.*128.*\) and should be \(.*64.*\)"):
        load_scratch(bundled_folder, weights=copies)
    rewritten(path, config=json.dumps(config | {"num_hidden_layers": 9}))
    with pytest.raises(CheckpointError, match=r"Missing: encoder\.layers\."):
        load_scratch(bundled_folder, weights=copies)
    rewritten(path, config="{}{")
    with pytest.raises(CheckpointError, match="does not describe an encoder"):
        load_scratch(bundled_folder, weights=copies)


def test_missing_and_truncated_files_are_refused(copies: Path, bundled_folder: Path) -> None:
    path = copies / "scratch.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CheckpointError, match="cannot be loaded"):
        load_scratch(bundled_folder, weights=copies)
    path.unlink()
    with pytest.raises(CheckpointError, match="cannot be loaded"):
        load_scratch(bundled_folder, weights=copies)
    path.write_bytes(whole)
    (copies / "scratch.json").write_text("{}")
    with pytest.raises(CheckpointError, match=r"scratch.json cannot be read"):
        load_scratch(bundled_folder, weights=copies)
