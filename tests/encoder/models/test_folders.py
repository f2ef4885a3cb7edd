"""Folders of models that are damaged, of other kinds or old: what is wrong is one clear sentence."""

import contextlib
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

import encoder
from encoder.errors import CheckpointError, ModelError, UnsupportedModelError
from encoder.models.loading import load_folder
from tests.encoder.random_models import A, B, Zoo, edit_config

WEIGHTS_FILE = "model.safetensors"


def rewrite(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    tensors = load_file(folder / WEIGHTS_FILE)
    change(tensors)
    save_file(tensors, folder / WEIGHTS_FILE, metadata={"format": "pt"})


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def remove_tokenizer(folder: Path) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


QUERY = "encoder.layer.1.attention.self.query.weight"
REMOTE_CODE = {"auto_map": {"AutoConfig": "configuration_x.X", "AutoModel": "modeling_x.X"}}

DAMAGES: dict[str, tuple[Callable[[Path], object], type[ModelError], str]] = {
    "no weights": (lambda f: (f / WEIGHTS_FILE).unlink(), CheckpointError, "holds no weights"),
    "header cut": (lambda f: cut(f / WEIGHTS_FILE, 1000), CheckpointError, "cannot be loaded"),
    "weights of another name": (
        lambda f: (f / WEIGHTS_FILE).rename(f / "weights.safetensors"),
        CheckpointError,
        "cannot be loaded",
    ),
    "a tensor missing": (
        lambda f: rewrite(f, lambda tensors: tensors.pop(QUERY)),
        CheckpointError,
        f"it lacks {QUERY}",
    ),
    "a tensor of another shape": (
        lambda f: rewrite(f, lambda tensors: tensors.update({QUERY: torch.zeros(8, 32)})),
        CheckpointError,
        rf"{QUERY} is \(8, 32\) and should be \(32, 32\)",
    ),
    "more layers than weights": (
        lambda f: edit_config(f, num_hidden_layers=7),
        CheckpointError,
        r"it lacks encoder\.layer\.3\..* and 63 more",
    ),
    "wider than the weights": (
        lambda f: edit_config(f, hidden_size=64),
        CheckpointError,
        r"is \(32,\) and should be \(64,\)",
    ),
    "heads that do not divide the width": (
        lambda f: edit_config(f, num_attention_heads=5),
        CheckpointError,
        "not a multiple",
    ),
    "a width that is no number": (
        lambda f: edit_config(f, hidden_size="wide"),
        CheckpointError,
        "describes no bert model.*'wide'",
    ),
    "no config": (lambda f: (f / "config.json").unlink(), CheckpointError, "not a model folder"),
    "config cut": (lambda f: cut(f / "config.json", 40), CheckpointError, r"config\.json cannot be read"),
    "config that is a list": (lambda f: (f / "config.json").write_text("[1]"), CheckpointError, "holds list"),
    "no model type": (lambda f: edit_config(f, model_type=None), CheckpointError, "does not say which model_type"),
    "a model type that is no text": (lambda f: edit_config(f, model_type=[3]), ModelError, "3"),
    "an unknown model type": (
        lambda f: edit_config(f, model_type="ours"),
        UnsupportedModelError,
        "'ours'.*without running code",
    ),
    "tokenizer cut": (lambda f: cut(f / "tokenizer.json", 100), CheckpointError, "tokenizer .* cannot be loaded"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_one_clear_error(folder: Path, damage: str, capfd: pytest.CaptureFixture[str]) -> None:
    change, kind, message = DAMAGES[damage]
    change(folder)
    capfd.readouterr()
    with pytest.raises(kind, match=message):
        encoder.load(str(folder))
    assert capfd.readouterr() == ("", "")
    with contextlib.suppress(ModelError):  # our own encoder reads less of the folder, so that some damage is none
        encoder.load(f"scratch-bert:{folder}")


def test_code_that_comes_with_a_known_model_type_does_not_run(folder: Path) -> None:
    edit_config(folder, **REMOTE_CODE)
    for name in ("configuration_x.py", "modeling_x.py"):
        (folder / name).write_text("raise SystemExit('this code ran')")
    assert load_folder("m", folder).trace(A).num_layers == 3


def test_a_missing_shard_is_an_error(folder: Path, zoo: Zoo) -> None:
    (folder / WEIGHTS_FILE).unlink()
    zoo.eager("bert").save_pretrained(folder, max_shard_size="50KB")
    *_, last = folder.glob("model-*.safetensors")
    last.unlink()
    with pytest.raises(CheckpointError, match="No such file"):
        load_folder("m", folder)
    (folder / f"{WEIGHTS_FILE}.index.json").write_text("{")
    with pytest.raises(CheckpointError):
        load_folder("m", folder)


def test_an_old_folder_without_tokenizer_json_is_read_from_its_vocabulary(folder: Path, zoo: Zoo) -> None:
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    remove_tokenizer(folder)
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)) + "\n")
    ours, expected = load_folder("m", folder).tokenize(A, B), zoo.backend("bert").tokenize(A, B)
    assert dataclasses.replace(ours, max_length=expected.max_length) == expected


@pytest.mark.parametrize("prefix", ["", "scratch-bert:"])
def test_an_adapter_and_quantised_weights_are_called_what_they_are(folder: Path, prefix: str) -> None:
    edit_config(folder, quantization_config={"quant_method": "bitsandbytes", "load_in_8bit": True})
    with pytest.raises(UnsupportedModelError, match=r"holds quantised weights \('bitsandbytes'\)"):
        encoder.load(f"{prefix}{folder}")
    (folder / "config.json").rename(folder / "adapter_config.json")
    (folder / WEIGHTS_FILE).unlink()
    message = "holds an adapter .* open it by its own name" if prefix else "names no base model: write its folder there"
    with pytest.raises(CheckpointError, match=message):
        encoder.load(f"{prefix}{folder}")
