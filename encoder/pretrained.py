"""Any text encoder of `transformers` as a model on offer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    CONFIG_MAPPING,
    MODEL_FOR_TEXT_ENCODING_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForSequenceClassification,
    AutoModelForTextEncoding,
    PreTrainedModel,
)

from encoder.backend import Backend, Heads
from encoder.capture import ATTENTION_NAME, capturing, register
from encoder.checkpoint import check_weight_files, read_config
from encoder.errors import CheckpointError, SelectionError, UnsupportedModelError
from encoder.tensors import to_numpy
from encoder.tokens import MAX_TOKENS, Tokenizer, Tokens, first_line
from encoder.trace import FloatArray, LayerAttention, Prediction, Trace

EAGER_NOTE = (
    "This model has attention code of its own: its weights are shown as it returns them, while queries, keys "
    "and values stay inside it, and its heads cannot be silenced."
)
CAUSAL_NOTE = "This model reads from left to right: a token attends to itself and to earlier tokens only."

# Where the families of `transformers` keep the tables that are summed into the embedding output.
POSITION_TABLES = ("embeddings.position_embeddings", "wpe")
TOKEN_TYPE_TABLES = ("embeddings.token_type_embeddings",)


class PretrainedBackend(Backend):
    """A model of `transformers`, traced through its own attention interface, or in eager mode where it has none."""

    def __init__(self, name: str, model: PreTrainedModel, tokenizer: Tokenizer) -> None:
        self.name = name
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.captured = True
        self.num_layers, self.num_heads = self._probe()

    @property
    def _base(self) -> nn.Module:
        base: nn.Module = self.model.base_model
        return base

    def run(self, tokens: Tokens, *, silenced_heads: Heads = ()) -> Trace:
        """One forward pass. Raises SelectionError where heads are to be silenced and the model does not allow it."""
        silenced = self.check_heads(silenced_heads)
        self._check_ids(tokens)
        if silenced and not self.captured:
            raise SelectionError(f"The heads of {self.name} cannot be silenced: it has attention code of its own.")
        layers, output = self._forward(tokens, silenced)
        causal = self.captured and _is_causal(layers)
        return Trace(
            model_name=self.name,
            tokens=tokens,
            layers=layers,
            hidden_states=to_numpy(torch.cat(output.hidden_states)),  # (L + 1, T, D)
            embedding_parts=self._embedding_parts(tokens),
            prediction=self._prediction(output),
            silenced_heads=silenced,
            notes=(EAGER_NOTE,) * (not self.captured) + (CAUSAL_NOTE,) * causal,
        )

    def _check_ids(self, tokens: Tokens) -> None:
        known: int = self.model.get_input_embeddings().weight.shape[0]
        for piece, token_id in zip(tokens.pieces, tokens.ids, strict=True):
            if token_id >= known:
                raise CheckpointError(
                    f"The tokenizer of {self.name} gives {piece!r} the id {token_id}, while its model knows {known} "
                    "ids: the two do not belong together."
                )

    @torch.inference_mode()
    def _forward(
        self, tokens: Tokens, silenced: tuple[tuple[int, int], ...] = ()
    ) -> tuple[tuple[LayerAttention, ...], Any]:
        inputs = {
            "input_ids": torch.tensor([tokens.ids]),  # (1, T)
            "attention_mask": torch.tensor([tokens.attention_mask]),  # (1, T)
        }
        if getattr(self.model.config, "type_vocab_size", 0) > max(tokens.token_type_ids):
            inputs["token_type_ids"] = torch.tensor([tokens.token_type_ids])  # (1, T)
        if self.captured:
            with capturing(silenced) as capture:
                output = self.model(**inputs, output_hidden_states=True, return_dict=True)
            return tuple(capture.layers), output
        output = self.model(**inputs, output_hidden_states=True, output_attentions=True, return_dict=True)
        attentions = output.get("attentions") or ()
        return tuple(LayerAttention(given_weights=to_numpy(weights[0])) for weights in attentions), output

    def _probe(self) -> tuple[int, int]:
        """Layers and heads, found by running a word; falls back to eager mode where nothing is captured.

        Raises:
            UnsupportedModelError: the model returns no attention either way, or needs more than a text.
        """
        try:
            tokens = self.tokenizer("a")
            self._check_ids(tokens)
            self._embedding_parts(tokens)
            layers, output = self._forward(tokens)
            if not layers:
                self.captured = False
                # `set_attn_implementation` refuses models without the interface, but their masks depend on it.
                self.model.config._attn_implementation = "eager"
                layers, output = self._forward(tokens)
        except CheckpointError:
            raise
        except Exception as error:  # whatever an unknown architecture raises when it is given a text
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) cannot be run on a text: {first_line(error)}"
            ) from error
        if not layers or output.get("hidden_states") is None:
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) returns no attention: Headlight shows text encoders "
                "with attention, such as BERT."
            )
        if layers[0].weights().shape[1:] != (len(tokens), len(tokens)):
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) does not weigh every token against every token: its "
                f"attention on {len(tokens)} tokens has the shape {layers[0].weights().shape}."
            )
        if len(output.hidden_states) != len(layers) + 1:
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) returns {len(layers)} attentions and "
                f"{len(output.hidden_states)} hidden states: it is not one stack of encoder layers."
            )
        return len(layers), layers[0].num_heads

    @torch.inference_mode()
    def _embedding_parts(self, tokens: Tokens) -> dict[str, FloatArray]:
        """What is summed into the embedding output, as far as this family of models keeps it in tables."""
        ids = torch.tensor(tokens.ids)  # (T,)
        parts = {"word": self.model.get_input_embeddings()(ids)}  # (T, D)
        position = _submodule(self._base, POSITION_TABLES)
        if position is not None:
            parts["position"] = position(_positions(ids, position))  # (T, D)
        token_type = _submodule(self._base, TOKEN_TYPE_TABLES)
        if token_type is not None:
            rows = torch.tensor(tokens.token_type_ids).clamp(max=token_type.num_embeddings - 1)  # (T,)
            parts["token type"] = token_type(rows)  # (T, D)
        return {name: to_numpy(part) for name, part in parts.items()}

    def _prediction(self, output: Any) -> Prediction | None:
        logits: Tensor | None = output.get("logits")
        if logits is None:
            return None
        config = self.model.config
        values = to_numpy(logits[0])  # (C,)
        if config.num_labels == 1:
            return Prediction(labels=("score",), logits=values, probabilities=None, score=float(values[0]))
        labels = tuple(str(config.id2label.get(index, index)) for index in range(config.num_labels))
        if config.problem_type == "regression":
            return Prediction(labels=labels, logits=values, probabilities=None)
        if config.problem_type == "multi_label_classification":
            note = "Several labels may hold at once: the probabilities need not sum to 1."
            return Prediction(labels=labels, logits=values, probabilities=to_numpy(logits[0].sigmoid()), note=note)
        return Prediction(labels=labels, logits=values, probabilities=to_numpy(logits[0].softmax(-1)))


def load_folder(name: str, folder: Path) -> PretrainedBackend:
    """A model folder (config.json, tokenizer, *.safetensors), loaded without running any code of its own.

    Raises:
        CheckpointError: files are missing, corrupt, pickled, or do not fill the model.
        UnsupportedModelError: it is no text encoder with attention.
    """
    settings = read_config(folder)
    check_weight_files((path.name for path in folder.iterdir()), str(folder))
    register()
    config = _load_config(name, folder, settings)
    model = _load_model(name, folder, config)
    if model.main_input_name != "input_ids":
        raise UnsupportedModelError(
            f"{name} ({type(model).__name__}) reads {model.main_input_name}, not text: Headlight shows text encoders."
        )
    return PretrainedBackend(name, model, load_tokenizer(folder, max_length=_max_length(model)))


def load_tokenizer(folder: Path, *, max_length: int) -> Tokenizer:
    """The tokenizer of a model folder. Raises CheckpointError where its files are missing or corrupt."""
    # Without any, `transformers` makes one up whose vocabulary is empty.
    if not has_tokenizer(folder):
        raise CheckpointError(f"{folder} holds no tokenizer: a tokenizer.json is needed.")
    return Tokenizer.from_folder(folder, max_length=max_length)


def has_tokenizer(folder: Path) -> bool:
    """Whether a model folder holds a vocabulary."""
    return any(path for pattern in ("tokenizer.json", "vocab.*", "*.model") for path in folder.glob(pattern))


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
    if config.is_encoder_decoder and not _is_of(config, "EncoderModel"):
        raise UnsupportedModelError(f"{name} is an encoder-decoder ({config.model_type}): Headlight shows encoders.")
    return config


def _is_of(config: Any, kind: str) -> bool:
    return any(str(architecture).endswith(kind) for architecture in config.architectures or ())


def _load_model(name: str, folder: Path, config: Any) -> PreTrainedModel:
    classifies = _is_of(config, "ForSequenceClassification")
    auto: Any = AutoModel
    if classifies:
        auto = AutoModelForSequenceClassification
    elif type(config) in MODEL_FOR_TEXT_ENCODING_MAPPING:  # of T5, say, the encoder without the decoder
        auto = AutoModelForTextEncoding
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
    # Without this a checkpoint that lacks tensors would run with random ones. The pooler is never used.
    missing = sorted(key for key in report["missing_keys"] if classifies or "pooler" not in key)
    if missing:
        raise CheckpointError(
            f"The checkpoint of {name} does not fill {type(model).__name__}: it lacks {missing[0]}"
            f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}."
        )
    mismatched = sorted(report["mismatched_keys"])
    if mismatched:
        key, given, wanted = mismatched[0]
        raise CheckpointError(
            f"The checkpoint of {name} does not fit its config.json: {key} is {tuple(given)} and should be "
            f"{tuple(wanted)}."
        )
    return model


def _max_length(model: PreTrainedModel) -> int:
    """How many tokens fit; XLNet and its like give -1 for "any number"."""
    positions = getattr(model.config, "max_position_embeddings", None) or MAX_TOKENS
    table = _submodule(model.base_model, POSITION_TABLES)
    # RoBERTa counts from behind the padding id, so that no token uses the first rows of its table.
    unused = 0 if table is None or table.padding_idx is None else table.padding_idx + 1
    return min(positions - unused, MAX_TOKENS) if positions > 0 else MAX_TOKENS


def _positions(ids: Tensor, table: nn.Embedding) -> Tensor:
    """(T,) rows of the position table: 0 to T - 1, or as RoBERTa counts them, where padding does not count."""
    if table.padding_idx is None:
        return torch.arange(len(ids))
    counts = ids != table.padding_idx  # (T,)
    return counts.cumsum(0) * counts + table.padding_idx


def _submodule(model: nn.Module, names: tuple[str, ...]) -> nn.Embedding | None:
    for name in names:
        try:
            module = model.get_submodule(name)
        except AttributeError:
            continue
        if isinstance(module, nn.Embedding):
            return module
    return None


def _is_causal(layers: tuple[LayerAttention, ...]) -> bool:
    """Whether no query may attend to a later key; a text of one token says nothing."""
    bias = layers[0].bias
    if bias is None or bias.shape[-2] < 2:
        return False
    above = torch.ones(bias.shape[-2:], dtype=torch.bool).triu(1).numpy()
    return bool((bias[..., above] == -float("inf")).all())
