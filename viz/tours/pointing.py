"""Finds the points of a stop among the tokens of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from encoder.errors import SelectionError
from encoder.runs.generation import Generation
from encoder.text.tokens import Tokens
from viz.state.selection import Kinds
from viz.tours.places import find_word
from viz.tours.tour import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The tokens in which the words of a point are searched, by run.

    Attributes:
        queries, keys: tokens of the rows and of the columns.
        query_start, key_start: the positions that their first tokens have in the picture.
    """

    queries: Mapping[str, Tokens]
    keys: Mapping[str, Tokens]
    query_start: int = 0
    key_start: int = 0


def texts_of_writer(generation: Generation, kinds: Kinds) -> Texts:
    """The texts of an encoder-decoder in one of its attentions; where all three are shown, in the one between them."""
    kind = "cross" if kinds == "all" else kinds
    start = len(generation.source.tokens)
    return Texts(
        queries={"decoder": generation.query_tokens(kind)},
        keys={"decoder": generation.key_tokens(kind)},
        query_start=0 if kind == "encoder" else start,
        key_start=start if kind == "decoder" else 0,
    )


def placed_points(points: Sequence[Point], texts: Texts) -> list[dict[str, Any]]:
    """Points for the views in the browser. Words that the text does not have are omitted.

    Returns:
        {"kind": "head", "layer", "head"}; {"kind": "token", "run", "token": positions}; or, of a cell or a line,
        {"kind": "cell", "run", "query": positions, "key": positions}.
    """
    return [placed for point in points if (placed := _placed(point, texts))]


def _placed(point: Point, texts: Texts) -> dict[str, Any] | None:
    if point.kind == "head":
        return {"kind": "head", "layer": point.layer, "head": point.head}
    try:
        query = find_word(point.words[0], texts.queries)
        key = find_word(point.words[-1], texts.queries if point.kind == "token" else texts.keys)
    except SelectionError:  # not the text of the tour
        return None
    if query.run != key.run:  # sentences that are encoded separately do not attend to each other
        return None
    looking = [texts.query_start + position for position in query.positions]
    if point.kind == "token":
        return {"kind": "token", "run": query.run, "token": looking}
    looked_at = [texts.key_start + position for position in key.positions]
    return {"kind": "cell", "run": query.run, "query": looking, "key": looked_at}
