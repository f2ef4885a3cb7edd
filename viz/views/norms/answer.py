"""Norms of the tokens' vectors, layer by layer, and cosines between successive layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from encoder.measures.near_ties import first_largest
from encoder.measures.similarity import l2_norms, successive_cosines
from encoder.measures.units import Level, Units, unit_states
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.figures.norms import cosine_heat_map, embedding_norm_bars, norm_heat_map
from viz.payloads.runs import numbers_of
from viz.theme import Theme
from viz.wording.labels import in_markdown, name_of_state, numbered, state_names
from viz.wording.numbers import written


def norms(trace: Trace, units: Units, level: Level) -> Answer:
    """The answer, the parts of the embedding, and cosines between successive layers.

    Args:
        units: the shown words or wordpieces, as `level` says.
    """
    answers = (lengths(trace, units, level), embedding(trace, units), turns(trace, units))
    return Answer(tuple(part for answer in answers for part in answer.parts))


def lengths(trace: Trace, units: Units, level: Level) -> Answer:
    """A map of the norms of all hidden states, below a sentence about the longest and the shortest.

    Arguments as of `norms`.
    """
    found, labels = _lengths(trace, units), units.labels  # (L + 1, U)
    names = numbered(labels, numbers_of(trace, units))
    parts: list[Part] = [Sentence(_in_words(found, labels))]
    title = "L2 norm of each hidden state"
    parts.append(_chart("hidden-states", title, lambda theme: norm_heat_map(found, labels, theme=theme)))
    if level == "words":
        parts.append(Sentence("A word of several wordpieces is shown by the mean of their vectors.", "caption"))
    table = Table(
        name="norms",
        title="Norms and cosines as a table",
        columns=lambda: _columns(names, _embedding(trace, units), found, _cosines(trace, units)),
        on_page="download",
    )
    return Answer((*parts, table))


def embedding(trace: Trace, units: Units) -> Answer:
    """The norms of what is added up to the embedding; empty for a model that does not show its parts."""
    of_parts = _embedding(trace, units)
    if not of_parts:
        return Answer(())
    title = f"L2 norm of the embedding's parts ({', '.join(of_parts)}), before they are added and normalised"
    return Answer((_chart("embedding", title, lambda theme: embedding_norm_bars(of_parts, units.labels, theme=theme)),))


def turns(trace: Trace, units: Units) -> Answer:
    """How far each layer turns each vector."""
    cosines, title = _cosines(trace, units), "Cosine between what goes into a layer and what leaves it"
    return Answer((_chart("cosines", title, lambda theme: cosine_heat_map(cosines, units.labels, theme=theme)),))


def _lengths(trace: Trace, units: Units) -> FloatArray:
    """(L + 1, U)."""
    return l2_norms(unit_states(trace.hidden_states, units))


def _cosines(trace: Trace, units: Units) -> FloatArray:
    """(L, U)."""
    return successive_cosines(unit_states(trace.hidden_states, units))


def _embedding(trace: Trace, units: Units) -> dict[str, FloatArray]:
    """(U,) norms of each part of the embedding."""
    return {name: l2_norms(unit_states(part, units)) for name, part in trace.embedding_parts.items()}


def _in_words(found: FloatArray, labels: Sequence[str]) -> str:
    """The longest and the shortest vector after the last layer, and where all are longest; `found` is (L + 1, U)."""

    def named(index: int) -> str:
        label = in_markdown(labels[index])
        return f"“{label}” ({written(found[-1, index], '.1f')})"

    after = int(first_largest(found.mean(1)))
    return in_words(
        longest=named(int(first_largest(found[-1]))),
        shortest=named(int(first_largest(-found[-1]))),
        place=name_of_state(after),
        mean=written(found.mean(1)[after], ".1f"),
    )


def in_words(*, longest: str, shortest: str, place: str, mean: str) -> str:
    """The sentence above the map, from the parts that depend on the text."""
    return (
        f"After the last layer, {longest} has the longest vector and {shortest} the shortest. On average, vectors are "
        f"longest after {place} ({mean})."
    )


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
