"""What stands beside the steps of attention: how sharp it is, masks, and what-ifs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import streamlit as st

from encoder.experiments.anatomy.cells_changed import changed_weight, masked_weight
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.steps import Shown
from encoder.experiments.anatomy.steps_attention import softmax
from encoder.measures.head_profiles import mean_entropy_bits
from encoder.measures.operations import signed_limit, total_variation
from viz import cache
from viz.labels import verbatim
from viz.panels.anatomy.cells import opened_in, pick_cell, show
from viz.panels.anatomy.draw import picture, tell
from viz.panels.anatomy.walk import Walk
from viz.state import session
from viz.state.selection import WHAT_IFS

MASKS: dict[Mask, str] = {"none": "None", "padding": "Padding", "causal": "Causal"}
NAMED: dict[WhatIf, str] = {
    "unscaled": "Scaling off",
    "one-head": "One head instead of many",
    "dropout": "Dropout on",
    "no-positions": "Positions removed",
    "shuffled": "Words shuffled",
}
MEANING: dict[WhatIf, str] = {
    "unscaled": "The scores of this layer are not divided by √K.",
    "one-head": "This layer's projections are one head as wide as the model.",
    "dropout": "In every layer some of the states, and of the weights where the model was trained so, are set to 0 at "
    "random (always the same ones, by a fixed seed), and the others are scaled up: rows need not sum to 1 any more.",
    "no-positions": "The position embeddings are left out.",
    "shuffled": "The words of each sentence are read in another order, always the same. Rows and columns are put back "
    "into the order of your text.",
}


def scaling(walk: Walk) -> None:
    """How sharp the rows are without and with scaling."""
    sharp, own = softmax(walk.record.products[walk.head]), walk.record.weights[walk.head]
    for column, name, weights in zip(st.columns(2), ("not scaled", "scaled"), (sharp, own), strict=True):
        bits = float(mean_entropy_bits(weights[None])[0])
        column.metric(
            f"{name}: mean of each row's largest weight",
            f"{float(weights.max(axis=-1).mean()):.2f}",
            help="1 is all attention on one key.",
        )
        column.caption(f"Mean entropy of a row: {bits:.2f} bits. 0 is one key, more is more keys.")


def mask(walk: Walk) -> None:
    """Scores and weights with the chosen mask."""
    st.segmented_control(
        "Mask", get_args(Mask), format_func=MASKS.__getitem__, required=True, **session.bound("mask", initial="default")
    )
    kind = walk.selection.anatomy.mask
    seen = cache.masked_attention(walk.backend.name, walk.texts, layer=walk.record.layer, mask=kind)
    labels = (*walk.labels, *["[PAD]"] * seen.padding)
    free = [("scores", seen.free_scores), ("weights", seen.free_weights)]
    held = [("scores, masked: empty is −∞", seen.scores), ("weights, masked", seen.weights)]
    rows = [free] if kind == "none" else list(zip(free, held, strict=True))
    limit = signed_limit(seen.free_scores[walk.head], seen.scores[walk.head])
    drawn = [
        Shown(
            name=name,
            array=array[walk.head],
            rows="query",
            columns="key",
            kind="signed" if "scores" in name else "weight",
        )
        for row in rows
        for name, array in row
    ]
    opened = opened_in(drawn[-1], walk.selection)
    walk = replace(walk, opened=opened)
    places = [column for _ in rows for column in st.columns(2)]
    for place, (column, shown) in enumerate(zip(places, drawn, strict=True)):
        with column:
            picture(shown, labels, limit=limit, alone=False, walk=walk, key=f"mask_{kind}_{place}")
    tell(drawn, walk)
    st.caption(_told(walk, kind))
    pick_cell(opened, labels)
    row, at = opened.cell
    show(masked_weight(seen, head=walk.head, row=row, column=at), labels, key="mask")


def _told(walk: Walk, kind: Mask) -> str:
    seen = cache.masked_attention(walk.backend.name, walk.texts, layer=walk.record.layer, mask=kind)
    hidden = int((~seen.allowed).sum())
    if kind == "none":
        return "Nothing is masked: every token may look at every token, before it and behind it."
    if kind == "padding" and not seen.padding:
        return "Your text is as long as the model reads: there is no room for padding behind it."
    change = float(total_variation(seen.free_weights[walk.head], seen.weights[walk.head]).mean())
    who = (
        f"{seen.padding} tokens of padding were put behind your text, as a longer neighbour in a batch would ask for."
        if kind == "padding"
        else "The mask is put on this layer alone; this model was never trained with one."
    )
    return (
        f"{who} {hidden:,} of {seen.allowed.size:,} scores become −∞ and their weights exactly 0; on the average over "
        f"rows {change:.0%} of the attention moves."
    )


def what_if(walk: Walk) -> None:
    """The switches, and the changed attention beside the model's own."""
    st.pills(
        "What if …",
        WHAT_IFS,
        format_func=NAMED.__getitem__,
        selection_mode="multi",
        **session.bound("what_if", key="walk_switches", to_widget=list, from_widget=_in_order),
    )
    what_ifs = walk.selection.anatomy.what_ifs
    own = walk.record.weights[walk.head]
    changed = cache.what_if(walk.backend.name, walk.texts, layer=walk.record.layer, what_ifs=what_ifs)
    one_head = len(changed.weights) == 1
    weights = changed.weights[0 if one_head else walk.head]
    number = float(total_variation(own, weights).mean())
    st.metric("Attention that went elsewhere, mean over rows", f"{number:.1%}")
    names = (
        f"the model's own, head {walk.head}",
        "changed, the only head" if one_head else f"changed, head {walk.head}",
    )
    drawn = [
        Shown(name=name, array=array, rows="query", columns="key", kind="weight")
        for name, array in zip(names, (own, weights), strict=True)
    ]
    opened = opened_in(drawn[-1], walk.selection)
    walk = replace(walk, opened=opened)
    for place, (column, shown) in enumerate(zip(st.columns(2), drawn, strict=True)):
        with column:
            picture(shown, walk.labels, limit=1, alone=False, walk=walk, key=f"what_if_{place}")
    tell(drawn, walk)
    said = [MEANING[name] for name in what_ifs] or ["Nothing is changed yet: choose one of the switches, or several."]
    if "shuffled" in what_ifs:
        said.append(f"The model reads: {verbatim(' '.join(walk.labels[token] for token in changed.order))}.")
    if {"no-positions", "shuffled"} <= set(what_ifs) and len(what_ifs) == 2:
        said.append("Without positions the order makes no difference: switch the shuffling off, and nothing changes.")
    st.caption(" ".join(said))
    pick_cell(opened, walk.labels)
    row, at = opened.cell
    show(changed_weight(walk.record, changed, head=walk.head, row=row, column=at), walk.labels, key="what-if")


def _in_order(chosen: Sequence[WhatIf]) -> tuple[WhatIf, ...]:
    return tuple(name for name in WHAT_IFS if name in chosen)
