"""The encoder from scratch: one class per box of the architecture diagram.

Embeddings, feed-forward, encoder layer, the stack, and three heads on top. Axis letters: B batch, L layers,
H heads, T tokens, D model width, C classes.

Source: Vaswani et al. (2017), figure 1, left; Devlin et al. (2019); Tunstall et al. (2022), chapter 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.errors import InputError, ShapeError
from encoder.transformer.attention import MultiHeadAttention, padding_mask
from encoder.transformer.config import EncoderConfig

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"gelu": F.gelu, "relu": F.relu}


def sinusoidal_positions(length: int, width: int) -> Float[Tensor, "T D"]:
    """(T, D) fixed position encodings: sines in the even columns, cosines in the odd ones.

    Source: Vaswani et al. (2017), section 3.5.
    """
    position = torch.arange(length).unsqueeze(1)  # (T, 1)
    frequency = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))  # (D/2,)
    encoding = torch.empty(length, width)  # (T, D)
    encoding[:, 0::2] = torch.sin(position * frequency)
    encoding[:, 1::2] = torch.cos(position * frequency)
    return encoding


class Embeddings(nn.Module):
    """Word, position and token-type embeddings, summed and normalised."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.max_length = config.max_position_embeddings
        self.word: nn.Module = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
        self.token_type = nn.Embedding(config.type_vocab_size, config.hidden_size)
        if config.position_embedding == "learned":
            self.position = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        else:
            table = sinusoidal_positions(config.max_position_embeddings, config.hidden_size)
            self.position = nn.Embedding.from_pretrained(table, freeze=True)
        self.norm = layer_norm(config)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def parts(
        self, input_ids: Int[Tensor, "B T"], token_type_ids: Int[Tensor, "B T"] | None = None, *, start: int = 0
    ) -> dict[str, Float[Tensor, "..."]]:
        """The three summands before the layer norm, broadcastable to (B, T, D); `start` is the first position."""
        length = start + input_ids.shape[1]
        if length > self.max_length:
            raise ShapeError(f"{length} tokens were given; this encoder has positions for {self.max_length}.")
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        positions = torch.arange(start, length, device=input_ids.device)  # (T,)
        return {
            "word": self.word(input_ids),  # (B, T, D)
            "position": self.position(positions)[None],  # (1, T, D)
            "token type": self.token_type(token_type_ids),  # (B, T, D)
        }

    def forward(
        self, input_ids: Int[Tensor, "B T"], token_type_ids: Int[Tensor, "B T"] | None = None, *, start: int = 0
    ) -> Float[Tensor, "B T D"]:
        """(B, T) ids and token types, None = all 0, to (B, T, D); `start` is the position of the first token."""
        parts = self.parts(input_ids, token_type_ids, start=start)
        total = parts["word"] + parts["position"] + parts["token type"]  # (B, T, D)
        return self.dropout(self.norm(total))  # (B, T, D)


class FeedForward(nn.Module):
    """Two linear layers at each position, with an activation between them."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.up = nn.Linear(config.hidden_size, config.intermediate_size)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.down = nn.Linear(config.intermediate_size, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """Each token separately: up to the inner width F, activation, down."""
        x = self.activation(self.up(x))  # (B, T, F)
        return self.dropout(self.down(x))  # (B, T, D)


class EncoderLayer(nn.Module):
    """Attention, then feed-forward, each with a residual connection and a layer norm.

    Post-norm (the original, and BERT) normalises the sum; pre-norm normalises the input of each block, but not the
    residual path.

    Source: Vaswani et al. (2017), section 3.1; Xiong et al. (2020), figure 1.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.pre_norm = config.norm == "pre"
        self.attention = MultiHeadAttention(config)
        self.attention_norm = layer_norm(config)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = layer_norm(config)

    def forward(self, x: Float[Tensor, "B T D"], mask: Tensor | None = None) -> Float[Tensor, "B T D"]:
        """(B, T, D) states of one layer to those of the next; the mask is that of `MultiHeadAttention`."""
        if self.pre_norm:
            x = x + self.attention(self.attention_norm(x), mask)  # (B, T, D)
            return x + self.feed_forward(self.feed_forward_norm(x))  # (B, T, D)
        x = self.attention_norm(x + self.attention(x, mask))  # (B, T, D)
        return self.feed_forward_norm(x + self.feed_forward(x))  # (B, T, D)


def layer_norm(config: EncoderConfig) -> nn.LayerNorm:
    """A layer norm over the model width."""
    return nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)


def final_norm(config: EncoderConfig) -> nn.Module:
    """The end of a stack: a layer norm for pre-norm, because nothing else normalises the residual path."""
    return layer_norm(config) if config.norm == "pre" else nn.Identity()


