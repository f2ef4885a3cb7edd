"""The arguments of the functions for notebooks, which are BertViz's, and the run that they describe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from encoder.errors import ArgumentError
from encoder.runs.generation import AttentionKind
from viz.notebooks.arrays import (
    NO_TOKENS,
    Attention,
    Half,
    Included,
    check_tokens,
    layers_of,
    run_of_attention,
    run_of_halves,
    tokens_of,
)
from viz.saved_page.contents import PageRun
from viz.saved_page.generations import PARTS


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """The arguments for encoder-decoders; names are BertViz's."""

    encoder_attention: Any = None
    decoder_attention: Any = None
    cross_attention: Any = None
    encoder_tokens: Sequence[str] | None = None
    decoder_tokens: Sequence[str] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the arguments that are not None."""
        return [field.name for field in fields(self) if getattr(self, field.name) is not None]


@dataclass(frozen=True, slots=True, eq=False)
class Arguments:
    """The arguments of a view; names are BertViz's."""

    attention: Any
    tokens: Sequence[str] | None
    sentence_b_start: int | None
    prettify_tokens: bool
    halves: Halves

    def refuse_with(self, what: str) -> None:
        """Raises ArgumentError if tokens or halves are given with a run that has its own."""
        own = [name for name in ("tokens", "sentence_b_start") if getattr(self, name) is not None]
        names = ", ".join(own + self.halves.names)
        if names:
            raise ArgumentError(f"{names} cannot be given with {what}, which has its own.")


def run_of_arguments(arguments: Arguments, included: Included) -> PageRun:
    """The run of some arrays and tokens.

    Raises:
        ArgumentError: arguments contradict each other, are missing or invalid.
    """
    names = arguments.halves.names
    if arguments.attention is None:
        if arguments.tokens is not None or arguments.sentence_b_start is not None:
            raise ArgumentError(
                "tokens and sentence_b_start belong to attention, which is missing or None. A model of transformers "
                'returns its attentions where it is loaded with attn_implementation="eager" and called with '
                "output_attentions=True."
            )
        return _run_of_halves(arguments, included)
    if names:
        raise ArgumentError(
            f"attention and {', '.join(names)} were given: attention is of one text or pair, the others are of an "
            "encoder-decoder. Choose either."
        )
    if arguments.tokens is None:
        raise ArgumentError("tokens is missing: a text for each position of the attention is needed.")
    half = tokens_of(arguments.tokens, "tokens", prettify=arguments.prettify_tokens)
    weights = layers_of(arguments.attention, "attention")
    return run_of_attention(
        weights, half, name="attention", sentence_b_start=arguments.sentence_b_start, included=included
    )


def _run_of_halves(arguments: Arguments, included: Included) -> PageRun:
    halves = arguments.halves
    source = _half(halves.encoder_tokens, "encoder_tokens", arguments)
    target = _half(halves.decoder_tokens, "decoder_tokens", arguments)
    attentions = []
    of_kind: dict[AttentionKind, tuple[Any, Half, Half]] = {
        "cross": (halves.cross_attention, target, source),
        "decoder": (halves.decoder_attention, target, target),
        "encoder": (halves.encoder_attention, source, source),
    }
    for kind, (attention, queries, keys) in of_kind.items():
        if attention is None:
            continue
        name = f"{kind}_attention"
        for half, argument in ((source, "encoder_tokens"), (target, "decoder_tokens")):
            if half is NO_TOKENS and half in (queries, keys):
                raise ArgumentError(f"{argument} is missing: {name} needs it.")
        weights = layers_of(attention, name)
        check_tokens(weights, name, queries, keys)
        attentions.append(Attention(weights, PARTS[kind]))
    if not attentions:
        raise ArgumentError("No attention was given: give attention and tokens, or those of an encoder-decoder.")
    return run_of_halves(attentions, source, target, included=included)


def _half(tokens: Sequence[str] | None, name: str, arguments: Arguments) -> Half:
    return NO_TOKENS if tokens is None else tokens_of(tokens, name, prettify=arguments.prettify_tokens)
