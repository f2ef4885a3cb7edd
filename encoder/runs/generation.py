"""One run of an encoder-decoder as an immutable record: a trace of each half, and the attention between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from encoder.columns import SHORT, Columns
from encoder.errors import SelectionError, ShapeError
from encoder.runs.arrays import ByValue, FloatArray, NamedArray, check_finite
from encoder.runs.layer_attention import LayerAttention
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens

AttentionKind = Literal["encoder", "decoder", "cross"]
KINDS: tuple[AttentionKind, ...] = get_args(AttentionKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A candidate token, and its probability."""

    label: str
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Generation(ByValue, Columns):
    """The generation of one text, token by token, from S source tokens in T steps.

    At step t the decoder reads token t of `target.tokens` and writes token t of `written`, which it reads next. No
    token attends to later ones, so the first t rows of every attention are those after t steps.

    Attributes:
        source: the encoder's run over the source; its attention is of kind "encoder".
        target: the decoder's run over its input, from the start token on; its attention is of kind "decoder".
        cross: attention of kind "cross": queries of the T target tokens, keys and values of the S source tokens.
        written: the tokens written; the text is its `sentences[0]`.
        candidates: the likeliest tokens of each step; the first one was written.
        complete: whether the decoder wrote its end token; if not, the positions ran out.
        notes: remarks about this run, in full sentences.
        expected: the right output, if known.
        origins: for each step, the source positions that the written token comes from, possibly none; () if unknown,
            because the task is unknown or the text is wrong.
    Raises:
        ShapeError: the parts do not match.
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
                f"{steps} tokens were read, {len(self.written)} written, and {len(self.candidates)} steps have "
                "candidates: the numbers must agree."
            )
        for layer in self.cross:
            if layer.shape != wanted:
                raise ShapeError(f"Attention to the source is {layer.shape}, query by key; {wanted} is needed.")
        check_finite(self.model_name, self._named_arrays())

    @property
    def about(self) -> str:
        read, written = (SHORT.repr(tokens.sentences[0]) for tokens in (self.source.tokens, self.written))
        return f"of {read}: {written}"

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of T rows: the token that each step wrote, and its probability."""
        best = [step[0] for step in self.candidates]
        return {"written": [each.label for each in best], "probability": [each.probability for each in best]}

    def _named_arrays(self) -> Iterator[NamedArray]:
        """The arrays outside the two traces, which have been checked."""
        for index, layer in enumerate(self.cross):
            yield from layer.named_arrays(f"of the cross-attention in layer {index}")
        probabilities = [candidate.probability for step in self.candidates for candidate in step]
        yield "the candidates' probabilities", np.array(probabilities, np.float32)

    @property
    def num_layers(self) -> int:
        """L, the larger of the two halves' numbers."""
        return max(len(self.source.layers), len(self.cross))

    @property
    def num_heads(self) -> int:
        """H, the larger of the two halves' numbers."""
        return max(layer.num_heads for kind in KINDS for layer in self.layers(kind)[:1])

    def layers(self, kind: AttentionKind) -> tuple[LayerAttention, ...]:
        """The attention of one kind, for every layer."""
        return {"encoder": self.source.layers, "decoder": self.target.layers, "cross": self.cross}[kind]

    def query_tokens(self, kind: AttentionKind) -> Tokens:
        """The tokens of an attention's rows."""
        return self.source.tokens if kind == "encoder" else self.target.tokens

    def key_tokens(self, kind: AttentionKind) -> Tokens:
        """The tokens of an attention's columns."""
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
        """(H, queries, keys) attention weights of a layer, computed on demand; rows sum to 1."""
        return self.attention(kind, layer).weights()

    def scores(self, kind: AttentionKind, layer: int) -> FloatArray:
        """(H, queries, keys) scaled and masked scores of a layer, computed on demand; -inf at masked keys."""
        return self.attention(kind, layer).scores()
