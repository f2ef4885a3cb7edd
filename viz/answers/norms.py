"""Norms of the tokens' vectors, layer by layer, and cosines between successive layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from encoder.measures.similarity import l2_norms, successive_cosines
from encoder.measures.units import Level, Units, unit_states
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.figures.norms import LEGEND_LIMIT, cosine_heat_map, embedding_norm_bars, norm_heat_map, norm_lines
from viz.theme import Theme
from viz.wording.labels import numbered, state_names


def norms(trace: Trace, units: Units, level: Level) -> Answer:
    """Norms of the hidden states, of the parts of the embedding, and cosines between successive layers.

    Args:
        units: the shown words or wordpieces, as `level` says.
    """
    states, labels = unit_states(trace.hidden_states, units), units.labels  # (L + 1, U, D)
    lengths, cosines = l2_norms(states), successive_cosines(states)  # (L + 1, U), (L, U)
    embedding = {name: l2_norms(unit_states(part, units)) for name, part in trace.embedding_parts.items()}  # (U,) each
    parts: list[Part] = [
        _chart(
            "hidden-states",
            "L2 norm of each hidden state",
            lambda theme: norm_heat_map(lengths, labels, theme=theme),
        ),
        _chart(
            "lines",
            "The same, as lines",
            lambda theme: norm_lines(lengths, labels, theme=theme, special=units.special),
        ),
    ]
    if len(units) > LEGEND_LIMIT:
        parts.append(Sentence(f"{len(units)} lines are too many for a legend: hover names them.", "caption"))
    if embedding:
        parts.append(
            _chart(
                "embedding",
                f"L2 norm of the embedding's parts ({', '.join(embedding)}), before they are added and normalised",
                lambda theme: embedding_norm_bars(embedding, labels, theme=theme),
            )
        )
    parts.append(
        _chart(
            "cosines",
            "Cosine between what goes into a layer and what leaves it",
            lambda theme: cosine_heat_map(cosines, labels, theme=theme),
        )
    )
    if level == "words":
        parts.append(Sentence("A word of several wordpieces is shown by the mean of their vectors.", "caption"))
    table = Table(
        name="norms",
        title="Norms and cosines as a table",
        columns=lambda: _columns(numbered(labels), embedding, lengths, cosines),
        on_page="download",
    )
    return Answer((*parts, table))


def _chart(name: str, title: str, figure: Callable[[Theme], go.Figure]) -> Chart:
    return Chart(name=name, title=title, alt=title, figure=figure)


def _columns(
    names: Sequence[str], embedding: Mapping[str, FloatArray], lengths: FloatArray, cosines: FloatArray
) -> Columns:
    """A row for each of U units; (U,) norms of each part of the embedding, (L + 1, U) lengths, (L, U) cosines."""
    columns: dict[str, Sequence[object] | NDArray[np.generic]] = {"token": names}
    columns |= {f"norm_{name.replace(' ', '_')}_embedding": norm for name, norm in embedding.items()}
    columns |= {f"norm_after_{name}": row for name, row in zip(state_names(len(lengths)), lengths, strict=True)}
    return columns | {f"cosine_through_L{layer}": row for layer, row in enumerate(cosines)}
