"""Our own encoder as a `Backend`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn

from encoder.models.base import Backend, BatchOutput
from encoder.models.hooks import Hooks, hooked
from encoder.models.interventions import Intervention, hooks_of, linked_layers
from encoder.models.labels import SENTIMENTS
from encoder.models.length_check import check_length
from encoder.models.one_text import is_one_text, states_of_runs
from encoder.models.own_points import expose_points
from encoder.models.tensors import AttentionRecorder, Batch, OnLayer, layer_hooks, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.layer_attention import LayerAttention
from encoder.runs.trace import Prediction, TokenPrediction, Trace
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Tokens
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Encoder, EncoderOutput, Regressor, SequenceClassifier

UNTRAINED_NOTE = (
    "This model is untrained: its weights are random numbers from a fixed seed. "
    "Its attention and its predictions mean nothing about language."
)


def sentiment_predictions(
    logits: FloatArray,
    probabilities: FloatArray,
    scores: Sequence[float],
    *,
    score_range: tuple[float, float] | None,
    trained: bool = True,
    note: str,
) -> list[Prediction]:
    """The predictions of B texts from (B, C) logits and probabilities, and B scores within `score_range`."""
    return [
        Prediction(
            labels=SENTIMENTS,
            logits=of_text,
            probabilities=shares,
            score=score,
            score_range=score_range,
            trained=trained,
            note=note,
        )
        for of_text, shares, score in zip(logits, probabilities, scores, strict=True)
    ]


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
        return self.bounded(self.regressor(hidden_state, input_ids))  # (B,)

    def bounded(self, score: Tensor) -> Tensor:
        """The regression head's outputs (B,) within `score_range`."""
        return score

    def predictions(self, logits: Tensor, score: Tensor) -> list[Prediction]:
        """The predictions of B texts from the outputs (B, C) and (B,) of the two heads."""
        shares, scores = to_numpy(logits.softmax(-1)), self.bounded(score).tolist()
        return sentiment_predictions(
            to_numpy(logits), shares, scores, score_range=self.score_range, trained=self.trained, note=self.note
        )

    def predict(self, hidden_state: Tensor, input_ids: Tensor) -> Prediction:
        """(1, T, D) and (1, T) to a prediction."""
        logits = self.classifier(hidden_state, input_ids).logits  # (1, C)
        [prediction] = self.predictions(logits, self.regressor(hidden_state, input_ids))
        return prediction


class ScratchBackend(Backend):
    """`encoder.transformer.encoder.Encoder` with a tokenizer and optional heads."""

    checks = (check_length,)

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
    def _run_together(
        self, texts: Sequence[Tokens], batch: Batch, changes: Sequence[Intervention], on_layer: OnLayer | None
    ) -> list[Trace]:
        """With the fused kernel; the traces derive the weights from recorded queries and keys."""
        recorder = AttentionRecorder(linked_layers(changes))
        changing = hooks_of(changes, num_heads=self.num_heads)
        watching = layer_hooks(on_layer, recorder, partial(self._trace_of, texts[0], changes[0])) if on_layer else {}
        with self.threads(batch.input_ids.numel()):
            states = self._hidden_states(batch, recorder.hooks, changing, recorder.of_changed, watching)
        parts = self.encoder.embeddings.parts(batch.input_ids, batch.token_type_ids)
        traces = []
        for row, tokens in enumerate(texts):
            own = tuple(of_batch[row : row + 1, : len(tokens)] for of_batch in states)  # L + 1 of (1, T, D)
            output = EncoderOutput(own[-1], own)
            traces.append(
                self._trace_of(
                    tokens,
                    changes[row],
                    layers=recorder.layers_of(row, len(tokens)),
                    hidden_states=to_numpy(torch.cat(own)),  # (L + 1, T, D)
                    embedding_parts={
                        name: to_numpy(part[min(row, len(part) - 1), : len(tokens)]) for name, part in parts.items()
                    },
                    prediction=self._prediction(output, batch.input_ids[row : row + 1, : len(tokens)]),
                    token_prediction=self._words_at_masks(output.hidden_states, tokens),
                )
            )
        return traces

    def _notes(self, tokens: Tokens, layers: tuple[LayerAttention, ...]) -> tuple[str, ...]:
        return (*self.notes, *self.pooling.notes)

    def run_batch(self, batch: Batch, *hooks: Hooks) -> BatchOutput:
        """Returns the logits and the score of the heads, if there are heads."""
        with self.threads(batch.input_ids.numel()):
            states = self._hidden_states(batch, *hooks)
        logits, score = self.read_heads(states, batch)
        return BatchOutput(states, logits, score, text_vectors=self.read_text_vectors(states, batch))

    def read_heads(self, hidden_states: Sequence[Tensor], batch: Batch) -> tuple[Tensor | None, Tensor | None]:
        """(B, C) logits and (B,) the score before the sigmoid, if any; None without heads."""
        if self.heads is None:
            return None, None
        state = hidden_states[-1]
        return self.heads.classifier(state, batch.input_ids).logits, self.heads.regressor(state, batch.input_ids)

    def read_classes(self, hidden_states: Sequence[Tensor], batch: Batch) -> Tensor | None:
        """(B, C) logits, or None without heads."""
        return self.read_heads(hidden_states, batch)[0]

    def read_score(self, hidden_states: Sequence[Tensor], batch: Batch) -> Tensor | None:
        """(B,) before the sigmoid, if any; None without heads."""
        return self.read_heads(hidden_states, batch)[1]

    def _hidden_states(self, batch: Batch, *hooks: Hooks) -> tuple[Tensor, ...]:
        mask = None if bool(batch.attention_mask.all()) else batch.attention_mask  # (B, T)
        with hooked(self.encoder, *hooks):
            if is_one_text(batch):
                return states_of_runs(self.encoder, batch)
            return self.encoder(batch.input_ids, batch.token_type_ids, mask).hidden_states

    def _predictions_of(
        self, output: BatchOutput, batch: Batch, texts: Sequence[Tokens]
    ) -> list[tuple[Prediction | None, TokenPrediction | None]]:
        words = [self._words_at_masks(output.hidden_states, tokens, row=row) for row, tokens in enumerate(texts)]
        return list(zip(self._text_predictions(output), words, strict=True))

    def _text_predictions(self, output: BatchOutput) -> Sequence[Prediction | None]:
        """The output of the heads for each text of a batch; None without heads."""
        if self.heads is None or output.logits is None or output.score is None:
            return [None] * len(output.hidden_states[-1])
        return self.heads.predictions(output.logits, output.score)

    def _prediction(self, output: EncoderOutput, input_ids: Tensor) -> Prediction | None:
        return self.heads.predict(output.last_hidden_state, input_ids) if self.heads else None


def untrained(name: str, encoder: Encoder, tokenizer: Tokenizer) -> ScratchBackend:
    """An encoder with random weights, and random heads on top."""
    return ScratchBackend(name, encoder, tokenizer, heads=SentimentHeads(encoder.config), notes=(UNTRAINED_NOTE,))
