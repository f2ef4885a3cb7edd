"""Attention weights from any library on a saved page: lists of arrays and of tokens.

Like BertViz's functions, it takes a model's `attentions`: one array of (1, H, T, T) for each layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any, Final

import numpy as np

from encoder.errors import ArgumentError
from encoder.measures.head_profiles import head_profiles, max_pooled, mean_entropy_bits, pool_starts, stack_layers
from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray
from viz.html.quantised import attention_block, in_blocks, measures_block
from viz.payloads.model_map import THUMBNAIL, usual_measures
from viz.payloads.runs import LayersAttention, separator_among
from viz.saved_page.contents import PageRun, Part, ViewName
from viz.wording.explanations import HEAD_VIEW, Explanation, heat_map_explanation, model_view_explanation

MOST_TOKENS: Final = 128  # of a text whose page has every layer, where one is asked for
TOLERANCE: Final = 1e-3  # by which half precision may leave [0, 1]
MOST_OF_A_ROW: Final = 1.02  # that half precision makes of weights that add up to 1
SPECIAL: Final = frozenset(
    ("[CLS]", "[SEP]", "[PAD]", "<s>", "</s>", "<pad>", "<|endoftext|>", "<cls>", "<sep>", "<bos>", "<eos>")
)
NOT_THERE: Final = (
    "Open the model with output_attentions=True and attn_implementation='eager', and take the `attentions` of its "
    "output by their name: its last entry may be another one."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Included:
    """The layers and heads of a page.

    Attributes:
        layers: None for all, or for `first` alone if the text has more than `most_tokens` tokens.
        heads: None for all.
        pictures: whether all heads are shown; of more than `most_tokens` tokens the page has their pictures alone.
    """

    layers: Sequence[int] | None = None
    heads: Sequence[int] | None = None
    first: int | None = None
    most_tokens: int = MOST_TOKENS
    pictures: bool = False

    def only_pictures(self, tokens: int) -> bool:
        """Whether the page of a text has the pictures of heads alone."""
        return self.pictures and tokens > self.most_tokens

    def layers_of(self, count: int, tokens: int) -> tuple[int, ...]:
        """Those of a model with `count` layers and of a text. Raises ArgumentError if there is no such layer."""
        first = self.first or 0
        alone = self.layers is None and tokens > self.most_tokens and not self.pictures and 0 <= first < count
        return chosen([first] if alone else self.layers, count, "include_layers", "layers")


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """The tokens of one side of an attention.

    Attributes:
        name: of the argument.
        special: whether each is a special token.
    """

    name: str
    tokens: tuple[str, ...]
    special: tuple[bool, ...]

    def pooled(self, size: int) -> Half:
        """The first token of each pool of `max_pooled`, in the place of all."""
        starts = pool_starts(len(self.tokens), min(size, len(self.tokens)))
        return Half(self.name, *(tuple(each[start] for start in starts) for each in (self.tokens, self.special)))


NO_TOKENS: Final = Half("", (), ())


def layers_of(attention: Any, name: str) -> FloatArray:
    """(L, H, Q, K) float32 weights.

    Args:
        attention: a list or tuple of L arrays or tensors of (1, H, Q, K) or (H, Q, K), one of (L, H, Q, K), or a
            model's output with `attentions`.
        name: of the argument.
    Raises:
        ArgumentError: these are not attention weights.
    """
    attention = getattr(attention, "attentions", attention)
    if attention is None or (isinstance(attention, Sequence) and not len(attention)):
        raise ArgumentError(f"{name} is empty: the model handed out no attention weights. {NOT_THERE}")
    given = attention if isinstance(attention, Sequence) else list(_as_array(attention, name))
    layers = [_one_layer(layer, f"{name}[{index}]") for index, layer in enumerate(given)]
    if len({layer.shape for layer in layers}) > 1:
        shapes = sorted({layer.shape for layer in layers})
        raise ArgumentError(f"The layers of {name} have the shapes {shapes}: they must be alike.")
    weights = np.stack(layers)
    low, high = float(weights.min(initial=0)), float(weights.max(initial=0))
    if not (low >= -TOLERANCE and high <= 1 + TOLERANCE):  # NaN is neither
        raise ArgumentError(
            f"{name} holds numbers from {low:.3g} to {high:.3g}: attention weights lie between 0 and 1. "
            "Are these scores, before softmax?"
        )
    if (most := float(weights.sum(axis=-1).max(initial=0))) > MOST_OF_A_ROW:
        raise ArgumentError(
            f"The weights of a query in {name} add up to {most:.3g}, and not to 1: queries are the last axis but one, "
            "and keys the last."
        )
    return np.clip(weights, 0, 1)


def _as_array(values: Any, name: str) -> FloatArray:
    """Numbers as float32, also from a tensor of any device and precision.

    Raises:
        ArgumentError: it is not an array of numbers.
    """
    if values is None:
        raise ArgumentError(f"{name} is None: the model handed out no attention weights. {NOT_THERE}")
    if hasattr(values, "detach"):  # a tensor of torch, which is not imported for this
        values = values.detach().cpu().float().numpy()
    try:
        return np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is a {type(values).__name__}: arrays or tensors of numbers are needed.") from error


def _one_layer(values: Any, name: str) -> FloatArray:
    """(H, Q, K) of one layer, which may have a batch axis of 1."""
    layer = _as_array(values, name)
    if layer.ndim == 4 and len(layer) != 1:
        raise ArgumentError(f"{name} is {layer.shape}, a batch of {len(layer)} texts: choose one, as in a[0:1].")
    whole = layer[0] if layer.ndim == 4 else layer
    if whole.ndim != 3 or 0 in whole.shape:
        raise ArgumentError(f"{name} is {layer.shape}: (1, heads, queries, keys) or (heads, queries, keys) is needed.")
    return whole


def tokens_of(tokens: Any, name: str, *, prettify: bool) -> Half:
    """The tokens to show; `prettify` removes the marks of their vocabulary.

    Raises:
        ArgumentError: they are not a list of texts.
    """
    is_list = isinstance(tokens, Sequence) and not isinstance(tokens, str)
    if not is_list or not all(isinstance(token, str) for token in tokens):
        raise ArgumentError(f"{name} is no list of texts: as many tokens as the attention has positions are needed.")
    shown = tuple(_prettified(token) if prettify else token for token in tokens)
    return Half(name, shown, tuple(token in SPECIAL for token in tokens))


def _prettified(token: str) -> str:
    """A token without its vocabulary's marks for spaces."""
    return token.replace("Ġ", " ").replace("▁", " ").replace("</w>", "").strip() or token


