"""The pictures of a view that a stop is about: slides and presentation mode show only these."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from viz.state.selection import AUTOMATIC, NO_SENTENCES, Selection
from viz.tours.tour import PointKind, Stop

LensPicture = Literal["divergence", "profiles", "parts of speech", "heads", "patching", "sense map"]
WhyPicture = Literal["words", "test"]

ALL_OF_LENS: tuple[LensPicture, ...] = get_args(LensPicture)
WITHOUT_CLAIMS: tuple[LensPicture, ...] = ("divergence", "profiles", "sense map")
OF_MEASURES: Mapping[str, LensPicture] = MappingProxyType(
    {
        "cosine": "divergence",
        "weight": "profiles",
        "probe": "parts of speech",
        "effect": "heads",
        "log_odds": "heads",
        "control": "heads",
        "patched": "patching",
    }
)
OF_POINTS: Mapping[PointKind, LensPicture] = MappingProxyType({"cell": "profiles", "line": "profiles", "head": "heads"})
WHY_OF_MEASURES: Mapping[str, WhyPicture] = MappingProxyType({"attribution": "words", "faithfulness": "test"})


def lens_pictures(stop: Stop, selection: Selection) -> tuple[LensPicture, ...]:
    """The pictures of the word lens for the stop's claims, in their order, and then for its points.

    The map of senses follows the claims if the stop names its sentences. `WITHOUT_CLAIMS` is the default.

    Args:
        selection: of the page at the stop.
    """
    return tuple(dict.fromkeys([*(_claimed(stop, selection) or WITHOUT_CLAIMS), *_pointed(stop)]))


def pointed_pictures(stop: Stop, selection: Selection) -> tuple[LensPicture, ...]:
    """Those that the stop's claims, sentences and points are about; none for a stop without."""
    return tuple(dict.fromkeys([*_claimed(stop, selection), *_pointed(stop)]))


def _claimed(stop: Stop, selection: Selection) -> list[LensPicture]:
    names = [claim.measure.name for claim in stop.claims]
    found = [OF_MEASURES[name] for name in names if name in OF_MEASURES]
    if selection.word_lens.sentences not in (AUTOMATIC, NO_SENTENCES):
        found.append("sense map")
    return found


def _pointed(stop: Stop) -> list[LensPicture]:
    return [OF_POINTS[point.kind] for point in stop.points if point.kind in OF_POINTS]


def first_why_picture(stop: Stop) -> WhyPicture:
    """The picture at the top of “Why this prediction?”: that of the first claim about one of them."""
    names = [claim.measure.name for claim in stop.claims]
    return next((WHY_OF_MEASURES[name] for name in names if name in WHY_OF_MEASURES), "words")
