"""Model folders into models of `transformers`: strictly, and without running code that comes with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import (
    CONFIG_MAPPING,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    MODEL_FOR_TEXT_ENCODING_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoModelForTextEncoding,
    PreTrainedModel,
)

from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.files import check_weight_files, read_config
from encoder.models.finite import check_weights
from encoder.models.pretrained import POSITION_TABLES, PretrainedBackend, table_of
from encoder.models.pretrained_points import ATTENTION_NAME, register
from encoder.models.pretrained_seq2seq import PretrainedSeq2Seq
from encoder.text.tokenizer import Tokenizer, first_line
from encoder.text.tokens import MAX_TOKENS

LAYER = re.compile(r"(?:^|\.)(?:layers?|h|blocks?)\.(\d+)\.")


def load_folder(name: str, folder: Path) -> PretrainedBackend:
    """The model in a folder, ready to be run. Raises what `read_folder` does."""
    return PretrainedBackend(name, *read_folder(name, folder))


class FolderContents(NamedTuple):
    """What a model folder holds, loaded and checked, and not run yet."""

    model: PreTrainedModel
    tokenizer: Tokenizer


def read_folder(name: str, folder: Path) -> FolderContents:
    """A model folder (config.json, tokenizer, *.safetensors), loaded without running any code of its own.

    Raises:
        CheckpointError: files are missing, corrupt, pickled, not finite, or do not fill the model.
        UnsupportedModelError: it is no text encoder with attention.
    """
    config = _config_of(name, folder)
    if config.is_encoder_decoder and not _is_of(config, "EncoderModel"):
        raise UnsupportedModelError(
            f"{name} is an encoder-decoder ({config.model_type}): name it in the view “Decoder”, which shows both."
        )
    model = _load_model(name, folder, config, _class_for_texts(config))
    if model.main_input_name != "input_ids":
        raise UnsupportedModelError(
            f"{name} ({type(model).__name__}) reads {model.main_input_name}, not text: Headlight shows text encoders."
        )
    return FolderContents(model, Tokenizer.from_folder(folder, max_length=_max_length(model)))


def load_seq2seq_folder(name: str, folder: Path) -> PretrainedSeq2Seq:
    """The folder of an encoder-decoder such as T5, BART or Marian, loaded without running any code of its own.

    Raises:
        CheckpointError: files are missing, corrupt, pickled, not finite, or do not fill the model.
        UnsupportedModelError: it is no encoder-decoder whose attention can be captured.
    """
    config = _config_of(name, folder)
    if not config.is_encoder_decoder or type(config) not in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING:
        raise UnsupportedModelError(f"{name} ({config.model_type}) is no encoder-decoder that writes text.")
    model = _load_model(name, folder, config, AutoModelForSeq2SeqLM)
    return PretrainedSeq2Seq(name, model, Tokenizer.from_folder(folder, max_length=_max_length(model)))


def _config_of(name: str, folder: Path) -> Any:
    settings = read_config(folder)
    check_weight_files((path.name for path in folder.iterdir()), str(folder))
    register()
    return _load_config(name, folder, settings)


def _load_config(name: str, folder: Path, settings: Mapping[str, Any]) -> Any:
    model_type = settings.get("model_type")
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # an unknown or remote-code model type or a bad value, in many words and classes
        if model_type is None:
            raise CheckpointError(f"The config.json of {name} does not say which model_type it is for.") from error
        if str(model_type) in CONFIG_MAPPING:
            detail = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            raise CheckpointError(
                f"The config.json of {name} describes no {model_type} model: {detail[0].strip()}"
            ) from error
        raise UnsupportedModelError(
            f"{name} is of type {model_type!r}, which this version of transformers cannot load without running code "
            "that comes with the model."
        ) from error
    return config


def _is_of(config: Any, kind: str) -> bool:
    return any(str(architecture).endswith(kind) for architecture in config.architectures or ())


def _class_for_texts(config: Any) -> Any:
    if _is_of(config, "ForSequenceClassification"):
        return AutoModelForSequenceClassification
    if type(config) in MODEL_FOR_TEXT_ENCODING_MAPPING:  # of T5, say, the encoder without the decoder
        return AutoModelForTextEncoding
    return AutoModel


def _load_model(name: str, folder: Path, config: Any, auto: Any) -> PreTrainedModel:
    try:
        model, report = auto.from_pretrained(
            folder,
            config=config,
            attn_implementation=ATTENTION_NAME,
            dtype=torch.float32,
            local_files_only=True,
            use_safetensors=True,
            ignore_mismatched_sizes=True,  # they are named below
            trust_remote_code=False,
            output_loading_info=True,
        )
    except Exception as error:  # SafetensorError, RuntimeError, ValueError, OSError ... by kind of damage
        raise CheckpointError(
            f"{name} cannot be loaded: its weights or its config.json are damaged ({first_line(error)})."
        ) from error
    # The pooler is never read but by a classifier.
    _check_report(name, model, report, pooled=auto is AutoModelForSequenceClassification)
    check_weights(model.named_parameters(), f"The checkpoint of {name}")
    return model


def _check_report(name: str, model: PreTrainedModel, report: Mapping[str, Any], *, pooled: bool) -> None:
    """Refuse a checkpoint that does not fill its model, which would run with random tensors, or that holds more layers.

    Args:
        report: of `from_pretrained`.
        pooled: whether the pooler has to be there.
    """
    missing = sorted(key for key in report["missing_keys"] if pooled or "pooler" not in key)
    if missing:
        raise CheckpointError(
            f"The checkpoint of {name} does not fill {type(model).__name__}: it lacks {missing[0]}"
            f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}."
        )
    # Settings that name fewer layers than there are would show another model than the folder's.
    depth = getattr(model.config, "num_hidden_layers", None)
    beyond = sorted(key for key in report["unexpected_keys"] if depth is not None and _layer_of(key) >= depth)
    if beyond:
        raise CheckpointError(
            f"The checkpoint of {name} has more layers than its config.json says ({depth}): {beyond[0]} is left over."
        )
    mismatched = sorted(report["mismatched_keys"])
    if mismatched:
        key, given, wanted = mismatched[0]
        raise CheckpointError(
            f"The checkpoint of {name} does not fit its config.json: {key} is {tuple(given)} and should be "
            f"{tuple(wanted)}."
        )


def _layer_of(key: str) -> int:
    """The layer that a tensor's name belongs to, -1 for none: 3 for "encoder.layer.3.output.dense.bias"."""
    found = LAYER.search(key)
    return int(found[1]) if found else -1


def _max_length(model: PreTrainedModel) -> int:
    """How many tokens fit; XLNet and its like give -1 for "any number"."""
    positions = getattr(model.config, "max_position_embeddings", None) or MAX_TOKENS
    table = table_of(model.base_model, POSITION_TABLES)
    # RoBERTa counts from behind the padding id, so that no token uses the first rows of its table.
    unused = 0 if table is None or table.padding_idx is None else table.padding_idx + 1
    return min(positions - unused, MAX_TOKENS) if positions > 0 else MAX_TOKENS
