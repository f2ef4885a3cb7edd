"""Any text encoder of `transformers` as a model on offer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification, PreTrainedModel

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
        tokens = self.tokenizer("a")
        try:
            layers, output = self._forward(tokens)
            if not layers:
                self.captured = False
                self.model.set_attn_implementation("eager")
                layers, output = self._forward(tokens)
        except Exception as error:  # whatever an unknown architecture raises when it is given a text
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) cannot be run on a text: {first_line(error)}"
            ) from error
        if not layers or output.get("hidden_states") is None:
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) returns no attention: Headlight shows text encoders "
                "with attention, such as BERT."
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
            # RoBERTa counts its positions from behind the padding id.
            first = 0 if position.padding_idx is None else position.padding_idx + 1
            parts["position"] = position(torch.arange(len(tokens)) + first)  # (T, D)
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
        if config.problem_type == "regression" or config.num_labels == 1:
            return Prediction(labels=("score",), logits=values, probabilities=None, score=float(values[0]))
        labels = tuple(str(config.id2label[index]) for index in range(config.num_labels))
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
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # an unknown or remote-code model type, in many words and classes
        raise UnsupportedModelError(
            f"{name} is of type {settings.get('model_type')!r}, which this version of transformers cannot load "
            "without running code that comes with the model."
        ) from error
    if config.is_encoder_decoder:
        raise UnsupportedModelError(f"{name} is an encoder-decoder ({config.model_type}): Headlight shows encoders.")
    model = _load_model(name, folder, config)
    return PretrainedBackend(name, model, Tokenizer.from_folder(folder, max_length=_max_length(config)))


def _load_model(name: str, folder: Path, config: Any) -> PreTrainedModel:
    classifies = any(name.endswith("ForSequenceClassification") for name in config.architectures or ())
    auto = AutoModelForSequenceClassification if classifies else AutoModel
    try:
        model, report = auto.from_pretrained(
            folder,
            config=config,
            attn_implementation=ATTENTION_NAME,
            dtype=torch.float32,
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
    except Exception as error:  # SafetensorError, RuntimeError, ValueError, OSError ... by kind of damage
        raise CheckpointError(f"The weights of {name} cannot be loaded: {first_line(error)}") from error
    # Without this a checkpoint that lacks tensors would run with random ones. The pooler is never used.
    missing = sorted(key for key in report["missing_keys"] if classifies or "pooler" not in key)
    if missing or report["mismatched_keys"]:
        wrong = missing or sorted(str(key) for key in report["mismatched_keys"])
        raise CheckpointError(
            f"The checkpoint of {name} does not fill {type(model).__name__}: {len(wrong)} tensors are missing or of "
            f"another shape, {wrong[0]} among them."
        )
    return model  # type: ignore[no-any-return]


def _max_length(config: Any) -> int:
    positions = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None) or MAX_TOKENS
    # RoBERTa's table has rows that no token uses: one for padding and those before it.
    unused = (config.pad_token_id or 0) + 1 if _counts_behind_padding(config) else 0
    return min(int(positions) - unused, MAX_TOKENS)


def _counts_behind_padding(config: Any) -> bool:
    return config.model_type in {"roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "data2vec-text", "esm"}


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
