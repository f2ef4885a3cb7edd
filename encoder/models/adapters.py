"""Folders of adapters, as peft saves them: the base model that they name, and both merged into one.

peft is imported only for such a folder. Weights are read from safetensors only.
"""

from __future__ import annotations

import os.path
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from encoder.errors import CheckpointError, UnknownModelError, UnsupportedModelError
from encoder.models.files import WITHOUT_ADAPTER, check_files, quoted, read_json
from encoder.models.finite import check_weights
from encoder.models.hub import cached_folder, is_hub_id
from encoder.models.weight_files import INDEX, SINGLE, read_headers, read_tensors
from encoder.text.tokenizer import first_line

SETTINGS, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
OF_PEFT = "base_model.model."  # the start of the names of tensors
# The head of a task of peft, by the end of the name of its class.
TASKS = {
    "SEQ_CLS": "ForSequenceClassification",
    "TOKEN_CLS": "ForTokenClassification",
    "QUESTION_ANS": "ForQuestionAnswering",
}


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter's settings, its weights by name, and the folder of its base model."""

    settings: Mapping[str, Any]
    tensors: Mapping[str, Tensor]
    base: Path

    @property
    def lent(self) -> frozenset[str]:
        """Names of the base model's own weights that the adapter brings, such as those of a classifier."""
        return frozenset(name.removeprefix(OF_PEFT) for name in self.tensors)

    def adapt(self, config: Any, class_name: Callable[[str], str | None]) -> None:
        """Set the head of the adapter's task in the settings of the base model.

        Args:
            class_name: returns the class of the base model's family with a head, by the end of its name.
        """
        end = TASKS.get(str(self.settings.get("task_type")))
        named = class_name(end) if end else None
        if named is None:
            return
        config.architectures = [named]
        # The last weight of a head has a row for each label.
        heads = ("classifier.weight", "score.weight", "qa_outputs.weight", "out_proj.weight")
        rows = [len(tensor) for name, tensor in self.tensors.items() if name.endswith(heads) and "lora" not in name]
        if rows and rows[-1] != config.num_labels:
            config.num_labels = rows[-1]

    @property
    def base_name(self) -> str:
        """The name of the base model, without the folders that it lies in."""
        return Path(self.settings["base_model_name_or_path"]).name

    @property
    def note(self) -> str:
        """What the model is made of."""
        kind = str(self.settings.get("peft_type", "")).replace("LORA", "LoRA")
        return (
            f"The adapter in this folder ({kind}) is merged into its base model, {self.base_name}: "
            f"“{WITHOUT_ADAPTER}:FOLDER” opens the base model alone."
        )


def is_adapter(folder: Path) -> bool:
    """Whether a folder holds an adapter without the model that it belongs to."""
    return (folder / SETTINGS).exists() and not any((folder / name).exists() for name in (SINGLE, INDEX))


def base_of(name: str, folder: Path) -> Path:
    """The folder of an adapter's base model.

    Raises:
        CheckpointError: its settings are damaged.
        UnknownModelError: the base model is not on this computer.
    """
    check_files(folder)
    named = read_json(folder / SETTINGS).get("base_model_name_or_path")
    if not isinstance(named, str) or not named:
        raise CheckpointError(f"The {SETTINGS} of {name} names no base model: write its folder there.")
    for path in (folder / named, Path(os.path.expanduser(named))):
        if path.is_dir():
            return path
    cached = cached_folder(named) if is_hub_id(named) else None
    if cached is None:
        raise UnknownModelError(
            f"{name} is an adapter of {quoted(named)}, which is not on this computer: download that first, or write "
            f"its folder as base_model_name_or_path into {SETTINGS}."
        )
    return cached


def read_adapter(name: str, folder: Path) -> Adapter:
    """An adapter's settings and weights.

    Raises:
        CheckpointError: a file is missing or damaged.
        UnknownModelError: the base model is not on this computer.
    """
    base = base_of(name, folder)
    if not (folder / WEIGHTS).exists():
        raise CheckpointError(f"{name} is an adapter without {WEIGHTS}: save it again with peft's save_pretrained().")
    tensors = read_tensors(read_headers([folder / WEIGHTS]))
    check_weights(tensors.items(), f"The adapter of {name}")
    return Adapter(read_json(folder / SETTINGS), tensors, base)


def merged(name: str, model: PreTrainedModel, folder: Path, adapter: Adapter) -> PreTrainedModel:
    """A base model with an adapter merged into its weights.

    Raises:
        UnsupportedModelError: peft is not installed, or the adapter is no change of weights.
        CheckpointError: it does not belong to the model.
    """
    try:
        import peft
    except ImportError as error:
        raise UnsupportedModelError(
            f"{name} is an adapter, which peft merges into its base model: install it with `pip install peft`."
        ) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # peft calls what transformers will remove
            config = peft.PeftConfig.from_pretrained(str(folder))
            config.inference_mode, config.base_model_name_or_path = True, None  # a name is compared with the model's
            with torch.random.fork_rng(devices=[]):
                adapted = peft.get_peft_model(model, config)
            return _merged(name, adapted, adapter, config.peft_type.value)
    except (RuntimeError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise CheckpointError(
            f"The adapter of {name} cannot be merged into {adapter.base_name}: {first_line(error)}"
        ) from error


def _merged(name: str, adapted: Any, adapter: Adapter, kind: str) -> PreTrainedModel:
    """The model inside of one of peft, with an adapter's weights. Raises as `merged`."""
    import peft

    if not hasattr(adapted.base_model, "merge_and_unload"):
        raise UnsupportedModelError(
            f"{name} is an adapter of the type {kind}, which is no change of weights: only those that can be merged, "
            "such as LoRA, are opened."
        )
    report = peft.set_peft_model_state_dict(adapted, dict(adapter.tensors))
    missing = peft.get_peft_model_state_dict(adapted, save_embedding_layers=False).keys() - adapter.tensors.keys()
    if foreign := sorted({*report.unexpected_keys, *missing}):
        raise CheckpointError(f"The adapter of {name} does not fit its base model: see {foreign[0]}.")
    return adapted.merge_and_unload()
