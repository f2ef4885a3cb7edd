"""Load model folders into models of `transformers`, strictly and without running code from them."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from huggingface_hub.errors import StrictDataclassError
from torch import Tensor
from transformers import (
    CONFIG_MAPPING,
    MODEL_FOR_MASKED_LM_MAPPING,
    MODEL_FOR_MULTIPLE_CHOICE_MAPPING,
    MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING,
    MODEL_FOR_PRETRAINING_MAPPING,
    MODEL_FOR_QUESTION_ANSWERING_MAPPING,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING,
    MODEL_FOR_TEXT_ENCODING_MAPPING,
    MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING,
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForMultipleChoice,
    AutoModelForNextSentencePrediction,
    AutoModelForPreTraining,
    AutoModelForQuestionAnswering,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoModelForTextEncoding,
    AutoModelForTokenClassification,
    GenerationConfig,
    PreTrainedModel,
)

from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.adapters import is_adapter, merged, read_adapter
from encoder.models.checkpoint import shapes_only
from encoder.models.files import PROJECTION, STANFORD, quoted, read_config, read_json, revision_of
from encoder.models.finite import check_weights
from encoder.models.passport import Facts
from encoder.models.pooling import (
    MODULES,
    PROMPTS,
    folder_length,
    read_pooling,
    tokenizer_of,
    transformer_of,
)
from encoder.models.pretrained import POSITION_TABLES, PretrainedBackend, check_reads_text, table_of
from encoder.models.pretrained_points import ATTENTION_NAME, num_types_of, register
from encoder.models.pretrained_seq2seq import PretrainedSeq2Seq
from encoder.models.relative_positions import restore_relative_positions
from encoder.models.reranker import activation_of
from encoder.models.task_heads import head_of, unused_head
from encoder.models.weight_files import StoredTensor, read_headers, read_tensors, weight_files
from encoder.models.weight_report import WeightReport, prefix_of
from encoder.text.tokenizer import Tokenizer, first_line
from encoder.text.tokens import MAX_TOKENS, USUAL_TOKENS
from encoder.text.vocabulary_file import has_tokenizer

# Raised by `transformers` for settings and weights that do not match.
FOREIGN_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    StrictDataclassError,
    TypeError,
    ValueError,
)
# While it loads a model, `transformers` patches methods of the base class of all models.
_ONE_AT_A_TIME = threading.Lock()
# A model may have more weights than its checkpoint: tied ones, and unused poolers.
SPARE_TIMES, SPARE_WEIGHTS = 2, 16_000_000
OTHER_INPUTS = {"vision": "images", "audio": "sound"}
TAKE_ANOTHER = "take a version of it whose config.json names a model_type of transformers, as GTE and Jina v3 have"
NOMIC_NAMES = {
    "n_embd": "hidden_size",
    "n_head": "num_attention_heads",
    "n_inner": "intermediate_size",
    "n_layer": "num_hidden_layers",
    "n_positions": "max_position_embeddings",
    "layer_norm_epsilon": "layer_norm_eps",
}
GENERATION = "generation_config.json"
# The loaders of models with a head, and the class that each loads for a configuration.
WITH_HEADS = {
    AutoModelForSequenceClassification: MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING,
    AutoModelForTokenClassification: MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING,
    AutoModelForQuestionAnswering: MODEL_FOR_QUESTION_ANSWERING_MAPPING,
    AutoModelForMultipleChoice: MODEL_FOR_MULTIPLE_CHOICE_MAPPING,
    AutoModelForNextSentencePrediction: MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING,
    AutoModelForMaskedLM: MODEL_FOR_MASKED_LM_MAPPING,
    AutoModelForPreTraining: MODEL_FOR_PRETRAINING_MAPPING,
}
# Heads of pretraining, which a checkpoint may lack: then its encoder is shown.
OPTIONAL = (AutoModelForMaskedLM, AutoModelForPreTraining)
LAYER = re.compile(r"(?:^|\.)(?:layers?|h|blocks?)\.(\d+)\.")


def load_folder(name: str, folder: Path) -> PretrainedBackend:
    """The text encoder in a folder (config.json, tokenizer, *.safetensors), loaded without running any code from it.

    Raises:
        CheckpointError: files are missing, corrupt, pickled or not finite, or weights are missing.
        UnsupportedModelError: it is not a text encoder with attention.
    """
    adapter = read_adapter(name, folder) if is_adapter(folder) else None
    base = transformer_of(folder) if adapter is None else adapter.base
    config = _config_of(name, base)
    revision = " ".join(map(revision_of, dict.fromkeys((folder, base))))
    if adapter is not None:
        adapter.adapt(config, lambda end: _class_with_head(config, end))
    auto = _class_for_texts(config)
    if config.is_encoder_decoder and auto not in WITH_HEADS and not _has_architecture(config, "EncoderModel"):
        raise UnsupportedModelError(
            f"{name} is an encoder-decoder ({config.model_type}): name it in the view “Decoder”, which shows both."
        )
    if other := next((kind for kind in OTHER_INPUTS if getattr(config, f"{kind}_config", None) is not None), None):
        raise UnsupportedModelError(
            f"{name} ({config.model_type}) is a model of texts and of {OTHER_INPUTS[other]}: Headlight shows encoders "
            "of text alone. Save the part that reads texts as a folder of its own, and open that."
        )
    code = _code_of(base)
    try:
        model, report = _load_model(name, base, config, auto, lent=adapter.lent if adapter else frozenset())
    except CheckpointError as error:
        if not code:
            raise
        said = f"{error} The folder comes with code of its own ({code}), which is not run: {TAKE_ANOTHER}."
        raise CheckpointError(said) from error
    if adapter is not None:
        model = merged(name, model, folder, adapter)
    if model.main_input_name != "input_ids":
        raise UnsupportedModelError(
            f"{name} ({type(model).__name__}) reads {model.main_input_name}, not text: Headlight shows text encoders."
        )
    check_reads_text(name, model)
    with_modules = folder if (folder / MODULES).exists() else base
    pooling = read_pooling(with_modules)
    with_tokenizer = folder if has_tokenizer(folder) else base
    tokenizer = tokenizer_of(
        with_tokenizer,
        pooling,
        max_length=max_length_of(model),
        folder_length=folder_length(with_modules),
        num_types=max(num_types_of(model), 2),
    )
    with _foreign_errors(name):
        backend = PretrainedBackend(name, model, tokenizer)
    backend.facts = Facts(folder=folder, revision=revision, weights=report, code=code)
    about = folder / PROMPTS
    backend.activation = activation_of(config, read_json(about) if about.exists() else {})
    if report.lacks_head:
        backend.unused_head = unused_head(config.architectures, type(model).__name__, lacks=True)
    backend.pooling = pooling if adapter is None else replace(pooling, notes=(adapter.note, *pooling.notes))
    return backend


def load_seq2seq_folder(name: str, folder: Path) -> PretrainedSeq2Seq:
    """The folder of an encoder-decoder such as T5, BART or Marian, loaded without running any code from it.

    Raises:
        CheckpointError: files are missing, corrupt, pickled or not finite, or weights are missing.
        UnsupportedModelError: it is not an encoder-decoder whose attention can be captured.
    """
    config = _config_of(name, folder)
    if not config.is_encoder_decoder or type(config) not in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING:
        raise UnsupportedModelError(f"{name} ({config.model_type}) is not an encoder-decoder that writes text.")
    if _class_for_texts(config) in WITH_HEADS:
        raise UnsupportedModelError(
            f"{name} ({config.architectures[0]}) writes no text: choose it as the model of the page, whose view "
            "“Predictions” shows what its head says."
        )
    model, report = _load_model(name, folder, config, AutoModelForSeq2SeqLM)
    with _foreign_errors(name):
        if (folder / GENERATION).exists():
            model.generation_config = GenerationConfig.from_dict(read_json(folder / GENERATION))
        tokenizer = Tokenizer.from_folder(folder, max_length=min(max_length_of(model), USUAL_TOKENS))
        notes = filter(None, (report.remark, tokenizer.remark))
        return PretrainedSeq2Seq(name, model, tokenizer, notes=tuple(notes))


@contextmanager
def _foreign_errors(name: str) -> Iterator[None]:
    """Turn errors of `transformers` about unusable files into CheckpointError."""
    try:
        yield
    except FOREIGN_ERRORS as error:
        if isinstance(error, KeyError) and error.args == (ATTENTION_NAME,):
            raise UnsupportedModelError(
                f"{name} is of a family whose attention has no common interface in transformers, so it cannot be read."
            ) from error
        raise CheckpointError(
            f"{name} cannot be loaded: its weights and its config.json do not make a model ({first_line(error)})."
        ) from error


def _config_of(name: str, folder: Path) -> Any:
    settings = read_config(folder)
    settings.pop("auto_map", None)  # refers to code that comes with the model
    register()
    model_type = settings.get("model_type")
    if "id2label" not in settings and isinstance(named := settings.get("label2id"), dict):
        settings["id2label"] = {str(index): name for name, index in named.items()}
    if model_type is None:
        raise CheckpointError(f"The config.json of {name} does not say which model_type it is for.")
    if not isinstance(model_type, str) or model_type not in CONFIG_MAPPING:
        raise UnsupportedModelError(
            f"{name} is of type {quoted(str(model_type))}, which this version of transformers cannot load without "
            f"running code that comes with the model: {TAKE_ANOTHER}."
        )
    if model_type == "nomic_bert":
        settings = _nomic_settings(settings)
    try:
        return CONFIG_MAPPING[model_type].from_dict(settings)
    except FOREIGN_ERRORS as error:
        detail = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise CheckpointError(
            f"The config.json of {name} describes no {model_type} model: {detail[0].strip()}"
        ) from error


def _nomic_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as NomicBERT's own code names them, in the names of `transformers`, which would pass over them."""
    found = {NOMIC_NAMES.get(name, name): value for name, value in settings.items() if value is not None}
    if "rotary_emb_base" in settings:
        found["rope_parameters"] = {"rope_type": "default", "rope_theta": float(settings["rotary_emb_base"])}
    if "max_trained_positions" in settings:  # beyond these its code scales the angles by the length of the text
        found["max_position_embeddings"] = settings["max_trained_positions"]
    return found