def check_tokens(weights: FloatArray, name: str, queries: Half, keys: Half) -> None:
    """Raises ArgumentError unless there is one token for each position."""
    for size, half, axis in ((weights.shape[2], queries, "queries"), (weights.shape[3], keys, "keys")):
        if size != len(half.tokens):
            raise ArgumentError(
                f"{name} has {size} {axis}, and {half.name} {len(half.tokens)} tokens: one each is needed."
            )


def chosen(numbers: Sequence[int] | None, count: int, name: str, what: str) -> tuple[int, ...]:
    """Sorted numbers of layers or heads; None stands for all.

    Raises:
        ArgumentError: a number is out of range, or there is none.
    """
    if numbers is None:
        return tuple(range(count))
    try:
        found = tuple(sorted({index(number) for number in numbers}))
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is {numbers!r}: a list of numbers is needed.") from error
    if not found or not (found[0] >= 0 and found[-1] < count):
        raise ArgumentError(f"{name} is {list(numbers)}: there are {what} 0 to {count - 1}.")
    return found


def run_of_attention(
    weights: FloatArray, half: Half, *, name: str, sentence_b_start: int | None, included: Included
) -> PageRun:
    """The self-attention of one text or of a pair.

    Args:
        weights: (L, H, T, T).
    Raises:
        ArgumentError: the arguments do not fit together.
    """
    check_tokens(weights, name, half, half)
    count = len(half.tokens)
    if sentence_b_start is not None and sentence_b_start not in range(1, count):
        raise ArgumentError(f"sentence_b_start is {sentence_b_start}: with {count} tokens it can be 1 to {count - 1}.")
    units = _units(half.tokens, half.special, None if sentence_b_start is None else int(sentence_b_start))
    layers = included.layers_of(len(weights), count)
    profiles = stack_layers([head_profiles(layer, half.special) for layer in weights])
    return _run(
        weights,
        units,
        layers,
        usual_measures(profiles, separator_among(half.tokens, half.special)),
        place="pair" if sentence_b_start else "A",
        num_tokens=count,
        included=included,
        pair=sentence_b_start is not None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """One attention of an encoder-decoder.

    Attributes:
        weights: (L, H, Q, K).
        part: its block.
    """

    weights: FloatArray
    part: Part


def run_of_halves(attentions: Sequence[Attention], source: Half, target: Half, *, included: Included) -> PageRun:
    """Up to three attentions of an encoder-decoder in one square: the source's units, then the target's.

    Args:
        source, target: without tokens if no attention needs them.
    """
    num_layers = max(len(attention.weights) for attention in attentions)
    heads = max(attention.weights.shape[1] for attention in attentions)
    measures = [_entropies(attention.weights, num_layers, heads) for attention in attentions]
    num_tokens = len(source.tokens) + len(target.tokens)
    layers = included.layers_of(num_layers, num_tokens)
    if included.only_pictures(num_tokens):
        attentions = [replace(each, weights=max_pooled(each.weights, THUMBNAIL)) for each in attentions]
        source, target = (half.pooled(THUMBNAIL) for half in (source, target))
    tokens, special = source.tokens + target.tokens, source.special + target.special
    start, count = len(source.tokens), len(tokens)
    square = np.zeros((num_layers, heads, count, count), dtype=np.float32)
    halves = {"A": slice(start), "B": slice(start, None)}
    for attention in attentions:
        rows, columns = (halves[letter] for letter in attention.part.sentences.split("→"))
        square[: len(attention.weights), : attention.weights.shape[1], rows, columns] = attention.weights
    run = _run(
        square,
        _units(tokens, special, start or None),
        layers,
        measures[0],
        place="decoder",
        num_tokens=num_tokens,
        included=included,
        parts=tuple(attention.part for attention in attentions),
        numbers=(*range(start), *range(len(target.tokens))),
    )
    maps = tuple(measures_block(one, layers, message="decoder.map") for one in measures[1:])
    return replace(run, blocks=(*run.blocks, *maps))


def _entropies(weights: FloatArray, layers: int, heads: int) -> Mapping[str, FloatArray]:
    """(layers, heads) of one attention; NaN for heads that it does not have."""
    entropies = np.full((layers, heads), np.nan, dtype=np.float32)
    entropies[: len(weights), : weights.shape[1]] = mean_entropy_bits(weights)
    return {"entropy in bits": entropies}


def _units(tokens: Sequence[str], special: Sequence[bool], b_start: int | None) -> Units:
    return Units(
        labels=tuple(tokens),
        members=tuple((position,) for position in range(len(tokens))),
        special=tuple(special),
        sentence_b_start=b_start,
        length=len(tokens),
    )


def _run(
    weights: FloatArray,
    units: Units,
    layers: tuple[int, ...],
    measures: Mapping[str, FloatArray],
    *,
    place: str,
    num_tokens: int,
    included: Included,
    pair: bool = False,
    parts: tuple[Part, ...] = (),
    numbers: Sequence[int] | None = None,
) -> PageRun:
    letters = ("S", "T") if parts else ("A", "B")
    only_pictures = included.only_pictures(num_tokens)
    if only_pictures and not parts:  # which are pooled each by itself
        weights = max_pooled(weights, THUMBNAIL)
    blocks = [
        attention_block(
            LayersAttention(weights[list(group)], {}),
            units,
            message=f"{place}.attention",
            layers=group,
            letters=letters,
            numbers=numbers,
        )
        for group in in_blocks(layers, weights[0].size)
    ]
    explanations: dict[ViewName, Explanation] = {
        "heat map": heat_map_explanation(pair=pair, special="show"),
        "head view": HEAD_VIEW,
        "model view": model_view_explanation(units=num_tokens, pooled=num_tokens > THUMBNAIL),
    }
    if only_pictures:
        explanations = {"model view": explanations["model view"]}
    heads = included.heads
    return PageRun(
        place=place,
        heading="",
        texts=("A", "B") if pair else (place,),
        special="show",
        layers=layers,
        num_layers=len(weights),
        num_heads=weights.shape[1],
        heads=None if heads is None else chosen(heads, weights.shape[1], "include_heads", "heads"),
        pair=pair,
        parts=parts,
        explanations=explanations,
        blocks=(*blocks, measures_block(measures, layers, message=f"{place}.map")),
    )
