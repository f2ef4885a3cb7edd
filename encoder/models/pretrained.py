"""Any text encoder of `transformers` as a `Backend`."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from encoder.errors import InputError, ModelError, SelectionError, UnsupportedModelError
from encoder.models.base import BATCH_TOKENS, Backend, BatchOutput, Heads, Reading
from encoder.models.device import device_of
from encoder.models.hooks import DECODER_EMBEDDING, EMBEDDING, Hooks, Point, Recorder, hooked, state_point
from encoder.models.interventions import Intervention, Patch, hooks_of, linked_layers
from encoder.models.mask_candidates import masked_positions
from encoder.models.pretrained_points import expose_states, num_types_of
from encoder.models.projection_points import expose_attention, has_own_attention
from encoder.models.reranker import activation_of
from encoder.models.task_heads import (
    NEEDS_CHOICES,
    SHOWN_CHOICE,
    HeadLogits,
    choices_in,
    head_of,
    logits_of,
    prediction_of,
    reads_of,
    token_prediction_of,
    unused_head,
)
from encoder.models.tensors import AttentionRecorder, Batch, OnLayer, layer_hooks, own_row, padded, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.layer_attention import LayerAttention
from encoder.runs.links import Link
from encoder.runs.trace import Prediction, TokenPrediction, Trace
from encoder.text.given import Given, Row, naming, row_of
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import MAX_TOKENS, USUAL_TOKENS, Text, Tokens

logger = logging.getLogger(__name__)
OWN_CODE = (
    "The folder comes with code of its own ({}), which is not run: what is shown is {} of transformers, which may "
    "compute something else."
)
EAGER_NOTE = (
    "This model has its own attention code: its weights are shown as it returns them, but its queries, keys and "
    "values are not available, and its heads cannot be silenced."
)
MOST_BYTES = 3_000_000_000  # of a trace
DECODER_NOTE = (
    "This encoder-decoder reads the text twice: attention, states and heads shown are its encoder's, and its "
    "prediction is read from its decoder, which reads the text and the encoder's states."
)
SINK_NOTE = (
    "Each head of this model has a learned sink, which is no token: it takes a share of every row, and the weights of "
    "tokens sum to the rest."
)
CAUSAL_NOTE = "This model reads from left to right: a token attends to itself and to earlier tokens only."

ROUNDING = 1e-3  # of a row of weights
# Why a model is not shown, by what its `forward` takes, and by its type.
READS = {
    "bbox": "reads where words stand on a page, besides the words",
    "xpath_tags_seq": "reads the markup of a page, besides the words",
    "visual_embeds": "reads images, besides the words",
}
OTHER_KINDS = {
    "canine": "reads characters without a vocabulary, and shortens the text between its layers",
    "ibert": "computes in integers, and its layers return them with their scales",
    "tapas": "reads a table, besides the question",
}

# Names of the tables that are summed to the embedding output, by family.
POSITION_TABLES = ("embeddings.position_embeddings", "wpe")
TOKEN_TYPE_TABLES = ("embeddings.token_type_embeddings",)
# Norms of pre-norm families whose output is the last hidden state, below the base model: ModernBERT, Megatron-BERT.
FINAL_NORMS = ("final_norm", "encoder.ln")


class PretrainedBackend(Backend):
    """A model of `transformers`, traced through its attention interface, or in eager mode if it has none."""

    def __init__(self, name: str, model: PreTrainedModel, tokenizer: Tokenizer) -> None:
        self.name = name
        self.model = model
        self.tokenizer = tokenizer
        self.captured = True
        self.head = head_of(type(model).__name__)
        self.reads = reads_of(self.head, model.config)
        self.has_decoder = model.config.is_encoder_decoder and hasattr(model.base_model, "decoder")
        self.unused_head = unused_head(model.config.architectures, type(model).__name__)
        self.activation = activation_of(model.config, {})
        self._pad_id = _pad_id(model, tokenizer)
        check_reads_text(name, model)
        self._take_over()
        expose_attention(model)
        self.num_layers, self.num_heads, self.most_tokens = self._probe()
        tokenizer.positions = min(tokenizer.positions, self.most_tokens)
        tokens = self.tokenizer("a")
        self.patchable = expose_states(self.model, lambda: self._states_by_point(self._first_run(tokens)[1]))
        if self.has_decoder:
            self.embedding_points = (EMBEDDING, DECODER_EMBEDDING)

    @property
    def modules(self) -> tuple[nn.Module, ...]:
        return (self.model,)

    @property
    def pad_id(self) -> int:
        return self._pad_id

    @property
    def num_ids(self) -> int:
        return len(self.model.get_input_embeddings().weight)

    def _take_over(self) -> None:
        """Prepare the model for all runs to come: nobody else uses it."""
        self.model.eval()
        # Causal classifiers use it to find the last token of a text, and refuse batches without it.
        self.model.config.pad_token_id = self._pad_id

    def _in_use(self) -> AbstractContextManager[None]:
        """The context of a run, for models that are in use elsewhere."""
        return nullcontext()

    def trace(
        self,
        a: Given,
        b: Text | None = None,
        *,
        silenced_heads: Heads = (),
        patches: Sequence[Patch] = (),
        links: Sequence[Link] = (),
        on_layer: OnLayer | None = None,
    ) -> Trace:
        """Of a model that compares choices, those in B: the trace of A with the likeliest one, and all probabilities.

        Arguments and errors as in `Backend.trace`; choices stand on lines of their own, or between vertical bars.
        """
        changes: dict[str, Any] = {"silenced_heads": silenced_heads, "patches": patches, "links": links}
        if self.head != "choices":
            return super().trace(a, b, **changes, on_layer=on_layer)
        a, b, _ = row_of(a, b, reads="pairs")
        choices = choices_in(b)
        if len(choices) < 2:
            alone = super().trace(a, b, **changes, on_layer=on_layer)
            return replace(alone, notes=(*alone.notes, NEEDS_CHOICES))
        texts = [self.tokenize(a, choice) for choice in choices]
        without_patches = Intervention(silenced_heads=tuple(silenced_heads), links=tuple(links))
        located = [self.located(tokens, without_patches) for tokens in texts]
        with torch.inference_mode():
            batch = padded(texts, pad_id=self.pad_id, device=device_of(self.model))
            logits = cast(Tensor, self.run_batch(batch, *self._hooks_of(located)).logits)[:, 0]  # (C,)
        trace = self.run(texts[int(logits.argmax())], **changes, on_layer=on_layer)
        shares = to_numpy(logits.softmax(-1))
        prediction = Prediction(labels=choices, logits=to_numpy(logits), probabilities=shares, of="choices")
        return replace(trace, prediction=prediction, notes=(*trace.notes, SHOWN_CHOICE))

    def _traces_of(self, texts: Sequence[Row], change: Intervention) -> list[Trace]:
        if self.head != "choices":
            return super()._traces_of(texts, change)
        traces = []
        for row in texts:  # the choices of one text are a batch already
            with naming(row.number):
                traces.append(self.trace(row.a, row.b, silenced_heads=change.silenced_heads, links=change.links))
        return traces

    def _readings_of(self, texts: Sequence[Row], change: Intervention) -> list[Reading]:
        if self.head != "choices":
            return super()._readings_of(texts, change)
        traces = self._traces_of(texts, change)
        return [Reading(trace.tokens, trace.prediction, trace.token_prediction, None) for trace in traces]

    def _batches(self, texts: Sequence[Tokens], budget: int = BATCH_TOKENS) -> list[list[int]]:
        """Batches of texts with as many end tokens, at the last of which decoders are read."""
        if not self.has_decoder:
            return super()._batches(texts, budget)
        rows_by_ends: dict[int, list[int]] = {}
        for row, tokens in enumerate(texts):
            rows_by_ends.setdefault(tokens.ids.count(self.model.config.eos_token_id), []).append(row)
        return [
            [rows[index] for index in batch]
            for rows in rows_by_ends.values()
            for batch in super(PretrainedBackend, self)._batches([texts[row] for row in rows], budget)
        ]

    @torch.inference_mode()
    def _run_together(
        self, texts: Sequence[Tokens], batch: Batch, changes: Sequence[Intervention], on_layer: OnLayer | None
    ) -> list[Trace]:
        self._check_supported(changes)
        recorder = AttentionRecorder(linked_layers(changes))
        changing = hooks_of(changes, num_heads=self.num_heads)
        watching = (
            layer_hooks(on_layer, recorder, partial(self._trace_of, texts[0], changes[0]))
            if on_layer and self.captured and self.patchable
            else {}
        )
        with self.threads(batch.input_ids.numel()):
            states, output = self._run_hooked(
                *(self.model, batch, recorder.hooks, changing, recorder.of_changed, watching),
                attentions=not self.captured,
            )
        logits = logits_of(self.head, output)
        return [
            self._trace_of(
                tokens,
                changes[row],
                layers=self._layers(recorder, output, row, len(tokens)),
                hidden_states=to_numpy(torch.stack([state[row, : len(tokens)] for state in states])),  # (L + 1, T, D)
                embedding_parts=self._embedding_parts(tokens),
                **self._predictions(tokens, logits.of_row(row, len(tokens))),
            )
            for row, tokens in enumerate(texts)
        ]

    def _notes(self, tokens: Tokens, layers: tuple[LayerAttention, ...]) -> tuple[str, ...]:
        notes = (
            self.unused_head,
            self.facts.weights.remark,
            OWN_CODE.format(self.facts.code, type(self.model).__name__) if self.facts.code else "",
            *self.pooling.notes,
            EAGER_NOTE if not self.captured else "",
            DECODER_NOTE if self.has_decoder else "",
            SINK_NOTE if any(layer.sink is not None for layer in layers) else "",
            CAUSAL_NOTE if self.captured and _is_causal(layers) else "",
            self._note_on_length(tokens),
        )
        return tuple(filter(None, notes))

    def _layers(
        self, recorder: AttentionRecorder, output: Any, row: int = 0, length: int | None = None
    ) -> tuple[LayerAttention, ...]:
        """The attention of one text of a batch, as recorded, or as the model returned it; `length` cuts off padding."""
        if self.captured:
            return recorder.layers_of(row, length)[: len(output.hidden_states) - 1 if self.has_decoder else None]
        return tuple(
            LayerAttention(given_weights=own_row(to_numpy(weights), row, length)[..., :length])
            for weights in output.get("attentions") or ()
        )

    @torch.inference_mode()
    def word_weights(self, tokens: Tokens) -> Tensor:
        if self.pooling.sparse is None or self.head != "mask":
            return super().word_weights(tokens)
        batch = padded([tokens], pad_id=self.pad_id, device=device_of(self.model))
        with self.threads(len(tokens)):
            return self.pooling.sparse.of_tokens(self._output(self.model, batch, attentions=False).logits[0])

    def run_batch(self, batch: Batch, *hooks: Hooks) -> BatchOutput:
        """Returns the logits of the model's head, or of our own head; those of masked words are left to `read_mask`."""
        if hooks and not (self.captured and self.patchable):
            raise SelectionError(f"Nothing in a run of {self.name} can be changed: it has its own code.")
        # The logits of a whole vocabulary are read at single tokens, by `read_mask`.
        is_read_later = self.head == "mask" and self.patchable
        network, head = (self.model.base_model, None) if is_read_later else (self.model, self.head)
        with self.threads(batch.input_ids.numel()):
            states, output = self._run_hooked(network, batch, *hooks)
        logits = logits_of(head, output)
        of_text = self.read_classes(states, batch) if logits == HeadLogits() else logits.of_text  # (B, C)
        vectors = self.read_text_vectors(states, batch)
        return BatchOutput(states, of_text, token_logits=logits.of_tokens, text_vectors=vectors)

    def scores_of(self, logits: FloatArray) -> FloatArray:
        """The activation of a reranker."""
        return to_numpy(self.activation(torch.tensor(logits)))

    def _hooks_of(self, changes: Sequence[Intervention]) -> list[Hooks]:
        self._check_supported(changes)
        return super()._hooks_of(changes)

    def _check_supported(self, interventions: Sequence[Intervention]) -> None:
        if not self.captured and any(intervention.silenced_heads for intervention in interventions):
            raise SelectionError(f"The heads of {self.name} cannot be silenced: it has its own attention code.")
        if not self.captured and any(intervention.links for intervention in interventions):
            raise SelectionError(f"The attention of {self.name} cannot be changed: it has its own attention code.")
        if not self.patchable and any(intervention.patches for intervention in interventions):
            raise SelectionError(
                f"No states can be patched into {self.name}: not every hidden state is the output of a module."
            )

    def _hidden_states(self, batch: Batch, *hooks: Hooks) -> tuple[Tensor, ...]:
        # A head for masked words takes a quarter of the time, and its logits more memory than all states.
        network = self.model.base_model if self.head == "mask" else self.model
        if self.has_decoder:
            network = self.model.get_encoder()
        return self._run_hooked(network, batch, *hooks)[0]

    def _run_hooked(
        self, network: nn.Module, batch: Batch, *hooks: Hooks, attentions: bool = False
    ) -> tuple[tuple[Tensor, ...], Any]:
        """The hidden states as the hooks leave them, which some models do not return, and the network's output."""
        recorder = Recorder(*map(state_point, range(self.num_layers + 1)), keep=lambda state: state)
        with hooked(self.model, *hooks, recorder.hooks):
            output = self._output(network, batch, attentions=attentions)
        states = (recorder.seen.get(state_point(index), state) for index, state in enumerate(output.hidden_states))
        return tuple(states), output

    def _output(self, network: nn.Module, batch: Batch, *, attentions: bool) -> Any:
        """The model's own output for a batch; `attentions` are those that it returns itself."""
        with self._in_use():
            output = network(
                **self._inputs(batch), output_hidden_states=True, output_attentions=attentions, return_dict=True
            )
        for name in ("hidden_states", "attentions"):
            if f"encoder_{name}" in output:
                output[name] = output[f"encoder_{name}"]
        return output

    def _states_by_point(self, output: Any) -> dict[Point, Tensor]:
        """The hidden states of a run, and the embeddings that its decoder reads."""
        states = {state_point(index): state for index, state in enumerate(output.hidden_states)}
        return states | ({DECODER_EMBEDDING: output.decoder_hidden_states[0]} if self.has_decoder else {})

    def _inputs(self, batch: Batch) -> dict[str, Tensor]:
        inputs = {"input_ids": batch.input_ids, "attention_mask": batch.attention_mask}  # (B, T)
        if self.tokenizer.reads_types and num_types_of(self.model) > int(batch.token_type_ids.max()):
            inputs["token_type_ids"] = batch.token_type_ids  # (B, T)
        if self.head == "choices":  # (B, 1, T): each text holds one choice
            return {name: rows[:, None] for name, rows in inputs.items()}
        return inputs

    def _note_on_length(self, tokens: Tokens) -> str:
        positions = getattr(self.model.config, "max_position_embeddings", None) or 0
        if not any(tokens.truncated) or positions <= self.most_tokens:
            return ""
        most = f"{self.most_tokens:,}"
        return f"This model has positions for {positions:,} tokens; Headlight reads at most {most} of a text."

    def _most_tokens(self, layers: tuple[LayerAttention, ...], states: Sequence[Tensor]) -> int:
        """The largest number of tokens whose trace takes at most `MOST_BYTES`, from the attention and states of a text.

        `USUAL_TOKENS` of models whose trace has a number for each head and pair of tokens.
        """
        if not self.captured or has_own_attention(self.model):
            return USUAL_TOKENS
        arrays = [layer.captured(name) for layer in layers for name in ("query", "key", "value")]  # (H, T, K)
        per_token = (
            4 * (sum(array.size for array in arrays) + sum(state.numel() for state in states)) // len(arrays[0][0])
        )
        return max(USUAL_TOKENS, min(MAX_TOKENS, MOST_BYTES // per_token))

    @torch.inference_mode()
    def _first_run(self, tokens: Tokens) -> tuple[tuple[LayerAttention, ...], Any]:
        """The attention and the model's output for a text, while nothing is known of the model."""
        recorder = AttentionRecorder()
        batch = padded([tokens], pad_id=self.pad_id, device=device_of(self.model))
        with self.threads(len(tokens)), hooked(self.model, recorder.hooks):
            output = self._output(self.model, batch, attentions=not self.captured)
        return self._layers(recorder, output), output

    def _probe(self) -> tuple[int, int, int]:
        """The numbers of layers and heads, and the largest number of tokens, found by a test run.

        Falls back to eager mode if nothing is captured.

        Raises:
            UnsupportedModelError: the model returns no attention either way, or needs other inputs.
        """
        try:
            tokens = self.tokenizer("a")
            self.check_ids(tokens)
            self._embedding_parts(tokens)
            layers, output = self._first_run(tokens)
            if not layers:
                self.captured = False
                self._fall_back()
                layers, output = self._first_run(tokens)
        except ModelError:
            raise
        except InputError as error:
            raise UnsupportedModelError(f"{self.name} reads no word of a text: {error}") from error
        except Exception as error:  # an unknown architecture may raise anything
            logger.info("%s cannot be run: %r", type(self.model).__name__, error)
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) does not run on a text alone: it reads something else as "
                "well, or its layers return something else than states of tokens."
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
        sums = layers[0].weights().sum(-1)
        if not self.captured and (layers[0].weights().min() < -ROUNDING or np.abs(sums - 1).max() > ROUNDING):
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) returns numbers in place of attention weights whose rows "
                f"sum to {sums.min():.3g} to {sums.max():.3g}: they are its scores, or something takes the rest."
            )
        widths = [state.shape[-1] for state in output.hidden_states]
        if len({*widths}) > 1:
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) has states of {widths[0]} numbers and projects the last to "
                f"{widths[-1]}, so that it is no state of a layer: sentence-transformers gives its vectors."
            )
        state, last = output.hidden_states[-1], output.get("encoder_last_hidden_state", output.get("last_hidden_state"))
        if last is not None and last.shape == state.shape and not last.allclose(state, rtol=0, equal_nan=True):
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) changes the last state once more after its layers, so that "
                "texts have other vectors than its states: sentence-transformers gives them."
            )
        if len(output.hidden_states) != len(layers) + 1:
            raise UnsupportedModelError(
                f"{self.name} ({type(self.model).__name__}) returns {len(layers)} attentions and "
                f"{len(output.hidden_states)} hidden states: it is not one stack of encoder layers."
            )
        return len(layers), layers[0].num_heads, self._most_tokens(layers, output.hidden_states)

    def _fall_back(self) -> None:
        """Run a model without the attention interface in eager mode from now on."""
        # `set_attn_implementation` refuses such models, but their masks depend on it.
        self.model.config._attn_implementation = "eager"

    @torch.inference_mode()
    def _embedding_parts(self, tokens: Tokens) -> dict[str, FloatArray]:
        """The summands of the embedding output, as far as they are tables with known names."""
        batch = padded([tokens], pad_id=self.pad_id, device=device_of(self.model))
        ids = batch.input_ids[0]  # (T,)
        parts = {"word": self.model.get_input_embeddings()(ids)}  # (T, D)
        position = table_of(self.model.base_model, POSITION_TABLES)
        if position is not None and position.weight.any():  # all 0 where positions are relative
            parts["position"] = position(_positions(ids, position))  # (T, D)
        token_type = table_of(self.model.base_model, TOKEN_TYPE_TABLES)
        if token_type is not None:
            rows = batch.token_type_ids[0].clamp(max=token_type.num_embeddings - 1)  # (T,)
            parts["token type"] = token_type(rows)  # (T, D)
        return {name: to_numpy(part) for name, part in parts.items()}

    def read_mask(self, hidden_states: Tensor, position: int, *, after: int | None = None) -> Tensor | None:
        """None for models whose head cannot be given other states, because none of their modules returns the last."""
        if self.head != "mask" or not self.patchable:
            return None
        read = hidden_states[-1 if after is None else after, :, position]  # (N, D)
        norm = _module_of(self.model.base_model, FINAL_NORMS, nn.LayerNorm)
        if norm is not None and after is not None and after < self.num_layers:
            read = norm(read)
        batch = padded([self.tokenizer("a")], pad_id=self.pad_id, device=device_of(self.model))
        # The model runs on any text, and its head on these states.
        with hooked(self.model, {state_point(self.num_layers): (lambda _, __: read[None],)}):
            logits: Tensor = self.model(**self._inputs(batch)).logits[0]  # (N, V)
        return logits

    def _predictions_of(
        self, output: BatchOutput, batch: Batch, texts: Sequence[Tokens]
    ) -> list[tuple[Prediction | None, TokenPrediction | None]]:
        if self.head == "mask":
            return [(None, self._words_of(output, row, tokens)) for row, tokens in enumerate(texts)]
        logits = HeadLogits(output.logits, output.token_logits)
        found = [self._predictions(tokens, logits.of_row(row, len(tokens))) for row, tokens in enumerate(texts)]
        return [(each.get("prediction"), each.get("token_prediction")) for each in found]

    def _words_of(self, output: BatchOutput, row: int, tokens: Tokens) -> TokenPrediction | None:
        """The words at the masks of a text of a batch, from a run of its own where the head cannot be given states."""
        found = self._words_at_masks(output.hidden_states, tokens, row=row)
        is_masked = bool(masked_positions(self.tokenizer, tokens))
        return self.run(tokens).token_prediction if is_masked and found is None else found

    def _predictions(self, tokens: Tokens, logits: HeadLogits) -> dict[str, Any]:
        """The predictions of a trace, by the names of its fields; logits are those of a batch of this text alone."""
        config = self.model.config
        if self.head is not None and logits.of_text is not None:
            return {"prediction": prediction_of(self.head, config, logits.of_text[0], self.activation)}
        if self.head is not None and logits.of_tokens is not None:
            of_tokens = logits.of_tokens[0]  # (T, C)
            return {"token_prediction": token_prediction_of(self.head, config, of_tokens, tokens, self.tokenizer)}
        return {}


