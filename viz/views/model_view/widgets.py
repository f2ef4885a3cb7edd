"""Every layer and head of the model as a small picture, large enough to compare."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from encoder import Trace
from encoder.errors import HeadlightError
from encoder.measures.head_profiles import max_pooled, pool_starts
from encoder.measures.unit_attention import MEAN, attention_in_layer
from encoder.measures.units import Units
from viz.caches import run_cache
from viz.caches.atlases import atlas_of
from viz.payloads.head_cards import labels
from viz.payloads.model_map import THUMBNAIL
from viz.payloads.runs import numbers_of
from viz.state.selection import Selection
from viz.widgets.canvas import map_of_heads
from viz.widgets.captions import show_removed_attention
from viz.widgets.tables import csv_button, file_name, label_of_csv
from viz.widgets.units import drawn_units
from viz.wording.explanations import Explanation, attribution_explanation, model_view_explanation
from viz.wording.labels import numbered


def model_view(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Layers downward, heads across."""
    units = drawn_units(trace, selection)
    if units is None:
        return None
    named = _labels(trace.model_name)
    show_removed_attention(map_of_heads(trace, selection, place=place, large=True, labels=named), selection)
    if not selection.draws_weights:
        return attribution_explanation("model view", from_input=selection.drawn.is_from_input)
    return model_view_explanation(units=len(units), pooled=len(units) > THUMBNAIL)


def model_csv(trace: Trace, selection: Selection, *, place: str) -> None:
    """A button that saves the numbers of every head."""
    again = run_cache.same_run(trace, first=selection.first)
    units = run_cache.units(trace, level=selection.level, special=selection.special)
    csv_button(
        lambda: _table(again(), units, selection),
        name=file_name("model-view" if selection.draws_weights else _file_of(selection), place),
        key=f"model_csv_{place}",
        label=label_of_csv(place),
    )


def _labels(model_name: str) -> dict[str, Any] | None:
    """What each head does over a corpus; None where that is not known. The head's card reports a damaged atlas."""
    try:
        atlas = atlas_of(model_name)
    except HeadlightError:
        return None
    return labels(atlas) if atlas else None


def _file_of(selection: Selection) -> str:
    reach = "-from-input" if selection.drawn.is_from_input else ""
    return f"model-view-{selection.drawn.method}{reach}"


def _table(trace: Trace, units: Units, selection: Selection) -> pd.DataFrame:
    """The numbers of every layer and head, a row for each query, in as many cells as the pictures have.

    The head of a whole layer is -1; biases have no column.
    """
    names = _cell_names(trace, units)
    if selection.draws_weights:
        layers = [attention_in_layer(trace, layer, units, selection.special)[0] for layer in range(trace.num_layers)]
    else:
        from viz.caches import attribution_cache  # imports torch

        shown = attribution_cache.shown(
            trace, quantity=selection.drawn, level=selection.level, special=selection.special
        )
        layers = list(shown.planes)
    pictures = np.stack([max_pooled(attention, THUMBNAIL) for attention in layers])  # (L, P, S, S)
    layer, head, query = (axis.ravel() for axis in np.indices(pictures.shape[:3]))
    if not selection.draws_weights:
        head = np.where(head == pictures.shape[1] - 1, MEAN, head)
    table = pd.DataFrame(pictures.reshape(-1, len(names)), columns=names)
    place = pd.DataFrame({"layer": layer, "head": head, "query (from)": np.array(names)[query]})
    return pd.concat([place, table], axis=1)


def _cell_names(trace: Trace, units: Units) -> list[str]:
    """What the cells along a side stand for: units, or where those are too many the first and the last of a run."""
    numbers = numbers_of(trace, units) or range(len(units))
    if len(units) <= THUMBNAIL:
        return numbered(units.labels, numbers)
    starts = [*pool_starts(len(units), THUMBNAIL).tolist(), len(units)]
    return [f"{numbers[first]} to {numbers[after - 1]}" for first, after in pairwise(starts)]