def _code_of(folder: Path) -> str:
    """The class of a folder's own code, "" without any; `transformers` runs its own of that type instead."""
    named = read_config(folder).get("auto_map")
    classes = named if isinstance(named, dict) else {}
    return str(classes.get("AutoModel") or next(iter(classes.values()), ""))[:80]


def _has_architecture(config: Any, kind: str) -> bool:
    return any(str(architecture).endswith(kind) for architecture in config.architectures or ())


def _class_for_texts(config: Any) -> Any:
    """The loader of a checkpoint: with its head if there is a view of it, else of the encoder alone."""
    for auto, classes in WITH_HEADS.items():
        if type(config) not in classes:
            continue
        class_name = classes[type(config)].__name__
        if class_name in (config.architectures or ()) and head_of(class_name):
            return auto
    if _has_architecture(config, "ForPreTraining") and type(config) in MODEL_FOR_MASKED_LM_MAPPING:
        return AutoModelForMaskedLM
    if type(config) in MODEL_FOR_TEXT_ENCODING_MAPPING:  # for T5, for example, the encoder without the decoder
        return AutoModelForTextEncoding
    return AutoModel


def _class_with_head(config: Any, end: str) -> str | None:
    """The class of a family with a head, by the end of its name; None if there is none."""
    names = (classes[type(config)].__name__ for classes in WITH_HEADS.values() if type(config) in classes)
    return next((name for name in names if name.endswith(end)), None)


