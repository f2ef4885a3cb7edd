"""Our own encoder as a `Backend`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn

from encoder.models.base import Backend, BatchOutput, Heads
from encoder.models.device import device_of
from encoder.models.hooks import Hooks, hooked
from encoder.models.interventions import Intervention, hooks_of
from encoder.models.labels import SENTIMENTS
from encoder.models.masked_words import likeliest_words, masked_positions
from encoder.models.own_points import expose_points
from encoder.models.tensors import AttentionRecorder, Batch, OnLayer, layer_hooks, padded, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction, TokenPrediction, Trace
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Tokens
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Encoder, EncoderOutput, Regressor, SequenceClassifier

UNTRAINED_NOTE = (
    "This model is untrained: its weights are random numbers from a fixed seed. "
    "Its attention and its predictions mean nothing about language."
)


class SentimentHeads(nn.Module):
    """A classification and a regression head on `[CLS]`, initially random; `score_range` is None if unbounded."""

    score_range: tuple[float, float] | None = None

    def __init__(self, config: EncoderConfig, *, trained: bool = False, note: str = UNTRAINED_NOTE) -> None:
        super().__init__()
        self.trained = trained
        self.note = note
        self.classifier = SequenceClassifier(config, len(SENTIMENTS))
        self.regressor = Regressor(config)

    def score(self, hidden_state: Tensor, input_ids: Tensor) -> Tensor:
        """(B, T, D) and (B, T) to (B,), one number per text."""
        return self.regressor(hidden_state, input_ids)  # (B,)

    def predict(self, hidden_state: Tensor, input_ids: Tensor) -> Prediction:
        """(1, T, D) and (1, T) to a prediction."""
        classes = self.classifier(hidden_state, input_ids)
        return Prediction(
            labels=SENTIMENTS,
            logits=to_numpy(classes.logits[0]),
            probabilities=to_numpy(classes.probabilities[0]),
            score=float(self.score(hidden_state, input_ids)[0]),
            score_range=self.score_range,
            trained=self.trained,
            note=self.note,
        )


class ScratchBackend(Backend):
    """`encoder.transformer.encoder.Encoder` with a tokenizer and optional heads."""

    def __init__(
        self,
        name: str,
        encoder: Encoder,
        tokenizer: Tokenizer,
        *,
        heads: SentimentHeads | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.encoder = encoder.eval()
        expose_points(self.encoder)
        self.heads = heads.eval() if heads is not None else None
        self.tokenizer = tokenizer
        self.notes = notes
        self.num_layers = encoder.config.num_hidden_layers
        self.num_heads = encoder.config.num_attention_heads

    @property
    def modules(self) -> tuple[nn.Module, ...]:
        return (self.encoder,) if self.heads is None else (self.encoder, self.heads)

    @property
    def pad_id(self) -> int:
        return self.encoder.config.pad_token_id

    @property
    def num_ids(self) -> int:
        return self.encoder.config.vocab_size

    @torch.inference_mode()
    def run(self, tokens: Tokens, *, silenced_heads: Heads = (), on_layer: OnLayer | None = None) -> Trace:
        """One forward pass with the fused kernel; the trace derives the weights from recorded queries and keys."""
        silenced = self.check_heads(silenced_heads)
        self.check_ids(tokens)
        batch = padded([tokens], pad_id=self.pad_id, device=device_of(self.encoder))
        input_ids, token_type_ids = batch.input_ids, batch.token_type_ids  # (1, T)
        mask = None if all(tokens.attention_mask) else batch.attention_mask  # (1, T)
        trace_of = partial(
            Trace,
            model_name=self.name,
            tokens=tokens,
            silenced_heads=silenced,
            notes=self.notes,
            pooling=self.pooling.mode,
        )
        recorder = AttentionRecorder()
        silencing = hooks_of([Intervention(silenced_heads=silenced)], num_heads=self.num_heads)
        watching = layer_hooks(on_layer, recorder, trace_of) if on_layer else {}
        with self.threads(len(tokens)), hooked(self.encoder, recorder.hooks, silencing, watching):
            output = self.encoder(input_ids, token_type_ids, mask)
        return trace_of(
            layers=recorder.layers,
            hidden_states=to_numpy(torch.cat(output.hidden_states)),  # (L + 1, T, D)
            embedding_parts=self._embedding_parts(input_ids, token_type_ids),
            prediction=self._prediction(output, input_ids),
            token_prediction=self._token_prediction(output, tokens),
        )

    def run_batch(self, batch: Batch, *hooks: Hooks) -> BatchOutput:
        """Returns the logits and the score of the heads, if there are heads."""
        with self.threads(batch.input_ids.numel()):
            states = self._hidden_states(batch, *hooks)
        return BatchOutput(states, self.read_classes(states, batch), self.read_score(states, batch))

    def read_classes(self, hidden_states: Sequence[Tensor], batch: Batch) -> Tensor | None:
        """(B, C) logits, or None without heads."""
        return None if self.heads is None else self.heads.classifier(hidden_states[-1], batch.input_ids).logits

    def read_score(self, hidden_states: Sequence[Tensor], batch: Batch) -> Tensor | None:
        """(B,) before the sigmoid, if any; None without heads."""
        return None if self.heads is None else self.heads.regressor(hidden_states[-1], batch.input_ids)

    def _hidden_states(self, batch: Batch, *hooks: Hooks) -> tuple[Tensor, ...]:
        mask = None if bool(batch.attention_mask.all()) else batch.attention_mask  # (B, T)
        with hooked(self.encoder, *hooks):
            return self.encoder(batch.input_ids, batch.token_type_ids, mask).hidden_states

    def _prediction(self, output: EncoderOutput, input_ids: Tensor) -> Prediction | None:
        return self.heads.predict(output.last_hidden_state, input_ids) if self.heads else None

    def _token_prediction(self, output: EncoderOutput, tokens: Tokens) -> TokenPrediction | None:
        """The likeliest words at masked tokens; None without a masked token, and without a head for masked words."""
        positions = masked_positions(self.tokenizer, tokens)
        states = torch.stack(output.hidden_states)  # (L + 1, 1, T, D)
        logits = [row for place in positions if (row := self.read_mask(states, place)) is not None]  # (1, V) each
        return likeliest_words(torch.cat(logits), positions, self.tokenizer) if logits else None

    def _embedding_parts(self, input_ids: Tensor, token_type_ids: Tensor) -> dict[str, FloatArray]:
        parts = self.encoder.embeddings.parts(input_ids, token_type_ids)
        return {name: to_numpy(part[0]) for name, part in parts.items()}


def untrained(name: str, encoder: Encoder, tokenizer: Tokenizer) -> ScratchBackend:
    """An encoder with random weights, and random heads on top."""
    return ScratchBackend(name, encoder, tokenizer, heads=SentimentHeads(encoder.config), notes=(UNTRAINED_NOTE,))
