"""One run of an encoder-decoder, as an immutable record: a trace of each half, and the attention between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from encoder.errors import SelectionError, ShapeError
from encoder.runs.arrays import FloatArray, NamedArray, check_finite
from encoder.runs.layer_attention import LayerAttention
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens

AttentionKind = Literal["encoder", "decoder", "cross"]
KINDS: tuple[AttentionKind, ...] = get_args(AttentionKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A token that might have been written, and the probability that the decoder gave it."""

    label: str
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Everything about one text that was written, a token at a time, S tokens of the source and T steps.

    At step t the decoder reads token t of `target.tokens` and writes token t of `written`, which it reads next. Since
    no token sees a later one, the first t rows of every attention are those of the text as it stood after t steps.

    Attributes:
        source: the encoder's run over the source; its attention is of kind "encoder".
        target: the decoder's over what it read, from the start token on; its attention is of kind "decoder".
        cross: attention of kind "cross": queries of the T target tokens, keys and values of the S source tokens.
        written: what each step wrote; the text is its `sentences[0]`.
        candidates: the likeliest tokens of each step, likeliest first: the first is the one that was written.
        complete: whether the decoder wrote its end token; if not, it ran out of room.
        notes: what a reader should know about this run, in full sentences.
        expected: what should have been written, where that is known.
        origins: for each step, positions of the source tokens that the written token is known to come from, none for
            one that comes from no token; () where nothing is known, because it is so of no task or the text is wrong.
    Raises:
        ShapeError: the parts do not belong to one text.
        NotFiniteError: a number is NaN, infinite, or too large to be squared.
    """

    model_name: str
    source: Trace
    target: Trace
    cross: tuple[LayerAttention, ...]
    written: Tokens
    candidates: tuple[tuple[Candidate, ...], ...]
    complete: bool
    notes: tuple[str, ...] = ()
    expected: str | None = None
    origins: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        steps, wanted = len(self.target.tokens), (len(self.target.tokens), len(self.source.tokens))
        if self.origins and len(self.origins) != steps:
            raise ShapeError(f"Origins of {len(self.origins)} tokens were given; {steps} were written.")
        if not len(self.written) == len(self.candidates) == steps:
            raise ShapeError(
                f"{steps} tokens were read, {len(self.written)} written and {len(self.candidates)} weighed against "
                "others: one of each is needed for every step."
            )
        for layer in self.cross:
            if layer.shape != wanted:
                raise ShapeError(f"Attention to the source is {layer.shape}, query by key; {wanted} is needed.")
        check_finite(self.model_name, self._named_arrays())

    def _named_arrays(self) -> Iterator[NamedArray]:
        """What was computed beside the two traces, which have been checked."""
        for index, layer in enumerate(self.cross):
            yield from layer.named_arrays(f"of the cross-attention in layer {index}")
        probabilities = [candidate.probability for step in self.candidates for candidate in step]
        yield "the candidates' probabilities", np.array(probabilities, np.float32)

    @property
    def num_layers(self) -> int:
        """L, of the half that has more."""
        return max(len(self.source.layers), len(self.cross))

    @property
    def num_heads(self) -> int:
        """H, of the half that has more."""
        return max(layer.num_heads for kind in KINDS for layer in self.layers(kind)[:1])

    def layers(self, kind: AttentionKind) -> tuple[LayerAttention, ...]:
        """The attention of every layer, of one kind."""
        return {"encoder": self.source.layers, "decoder": self.target.layers, "cross": self.cross}[kind]

    def query_tokens(self, kind: AttentionKind) -> Tokens:
        """What the rows of an attention are."""
        return self.source.tokens if kind == "encoder" else self.target.tokens

    def key_tokens(self, kind: AttentionKind) -> Tokens:
        """What the columns of an attention are."""
        return self.target.tokens if kind == "decoder" else self.source.tokens

    def attention(self, kind: AttentionKind, layer: int) -> LayerAttention:
        """Queries, keys and values of a layer.

        Raises:
            SelectionError: there is no such layer.
        """
        layers = self.layers(kind)
        if not 0 <= layer < len(layers):
            raise SelectionError(
                f"Layer {layer} was asked for; attention of kind {kind!r} has layers 0 to {len(layers) - 1}."
            )
        return layers[layer]

    def weights(self, kind: AttentionKind, layer: int) -> FloatArray:
        """(H, queries, keys) attention weights of a layer, derived now; rows sum to 1."""
        weights = self.attention(kind, layer).weights()
        weights.flags.writeable = False
        return weights

    def scores(self, kind: AttentionKind, layer: int) -> FloatArray:
        """(H, queries, keys) scaled and masked scores of a layer, derived now; -inf where a key may not be attended."""
        scores = self.attention(kind, layer).scores()
        scores.flags.writeable = False
        return scores
