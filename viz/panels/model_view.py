"""Every layer and head of the model as a small picture, large enough to compare."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from encoder import Trace
from encoder.measures.head_profiles import max_pooled, pool_starts
from encoder.measures.unit_attention import shown_attention
from encoder.measures.units import Special, Units
from viz.explanations import Explanation, model_view_explanation
from viz.panels.common import map_of_heads, show_removed_attention, shown_units
from viz.panels.download import csv_button, file_name, numbered
from viz.payloads.model_map import THUMBNAIL
from viz.state.selection import Selection


def model_view(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Layers downward, heads across."""
    units = shown_units(trace, selection)
    if units is None:
        return None
    show_removed_attention(map_of_heads(trace, selection, place=place, large=True), selection)
    csv_button(
        lambda: _table(trace, units, selection.special), name=file_name("model-view", place), key=f"model_csv_{place}"
    )
    return model_view_explanation(units=len(units), pooled=len(units) > THUMBNAIL)


def _table(trace: Trace, units: Units, special: Special) -> pd.DataFrame:
    """The weights of every layer and head, a row for each query, in as many cells as the pictures have."""
    names = _cell_names(units)
    layers = (shown_attention(trace.weights(layer), units, special)[0] for layer in range(trace.num_layers))
    pictures = np.stack([max_pooled(attention, THUMBNAIL) for attention in layers])  # (L, H, S, S)
    layer, head, query = (axis.ravel() for axis in np.indices(pictures.shape[:3]))
    table = pd.DataFrame(pictures.reshape(-1, len(names)), columns=names)
    place = pd.DataFrame({"layer": layer, "head": head, "query (from)": np.array(names)[query]})
    return pd.concat([place, table], axis=1)


def _cell_names(units: Units) -> list[str]:
    """What the cells along a side stand for: units, or where those are too many the first and the last of a run."""
    names = numbered(units.labels)
    if len(names) <= THUMBNAIL:
        return names
    starts = [*pool_starts(len(names), THUMBNAIL).tolist(), len(names)]
    return [f"{first} to {after - 1}" for first, after in pairwise(starts)]