def check_reads_text(name: str, model: PreTrainedModel) -> None:
    """Raise UnsupportedModelError if a model reads something besides text, or does not compute as encoders do."""
    takes = inspect.signature(model.forward).parameters
    reason = OTHER_KINDS.get(model.config.model_type) or next((READS[key] for key in READS if key in takes), None)
    if reason:
        raise UnsupportedModelError(
            f"{name} ({type(model).__name__}) {reason}: Headlight shows encoders of text alone."
        )


def _pad_id(model: PreTrainedModel, tokenizer: Tokenizer) -> int:
    """The model's padding id, else its tokenizer's, else the end token."""
    inner = tokenizer.inner
    known = (getattr(model.config, "pad_token_id", None), inner.pad_token_id, inner.eos_token_id)
    return next((token_id for token_id in known if token_id is not None and token_id >= 0), 0)


def _positions(ids: Tensor, table: nn.Embedding) -> Tensor:
    """(T,) rows of the position table: 0 to T - 1, or for RoBERTa counted after the padding id, without padding."""
    if table.padding_idx is None:
        return torch.arange(len(ids), device=ids.device)
    counts = ids != table.padding_idx  # (T,)
    return counts.cumsum(0) * counts + table.padding_idx


def table_of(model: nn.Module, names: tuple[str, ...]) -> nn.Embedding | None:
    """The embedding table under one of these names, or None."""
    return _module_of(model, names, nn.Embedding)


Kind = TypeVar("Kind", bound=nn.Module)


def _module_of(model: nn.Module, names: tuple[str, ...], kind: type[Kind]) -> Kind | None:
    """The module of a kind under one of these names, or None."""
    for name in names:
        try:
            module = model.get_submodule(name)
        except AttributeError:
            continue
        if isinstance(module, kind):
            return module
    return None


def _is_causal(layers: tuple[LayerAttention, ...]) -> bool:
    """Whether no query may attend to a later key; undecidable for a text of one token."""
    bias = layers[0].bias
    if bias is None or bias.shape[-2] < 2:
        return False
    bias = bias[..., :USUAL_TOKENS, :USUAL_TOKENS]
    above = torch.ones(bias.shape[-2:], dtype=torch.bool).triu(1).numpy()
    return bool((bias[..., above] == -float("inf")).all())
