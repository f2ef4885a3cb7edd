"""Runs of an encoder-decoder on a saved page, which shows one of three attentions at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from encoder.measures.combined_attention import SENTENCES_OF_KIND, combined_units, head_thumbnails
from encoder.measures.head_profiles import pooled_halves, pooled_units
from encoder.measures.units import Units, units_of
from encoder.runs.generation import KINDS, AttentionKind, Generation
from viz.html.quantised import Block, attention_block, in_blocks, measures_block, neurons_block
from viz.payloads.model_map import THUMBNAIL
from viz.payloads.runs import LayersAttention, attention_of_generation, neurons_of_generation
from viz.saved_page.contents import PageRun, Part, ViewName
from viz.saved_page.traces import Shown, checked_layers
from viz.wording.explanations import HEAD_VIEW, NEURON_VIEW, Explanation, heat_map_explanation, model_view_explanation
from viz.wording.models import title_of_model

PARTS: Final[Mapping[AttentionKind, Part]] = {
    "cross": Part("cross-attention", SENTENCES_OF_KIND["cross"], "removed_cross"),
    "decoder": Part("masked self-attention of the decoder", SENTENCES_OF_KIND["decoder"], "removed_decoder"),
    "encoder": Part("self-attention of the encoder", SENTENCES_OF_KIND["encoder"], "removed_encoder"),
}


def run_of_generation(
    generation: Generation, shown: Shown, *, first: AttentionKind = "cross", name: str = "decoder"
) -> PageRun:
    """One run of an encoder-decoder for a page, with all views but the norms.

    Args:
        first: the attention that is shown first.
        name: unique on the page.
    Raises:
        SelectionError: a layer is out of range.
    """
    source, target = (
        units_of(run.tokens, level=shown.level, special=shown.special) for run in (generation.source, generation.target)
    )
    kinds: tuple[AttentionKind, ...] = (first, *(kind for kind in PARTS if kind != first))
    layers = checked_layers(shown.layers, min(len(generation.layers(kind)) for kind in KINDS))
    explanations = _explanations(generation, len(source) + len(target), shown)
    blocks = _attention_blocks(generation, source, target, shown, layers, name)
    for index, kind in enumerate(kinds):
        if "neuron view" in explanations:
            blocks += _neuron_blocks(generation, kind, layers, message=f"{name}.neurons-{index}")
        measures = head_thumbnails(generation, source, target, kind=kind, special=shown.special, size=THUMBNAIL)[1]
        blocks.append(measures_block(measures, layers, message=f"{name}.map"))
    return PageRun(
        place="decoder",
        heading="",
        texts=("decoder",),
        special=shown.special,
        layers=layers,
        num_heads=generation.num_heads,
        parts=tuple(PARTS[kind] for kind in kinds),
        explanations=explanations,
        blocks=tuple(blocks),
        name=name,
    )


def _explanations(generation: Generation, units: int, shown: Shown) -> Mapping[ViewName, Explanation]:
    every: dict[ViewName, Explanation] = {
        "heat map": heat_map_explanation(pair=False, special=shown.special),
        "head view": HEAD_VIEW,
        "model view": model_view_explanation(units=units, pooled=units > THUMBNAIL),
        "neuron view": NEURON_VIEW,
    }
    if any(generation.attention(kind, 0).query is None for kind in KINDS):
        del every["neuron view"]
    return {view: explanation for view, explanation in every.items() if view in shown.views}


def _attention_blocks(
    generation: Generation, source: Units, target: Units, shown: Shown, layers: Sequence[int], name: str
) -> list[Block]:
    """The attention of layers, or as much of it as the pictures of heads show."""
    pictures = shown.views == ("model view",)
    halves = [pooled_units(units, THUMBNAIL) if pictures else units for units in (source, target)]

    def attention_of(group: Sequence[int]) -> LayersAttention:
        if not pictures:
            return attention_of_generation(generation, source, target, shown.special, group)
        squares = (attention_of_generation(generation, source, target, shown.special, [layer]) for layer in group)
        return LayersAttention(
            np.concatenate([pooled_halves(square.attention, len(source), THUMBNAIL) for square in squares]), {}
        )

    both = combined_units(*halves)
    return [
        attention_block(
            attention_of(group),
            both,
            message=f"{name}.attention",
            layers=group,
            letters=("S", "T"),
            numbers=(*range(len(halves[0])), *range(len(halves[1]))),
        )
        for group in in_blocks(layers, generation.num_heads * len(both) ** 2)
    ]


def _neuron_blocks(generation: Generation, kind: AttentionKind, layers: Sequence[int], *, message: str) -> list[Block]:
    pieces = combined_units(units_of(generation.source.tokens), units_of(generation.target.tokens))
    found = neurons_of_generation(generation, kind, layers)
    return [neurons_block(found, pieces, message=message, layers=layers)]


def notes_of(generation: Generation) -> tuple[str, ...]:
    """Notes on the run, in full sentences."""
    return (
        f"Model: {title_of_model(generation.model_name)}, {generation.num_layers} layers with {generation.num_heads} "
        "heads each.",
        *generation.notes,
    )
