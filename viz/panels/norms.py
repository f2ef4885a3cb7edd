"""How long the tokens' vectors are, layer by layer, and how much each layer turns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from encoder import Trace
from encoder.measures.norms import l2_norms, successive_cosines
from encoder.measures.units import unit_states
from encoder.runs.arrays import FloatArray
from viz.figures.config import plot_config
from viz.figures.norms import LEGEND_LIMIT, cosine_heat_map, embedding_norm_bars, norm_heat_map, norm_lines
from viz.panels.common import fit_stage, shown_units, theme
from viz.panels.download import csv_button, file_name, numbered
from viz.state.selection import Selection
from viz.wording.explanations import NORMS, Explanation
from viz.wording.labels import state_names


def norms(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Norms of the hidden states, of the parts of the embedding, and cosines between successive layers."""
    units = shown_units(trace, selection)
    if units is None:
        return None
    states = unit_states(trace.hidden_states, units)  # (L + 1, U, D)
    lengths = l2_norms(states)  # (L + 1, U)
    parts = {name: l2_norms(unit_states(part, units)) for name, part in trace.embedding_parts.items()}

    def draw(name: str, heading: str, figure: go.Figure) -> None:
        st.markdown(f"### {heading}")
        fit_stage(figure, headings=2 if len(selection.runs) > 1 else 1)
        figure.layout.width = None  # Streamlit would draw it in this width, and again in the column's
        st.plotly_chart(figure, theme=None, config=plot_config(name), key=f"norms_{name}_{place}")

    draw("hidden-states", "L2 norm of each hidden state", norm_heat_map(lengths, units.labels, theme=theme()))
    draw("lines", "The same, as lines", norm_lines(lengths, units.labels, theme=theme(), special=units.special))
    if len(units) > LEGEND_LIMIT:
        st.caption(f"{len(units)} lines are too many for a legend: hover names them.")
    draw(
        "embedding",
        f"L2 norm of the embedding's parts ({', '.join(parts)}), before they are added and normalised",
        embedding_norm_bars(parts, units.labels, theme=theme()),
    )
    cosines = successive_cosines(states)  # (L, U)
    draw(
        "cosines",
        "Cosine between what goes into a layer and what leaves it",
        cosine_heat_map(cosines, units.labels, theme=theme()),
    )
    if selection.level == "words":
        st.caption("A word of several wordpieces is shown by the mean of their vectors.")
    csv_button(
        lambda: _table(numbered(units.labels), parts, lengths, cosines),
        name=file_name("norms", place),
        key=f"norms_csv_{place}",
    )
    return NORMS


def _table(
    names: Sequence[str], parts: Mapping[str, FloatArray], lengths: FloatArray, cosines: FloatArray
) -> pd.DataFrame:
    """A row for each of U units.

    Args:
        parts: (U,) norms of each part of the embedding.
        lengths: (L + 1, U) norms of the hidden states.
        cosines: (L, U) between what goes into a layer and what leaves it.
    """
    columns = {"token": names} | {f"norm_{name.replace(' ', '_')}_embedding": norm for name, norm in parts.items()}
    columns |= {f"norm_after_{name}": row for name, row in zip(state_names(len(lengths)), lengths, strict=True)}
    return pd.DataFrame(columns | {f"cosine_through_L{layer}": row for layer, row in enumerate(cosines)})
