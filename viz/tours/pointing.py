"""What a stop points at, among the tokens that a model reads."""

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
    """Where the words of a point are looked for, by the runs of the page.

    Attributes:
        queries, keys: the tokens that look, and those that are looked at.
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
    """Points as the views in the browser take them. What the text does not have is left out.

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
    except SelectionError:  # the text is another one than the tour was written for
        return None
    if query.run != key.run:  # two sentences that are encoded apart do not see each other
        return None
    looking = [texts.query_start + position for position in query.positions]
    if point.kind == "token":
        return {"kind": "token", "run": query.run, "token": looking}
    looked_at = [texts.key_start + position for position in key.positions]
    return {"kind": "cell", "run": query.run, "query": looking, "key": looked_at}
