"""The pictures of a view that a stop is about: presentation mode and slides show the first of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from viz.state.selection import AUTOMATIC, DEFAULT, NO_SENTENCES, Selection
from viz.tours.tour import PointKind, Stop

LensPicture = Literal["divergence", "profiles", "parts of speech", "heads", "patching", "patched tokens", "sense map"]
WhyPicture = Literal["words", "test"]

ALL_OF_LENS: tuple[LensPicture, ...] = get_args(LensPicture)
OF_MEASURES: Mapping[str, LensPicture] = {
    "cosine": "divergence",
    "weight": "profiles",
    "probe": "parts of speech",
    "effect": "heads",
    "log_odds": "heads",
    "control": "heads",
    "patched": "patching",
}
OF_POINTS: Mapping[PointKind, LensPicture] = {"cell": "profiles", "line": "profiles", "head": "heads"}
WHY_OF_MEASURES: Mapping[str, WhyPicture] = {"attribution": "words", "faithfulness": "test"}


def lens_pictures(stop: Stop, selection: Selection) -> tuple[LensPicture, ...]:
    """The pictures of the word lens for the stop's claims, its fields and its points, in this order; none without.

    Args:
        selection: of the page at the stop.
    """
    claimed = [OF_MEASURES[claim.measure.name] for claim in stop.claims if claim.measure.name in OF_MEASURES]
    pointed = [OF_POINTS[point.kind] for point in stop.points if point.kind in OF_POINTS]
    return tuple(dict.fromkeys([*claimed, *_named(selection), *pointed]))


def _named(selection: Selection) -> list[LensPicture]:
    """Those whose own fields are set."""
    named: list[LensPicture] = []
    if selection.word_lens.sentences not in (AUTOMATIC, NO_SENTENCES):
        named.append("sense map")
    if selection.word_lens.carried != DEFAULT.word_lens.carried:
        named.append("patched tokens")
    return named


def why_picture(stop: Stop) -> WhyPicture:
    """The picture of “Why this prediction?” for the stop's first claim about one of them."""
    names = [claim.measure.name for claim in stop.claims]
    return next((WHY_OF_MEASURES[name] for name in names if name in WHY_OF_MEASURES), "words")
