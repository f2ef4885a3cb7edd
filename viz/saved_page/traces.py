"""Runs of an encoder on a saved page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from encoder.errors import SelectionError
from encoder.measures.head_profiles import max_pooled
from encoder.measures.units import Level, Special, Units, units_of
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.answers.answer import Answer
from viz.html.quantised import Block, attention_block, in_blocks, measures_block, neurons_block, number_steps
from viz.payloads.attributions import ShownMaps, attributions_of_layers, heads_of_attributions
from viz.payloads.model_map import THUMBNAIL
from viz.payloads.runs import LayersAttention, attention_of_trace, heads_of_trace, neurons_of_trace, numbers_of
from viz.saved_page.contents import VIEW_NAMES, PageRun, ViewName
from viz.views.tokens.answer import EXPLANATION as OF_TOKENS
from viz.views.tokens.answer import tokens
from viz.wording.excerpts import excerpt_sentences
from viz.wording.explanations import (
    HEAD_VIEW,
    NEURON_VIEW,
    NORMS,
    Explanation,
    attribution_explanation,
    heat_map_explanation,
    model_view_explanation,
)
from viz.wording.models import title_of_model
from viz.wording.quantities import TITLES, scale_sentence, unit_sentence

ROUNDED_WEIGHTS: Final = "Attention weights are rounded to four decimals."
ONLY_PICTURES: Final = (
    f"It has the pictures of all heads, of up to {THUMBNAIL} × {THUMBNAIL} cells, and not the weights of every token: "
    "heat_map(…, layer=3) and head_view(…, layer=3) have those of a layer."
)
ROUNDED_NUMBERS: Final = "Numbers are rounded to one ten-thousandth of the largest number on the colour scale."


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The part of a trace that a page shows.

    Attributes:
        views: of those, the page has the ones for which the trace has data.
        layers: in ascending order; None for all.
        level, special: the unit of a row, and whether special tokens have rows.
    """

    views: tuple[ViewName, ...] = VIEW_NAMES
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    level: Level = "wordpieces"
    special: Special = "show"


def run_of_trace(
    trace: Trace,
    shown: Shown,
    *,
    place: str = "pair",
    heading: str = "",
    name: str = "",
    maps: ShownMaps | None = None,
    read: Answer | None = None,
) -> PageRun:
    """One trace for a page.

    Args:
        maps: shown instead of weights; the page then has no neuron view, which is about weights.
        place: "pair", or "A" or "B" for one of two texts encoded separately.
        name: unique on the page; by default the place.
        read: how the text is read, if that is said together with another text.
    Raises:
        SelectionError: a layer is out of range, or every token is hidden.
    """
    name = name or place
    units = units_of(trace.tokens, level=shown.level, special=shown.special)
    if not len(units):
        raise SelectionError("This text has special tokens only, and they are hidden: show them, or type a word.")
    layers = checked_layers(shown.layers, trace.num_layers)
    explanations = _explanations(trace, units, shown, maps)
    blocks: list[Block] = []
    if explanations.keys() - {"tokens"}:
        pictures = explanations.keys() == {"model view"}
        blocks += _attention_blocks(trace, units, shown.special, layers, name, maps, pictures=pictures)
    if "neuron view" in explanations:
        blocks += _neuron_blocks(trace, shown.special, layers, name)
    if blocks:
        described = maps.described(trace.num_heads) if maps else None
        heads = _heads(trace, units, shown, layers, maps)
        blocks.append(measures_block(heads, range(len(layers)), message=f"{name}.map", quantity=described))
    return PageRun(
        place=place,
        heading=heading,
        texts=("A", "B") if place == "pair" else (place,),
        special=shown.special,
        layers=layers,
        num_heads=trace.num_heads,
        heads=shown.heads,
        pair=units.sentence_b_start is not None,
        explanations=explanations,
        answers=dict(_answers(trace, units, shown.level, explanations, read)),
        blocks=tuple(blocks),
        name=name,
    )


def _answers(
    trace: Trace, units: Units, level: Level, views: Collection[ViewName], read: Answer | None
) -> Iterator[tuple[ViewName, Answer]]:
    if "tokens" in views:
        yield "tokens", read or tokens(trace)
    if "norms" in views:
        from viz.views.norms.answer import norms  # with Plotly, which pages of arrays do not need

        yield "norms", norms(trace, units, level)


def checked_layers(layers: tuple[int, ...] | None, count: int) -> tuple[int, ...]:
    """The numbers of layers; None stands for all.

    Raises:
        SelectionError: a layer is out of range, or there is none.
    """
    found = tuple(range(count)) if layers is None else layers
    if not found or not all(0 <= layer < count for layer in found):
        raise SelectionError(f"Layers {list(found)} were asked for; there are layers 0 to {count - 1}.")
    return found


def _heads(
    trace: Trace, units: Units, shown: Shown, layers: Sequence[int], maps: ShownMaps | None
) -> Mapping[str, FloatArray]:
    """The measures (N, H) of the heads on the map, for N layers."""
    if maps:
        measures = heads_of_attributions(maps, trace.tokens.labels, trace.tokens.special).measures
        return {name: array[list(layers)] for name, array in measures.items()}
    return heads_of_trace(trace, units, shown.special, layers).measures