def _load_model(
    name: str, folder: Path, config: Any, auto: Any, *, lent: frozenset[str] = frozenset()
) -> tuple[PreTrainedModel, WeightReport]:
    """The model of a folder, and how its checkpoint fills it; weights with the names in `lent` come from elsewhere."""
    stored, prefix = read_headers(weight_files(folder)), ""
    with _foreign_errors(name), ThreadPoolExecutor(1) as reader:
        reading = reader.submit(read_tensors, stored)
        outline = _outline(name, config, auto, stored)
        tensors = reading.result()
    model, found = _filled(name, outline, tensors, lent)
    if any("pooler" not in key for key in found["missing_keys"]) and not _lacks_head_alone(auto, model, found):
        prefix = prefix_of(name, stored, model)
        if prefix:
            tensors = {key.removeprefix(prefix): tensor for key, tensor in tensors.items()}
            model, found = _filled(name, outline, tensors, lent)
    lacks_head = _lacks_head_alone(auto, model, found)
    if lacks_head:
        model = model.base_model
    else:
        _check_report(name, model, found, pooled=auto in WITH_HEADS)  # only heads read the pooler
    check_weights(model.named_parameters(), f"The checkpoint of {name}")
    left_over = {key: tensors[key] for key in found["unexpected_keys"]}
    restored = restore_relative_positions(name, model, left_over, table_of(model.base_model, POSITION_TABLES))
    # Chunked feed-forward layers give the same numbers, but fail for lengths that the chunk size does not divide.
    for module in model.modules():
        if hasattr(module, "chunk_size_feed_forward"):
            module.chunk_size_feed_forward = 0
    elsewhere = {PROJECTION} if STANFORD in (config.architectures or ()) else set()  # which makes its vectors of tokens
    unused, missing = left_over.keys() - restored - elsewhere, found["missing_keys"]
    return model, WeightReport.of(len(stored), unused, missing, prefix=prefix, lacks_head=lacks_head)


