"""The run and the cell that all steps of the anatomy follow, unless the user chose others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from encoder.measures.unit_attention import strongest_cell
from encoder.runs.trace import Trace
from viz.answers.strongest_link import strongest_links
from viz.state.selection import Selection, texts_in
from viz.views.anatomy.answer.tensors import FollowedCell

DIMENSION = 1  # of an address that names none


def followed_place(traces: Mapping[str, Trace], selection: Selection) -> str:
    """The place of the run that the anatomy shows, "pair", "A" or "B": that of a pinned token, else the first."""
    pins = selection.place.pins
    is_pinned = pins.query is not None or pins.key is not None
    return next((place for place in traces if is_pinned and pins.run in texts_in(place)), next(iter(traces)))


def followed_cell(traces: Mapping[str, Trace], place: str, selection: Selection, *, head: int) -> FollowedCell:
    """The chosen cell; else the pinned one; else the strongest link of the word that both sentences have.

    Args:
        place: of the run that is shown.
        head: the one that the steps follow.
    """
    anatomy, pins, trace = selection.anatomy, selection.place.pins, traces[place]
    row, key = anatomy.row, anatomy.column
    if row is None and key is None and pins.run in texts_in(place):
        row, key = pins.query, pins.key
    if row is None and key is None:
        of_head = replace(selection, place=replace(selection.place, head=head))
        row, key = next(
            ((link.query, link.key) for link in strongest_links(traces, of_head) if link.run == place), (None, None)
        )
    dimension = next((each for each in (anatomy.dimension, anatomy.column) if each is not None), DIMENSION)
    if row is None or key is None:
        query, strongest = _strongest(trace, selection.layer, head, row, key)
        row, key = query if row is None else row, strongest if key is None else key
    return FollowedCell(row=row, key=key, dimension=dimension)


def _strongest(trace: Trace, layer: int, head: int, row: int | None, key: int | None) -> tuple[int, int]:
    """The largest weight between two words, in a given row or column."""
    tokens = trace.tokens
    last = len(tokens) - 1
    words = [position for position, special in enumerate(tokens.special) if not special] or list(range(last + 1))
    queries, keys = (words if place is None else [min(place, last)] for place in (row, key))
    return strongest_cell(trace.weights(layer)[head], queries, keys)
