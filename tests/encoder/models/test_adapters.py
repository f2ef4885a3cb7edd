"""Folders of adapters: opened with their base model, with the adapter and without it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from peft import IA3Config, LoraConfig, PeftModel, PrefixTuningConfig
from safetensors.torch import load_file, save_file
from transformers import AutoModel

import encoder
from encoder.errors import CheckpointError, ModelError, UnknownModelError, UnsupportedModelError
from encoder.offers import folder_of, kind_of_name
from tests.encoder.models.adapter_folders import adapter_folder
from tests.encoder.random_models import WIDTH, A, Zoo, run_eager
from tests.rounding import rounding

CONFIGS: dict[str, tuple[Any, int]] = {
    "lora": (lambda: LoraConfig(target_modules=["query", "value"]), 0),
    "dora": (lambda: LoraConfig(target_modules=["query"], use_dora=True), 0),
    "ia3": (lambda: IA3Config(target_modules=["key"], feedforward_modules=[]), 0),
    "classifier": (lambda: LoraConfig(target_modules=["query"], task_type="SEQ_CLS"), 3),
}


@pytest.mark.parametrize("kind", CONFIGS)
def test_an_adapter_is_merged_into_its_base_model(zoo: Zoo, tmp_path: Path, kind: str) -> None:
    make, labels = CONFIGS[kind]
    adapted = adapter_folder(zoo.folder("bert"), tmp_path, make(), labels=labels)
    backend = encoder.load(tmp_path)
    trace = backend.trace(A)
    adapted.base_model.model.set_attn_implementation("eager")
    expected = run_eager(adapted.base_model.model, trace.tokens)
    assert_allclose(trace.hidden_states, torch.cat(expected.hidden_states), atol=rounding(3 * WIDTH))
    for layer, weights in enumerate(expected.attentions):
        assert_allclose(trace.weights(layer), weights[0], atol=rounding(WIDTH))
    if labels:
        assert_allclose(trace.prediction.logits, expected.logits[0], atol=rounding(3 * WIDTH))
    assert any("is merged into its base model, bert" in note for note in trace.notes)


def test_the_base_model_of_an_adapter_opens_without_it(zoo: Zoo, tmp_path: Path) -> None:
    adapter_folder(zoo.folder("bert"), tmp_path, LoraConfig(target_modules=["query"]))
    name = f"base:{tmp_path}"
    assert (kind_of_name(name), folder_of(name)) == ("folder", tmp_path)
    trace = encoder.load(name).trace(A)
    assert trace.model_name == name
    assert_array_equal(trace.hidden_states, zoo.backend("bert").trace(A).hidden_states)
    assert trace.notes == ()


def test_a_base_model_may_lie_next_to_its_adapter(zoo: Zoo, tmp_path: Path) -> None:
    adapter_folder(zoo.folder("bert"), tmp_path / "adapter", LoraConfig(target_modules=["query"]))
    (tmp_path / "mine").symlink_to(zoo.folder("bert"))
    set_base(tmp_path / "adapter", "../mine")
    assert encoder.load(tmp_path / "adapter").num_layers == 3


def set_base(folder: Path, name: str | None) -> None:
    path = folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"base_model_name_or_path": name}))


def rename_tensors(folder: Path) -> None:
    path = folder / "adapter_model.safetensors"
    save_file({name.replace("query", "other"): tensor for name, tensor in load_file(path).items()}, path)


DAMAGES: dict[str, tuple[Any, type[ModelError], str]] = {
    "no base": (lambda f: set_base(f, None), CheckpointError, "names no base model"),
    "elsewhere": (lambda f: set_base(f, "/no/such/folder"), UnknownModelError, "an adapter of '/no/such/folder'"),
    "pickled": (
        lambda f: (f / "adapter_model.safetensors").rename(f / "adapter_model.bin"),
        CheckpointError,
        "an adapter without adapter_model.safetensors",
    ),
    "of other layers": (rename_tensors, CheckpointError, "does not fit its base model"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_adapter_is_one_clear_error(zoo: Zoo, tmp_path: Path, damage: str) -> None:
    change, error, message = DAMAGES[damage]
    adapter_folder(zoo.folder("bert"), tmp_path, LoraConfig(target_modules=["query"]))
    change(tmp_path)
    with pytest.raises(error, match=message):
        encoder.load(tmp_path)


def test_an_adapter_that_changes_no_weights_is_refused(zoo: Zoo, tmp_path: Path) -> None:
    model = AutoModel.from_pretrained(zoo.folder("bert"))
    config = PrefixTuningConfig(task_type="FEATURE_EXTRACTION", num_virtual_tokens=2)
    PeftModel(model, config).save_pretrained(tmp_path)
    with pytest.raises(UnsupportedModelError, match="PREFIX_TUNING, which is no change of weights"):
        encoder.load(tmp_path)


def test_without_peft_a_sentence_says_how_to_get_it(zoo: Zoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter_folder(zoo.folder("bert"), tmp_path, LoraConfig(target_modules=["query"]))
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(UnsupportedModelError, match="pip install peft"):
        encoder.load(tmp_path)
    with pytest.raises(UnknownModelError, match="holds no adapter"):
        encoder.load(f"base:{zoo.folder('bert')}")