def _explanations(trace: Trace, units: Units, shown: Shown, maps: ShownMaps | None) -> Mapping[ViewName, Explanation]:
    """The explanation of each view of the trace."""
    every: dict[ViewName, Explanation] = {
        "tokens": OF_TOKENS,
        "heat map": heat_map_explanation(pair=trace.tokens.sentence_b_start is not None, special=shown.special),
        "head view": HEAD_VIEW,
        "model view": model_view_explanation(units=len(units), pooled=len(units) > THUMBNAIL),
        "neuron view": NEURON_VIEW,
        "norms": NORMS,
    }
    if maps:
        for view in ("heat map", "head view", "model view"):
            every[view] = attribution_explanation(view, from_input=maps.quantity.is_from_input)
    if maps or trace.layers[0].query is None:
        del every["neuron view"]
    return {view: explanation for view, explanation in every.items() if view in shown.views}


def _attention_blocks(
    trace: Trace,
    units: Units,
    special: Special,
    layers: Sequence[int],
    name: str,
    maps: ShownMaps | None,
    *,
    pictures: bool,
) -> list[Block]:
    """The attention of layers, or as much of it as the pictures of heads show."""

    def attention_of(group: Sequence[int]) -> LayersAttention:
        if pictures and len(group) > 1:
            return LayersAttention(np.concatenate([attention_of([layer]).attention for layer in group]), {})
        found = (
            attributions_of_layers(maps, special, group) if maps else attention_of_trace(trace, units, special, group)
        )
        return LayersAttention(max_pooled(found.attention, THUMBNAIL), {}) if pictures else found

    described = maps.described(trace.num_heads) if maps else None
    cells = trace.num_heads * min(len(units), THUMBNAIL if pictures else len(units)) ** 2
    return [
        attention_block(
            attention_of(group),
            units,
            message=f"{name}.attention",
            layers=group,
            numbers=numbers_of(trace, units),
            quantity=described,
        )
        for group in in_blocks(layers, cells)
    ]


def _neuron_blocks(trace: Trace, special: Special, layers: Sequence[int], name: str) -> list[Block]:
    pieces = units_of(trace.tokens)
    shown = units_of(trace.tokens, special=special)
    return [
        neurons_block(neurons_of_trace(trace, shown, special, group), pieces, message=f"{name}.neurons", layers=group)
        for group in in_blocks(layers, 2 * trace.queries(0).size)
    ]


def notes_of(traces: Mapping[str, Trace], views: Sequence[ViewName], maps: ShownMaps | None = None) -> tuple[str, ...]:
    """Notes on runs and their numbers, in full sentences; `maps` are shown instead of weights."""
    longest = max(traces.values(), key=lambda trace: len(trace.tokens))
    return (*about_traces(traces, maps), *notes_on_numbers(longest, views, None, maps))


def about_traces(traces: Mapping[str, Trace], maps: ShownMaps | None = None) -> tuple[str, ...]:
    """The model, the size of its runs, and what has to be known to read them, in full sentences.

    Args:
        traces: by "pair", or by "A" and "B".
        maps: shown instead of weights.
    """
    first = next(iter(traces.values()))
    model = f"Model: {title_of_model(first.model_name)}, {first.num_layers} layers with {first.num_heads} heads each."
    quantity = _about_quantity(maps) if maps else ()
    about = (*_cut_off(traces), *excerpt_sentences(traces), *_silenced(first), *quantity)
    notes = dict.fromkeys(note for trace in traces.values() for note in trace.notes)
    return (model, *about, *notes)


def _cut_off(traces: Mapping[str, Trace]) -> Iterator[str]:
    counts = [cut for trace in traces.values() for cut in trace.tokens.truncated]
    for letter, cut in zip("AB", counts, strict=False):
        if cut:
            yield f"Sentence {letter} is too long for the model: its last {cut} tokens are cut off."


def _silenced(trace: Trace) -> tuple[str, ...]:
    heads = ", ".join(f"layer {layer}, head {head}" for layer, head in trace.silenced_heads)
    return (f"Switched off in this run: {heads}.",) if heads else ()


def _about_quantity(maps: ShownMaps) -> tuple[str, ...]:
    """What the numbers are that are shown instead of weights."""
    quantity, facts = maps.quantity, maps.quantity.facts
    said = f"{TITLES[quantity.method]}: {quantity.formula} ({facts.source})."
    return (f"{said} {unit_sentence(quantity)} {scale_sentence(quantity, maps.largest)}",)


def notes_on_numbers(
    trace: Trace, views: Sequence[ViewName], layers: Sequence[int] | None, maps: ShownMaps | None = None
) -> tuple[str, ...]:
    """The layers of a page, and the precision of its numbers.

    Args:
        layers: of the page; None for all.
        maps: shown instead of weights.
    """
    rounded = (ROUNDED_NUMBERS,) if maps else rounding_notes(views, len(trace.tokens))
    return (*layers_note(layers, trace.num_layers), *pictures_note(views), *rounded)


def pictures_note(views: Sequence[ViewName]) -> tuple[str, ...]:
    """What a page leaves out that has the pictures of heads alone."""
    return (ONLY_PICTURES,) if set(views) == {"model view"} else ()


def layers_note(layers: Sequence[int] | None, count: int | None) -> tuple[str, ...]:
    """Which layers a page has, if not all of the model's `count`."""
    if layers is None or count is None or len(layers) == count:
        return ()
    named = f"layer{'s' if len(layers) > 1 else ''} {', '.join(map(str, layers))}"
    return (f"It has {named} only; the model has {count} layers.",)


def rounding_notes(views: Sequence[ViewName], tokens: int) -> tuple[str, ...]:
    """The precision of a page's numbers."""
    if "neuron view" not in views:
        return (ROUNDED_WEIGHTS,)
    return (
        ROUNDED_WEIGHTS,
        "The neuron view computes its scores and weights from queries and keys that are rounded to one part in "
        f"{number_steps(tokens):,}.",
    )