def init_weights(module: nn.Module, std: float) -> None:
    """Small random weights, zero biases, and a zero vector for padding; for `nn.Module.apply`."""
    if isinstance(module, (nn.Linear, nn.Embedding)) and module.weight.requires_grad:
        nn.init.normal_(module.weight, std=std)
    if isinstance(module, nn.Embedding) and module.padding_idx is not None:
        nn.init.zeros_(module.weight[module.padding_idx])
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)


class EncoderOutput(NamedTuple):
    """The result of one pass through the encoder."""

    last_hidden_state: Float[Tensor, "B T D"]
    hidden_states: tuple[Float[Tensor, "B T D"], ...]  # L + 1: the embeddings, then after every layer


class Encoder(nn.Module):
    """Embeddings and a stack of encoder layers.

    In a pre-norm stack, the last hidden state is taken after the final norm.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_hidden_layers))
        self.final_norm = final_norm(config)
        self.apply(partial(init_weights, std=config.initializer_range))

    def forward(
        self,
        input_ids: Int[Tensor, "B T"],
        token_type_ids: Int[Tensor, "B T"] | None = None,
        attention_mask: Int[Tensor, "B T"] | None = None,
    ) -> EncoderOutput:
        """Encode a batch.

        Args:
            input_ids: (B, T) vocabulary ids.
            token_type_ids: (B, T), 0 for sentence A and 1 for sentence B; None = all 0.
            attention_mask: (B, T), 1 = real token; None = all real.
        Raises:
            ShapeError: there are more tokens than positions.
        """
        mask = None if attention_mask is None else padding_mask(attention_mask)  # (B, 1, 1, T)
        x = self.embeddings(input_ids, token_type_ids)  # (B, T, D)
        hidden_states = [x]
        for layer in self.layers:
            x = layer(x, mask)  # (B, T, D)
            hidden_states.append(x)
        hidden_states[-1] = self.final_norm(x)  # (B, T, D)
        return EncoderOutput(hidden_states[-1], tuple(hidden_states))


class Classification(NamedTuple):
    """Scores over C classes in three forms; one row per text or per token."""

    logits: Float[Tensor, "*rows C"]
    log_probabilities: Float[Tensor, "*rows C"]
    probabilities: Float[Tensor, "*rows C"]


class SequenceClassifier(nn.Module):
    """C classes from the final state of `[CLS]`."""

    def __init__(self, config: EncoderConfig, num_labels: int) -> None:
        super().__init__()
        self.cls_token_id = config.cls_token_id
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.output = nn.Linear(config.hidden_size, num_labels)

    def forward(self, hidden_state: Float[Tensor, "B T D"], input_ids: Int[Tensor, "B T"]) -> Classification:
        """(B, T, D) and (B, T) to C scores per text; raises InputError unless texts start with `[CLS]`."""
        logits = self.output(self.dropout(cls_state(hidden_state, input_ids, self.cls_token_id)))  # (B, C)
        return Classification(logits, logits.log_softmax(1), logits.softmax(1))


class Regressor(nn.Module):
    """One number from the final state of `[CLS]`."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.cls_token_id = config.cls_token_id
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.output = nn.Linear(config.hidden_size, 1)

    def forward(self, hidden_state: Float[Tensor, "B T D"], input_ids: Int[Tensor, "B T"]) -> Float[Tensor, " B"]:
        """(B, T, D) and (B, T) to (B,); raises InputError unless texts start with `[CLS]`."""
        state = cls_state(hidden_state, input_ids, self.cls_token_id)  # (B, D)
        return self.output(self.dropout(state))[:, 0]  # (B,)


class TokenClassifier(nn.Module):
    """C classes for each token."""

    def __init__(self, config: EncoderConfig, num_labels: int) -> None:
        super().__init__()
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.output = nn.Linear(config.hidden_size, num_labels)

    def forward(self, hidden_state: Float[Tensor, "*rows D"]) -> Classification:
        """(B, T, D) to C scores per token; in training, (N, D) states of the labelled tokens."""
        logits = self.output(self.dropout(hidden_state))  # (B, T, C) or (N, C)
        return Classification(logits, logits.log_softmax(-1), logits.softmax(-1))


def cls_state(
    hidden_state: Float[Tensor, "B T D"], input_ids: Int[Tensor, "B T"], cls_token_id: int
) -> Float[Tensor, "B D"]:
    """The state of the first token, which must be `[CLS]`: (B, T, D) to (B, D).

    Raises:
        InputError: a text does not start with `[CLS]`, so its first state is that of another token.
    """
    first = input_ids[:, 0]
    if bool((first != cls_token_id).any()):
        raise InputError(
            f"[CLS] has id {cls_token_id}, but the texts start with {sorted(set(first.tolist()))}: "
            "encode them with special tokens before pooling the first state."
        )
    return hidden_state[:, 0]  # (B, D)