def _filled(
    name: str, outline: PreTrainedModel, tensors: Mapping[str, Tensor], lent: frozenset[str]
) -> tuple[PreTrainedModel, dict[str, Any]]:
    """A model with the tensors of its checkpoint, and what `transformers` reports of them; those in `lent` may lack."""
    with _foreign_errors(name), _ONE_AT_A_TIME:
        # `transformers` does not open the files: it would map them into memory, and open pickles listed in an index.
        opened: Any = type(outline).from_pretrained(
            None,
            config=outline.config,
            state_dict=dict(tensors),
            attn_implementation=ATTENTION_NAME,
            dtype=torch.float32,
            ignore_mismatched_sizes=True,  # reported by `_check_report`
            output_loading_info=True,
        )
    model, report = opened
    return model, {**report, "missing_keys": set(report["missing_keys"]) - lent}


def _outline(name: str, config: Any, auto: Any, stored: Mapping[str, StoredTensor]) -> PreTrainedModel:
    """The model of a config.json on the meta device, where weights take no memory.

    Raises:
        CheckpointError: it is far larger than its checkpoint.
    """
    with shapes_only():
        outline: PreTrainedModel = auto.from_config(config, attn_implementation=ATTENTION_NAME)
    described = sum(tensor.numel() for tensor in (*outline.parameters(), *outline.buffers()))
    found = sum(math.prod(tensor.shape) for tensor in stored.values())
    if described > SPARE_WEIGHTS + SPARE_TIMES * found:
        raise CheckpointError(
            f"The config.json of {name} describes a model of {described:,} weights, and its checkpoint holds {found:,}."
        )
    return outline


def _lacks_head_alone(auto: Any, model: PreTrainedModel, report: Mapping[str, Any]) -> bool:
    """Whether all missing weights, of which there are some, belong to a head that a checkpoint may lack."""
    missing, base = report["missing_keys"], f"{model.base_model_prefix}."
    return auto in OPTIONAL and bool(missing) and not any(key.startswith(base) for key in missing)


def _check_report(name: str, model: PreTrainedModel, report: Mapping[str, Any], *, pooled: bool) -> None:
    """Refuse a checkpoint with missing weights, which would stay random, or with more layers than configured."""
    missing = sorted(key for key in report["missing_keys"] if pooled or "pooler" not in key)
    if missing:
        raise CheckpointError(
            f"The checkpoint of {name} does not fill {type(model).__name__}: it lacks {missing[0]}"
            f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}."
        )
    # With fewer layers configured, another model than the folder's would be shown.
    depth = getattr(model.config, "num_hidden_layers", None)
    beyond = sorted(key for key in report["unexpected_keys"] if depth is not None and _layer_of(key) >= depth)
    if beyond:
        raise CheckpointError(
            f"The checkpoint of {name} has more layers than its config.json says ({depth}): {beyond[0]} is left over."
        )
    mismatched = sorted(report["mismatched_keys"])
    if mismatched:
        key, given, wanted = mismatched[0]
        if wanted[0] == model.config.num_labels and tuple(given[1:]) == tuple(wanted[1:]):
            raise CheckpointError(
                f"The config.json of {name} names {wanted[0]} classes, and its head has {given[0]} ({key}): write a "
                "name for each into id2label."
            )
        raise CheckpointError(
            f"The checkpoint of {name} does not fit its config.json: {key} is {tuple(given)} and should be "
            f"{tuple(wanted)}."
        )


def _layer_of(key: str) -> int:
    """The layer that a tensor's name belongs to, -1 for none: 3 for "encoder.layer.3.output.dense.bias"."""
    found = LAYER.search(key)
    return int(found[1]) if found else -1


def max_length_of(model: PreTrainedModel) -> int:
    """The largest number of tokens; models such as XLNet use -1 for "unlimited"."""
    positions = getattr(model.config, "max_position_embeddings", None) or USUAL_TOKENS
    table = table_of(model.base_model, POSITION_TABLES)
    # RoBERTa counts positions from after the padding id: the first rows of its table are unused.
    unused = 0 if table is None or table.padding_idx is None else table.padding_idx + 1
    return min(positions - unused, MAX_TOKENS) if positions > 0 else USUAL_TOKENS
