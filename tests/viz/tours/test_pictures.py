"""The pictures that a stop is about."""

from __future__ import annotations

import pytest

from viz.state.fields import with_values
from viz.state.selection import DEFAULT
from viz.tours.grammar import parse_claim, parse_point
from viz.tours.pictures import ALL_OF_LENS, OF_MEASURES, lens_pictures, why_picture
from viz.tours.tour import Stop

PARTING = 'cosine(layer=5, "flies", "fruit") < 0.7'
WEIGHT = 'weight(layer=0, head=4, "flies" → "fruit") > 0.5'
EFFECT = 'effect(layer=0, head=4, "flies") > control("flies")'
PATCHED = 'patched(layer=1, to=A, A:"flies" → B:"flies") > 0.5'
NO_PICTURE = "prediction(negative) > 0.5"
WORD, TEST = 'attribution("boring") > 0.2', "faithfulness() >= 19"


def stop_with(*claims: str, points: tuple[str, ...] = ()) -> Stop:
    return Stop(title="S", claims=tuple(map(parse_claim, claims)), points=tuple(map(parse_point, points)))


@pytest.mark.parametrize(
    ("stop", "wanted"),
    [
        (stop_with(), ()),
        (stop_with(NO_PICTURE), ()),
        (stop_with(points=('token("flies")',)), ()),
        (stop_with(PARTING), ("divergence",)),
        (stop_with(WEIGHT, WEIGHT, PARTING, NO_PICTURE), ("profiles", "divergence")),
        (stop_with(EFFECT), ("heads",)),
        (stop_with(PATCHED, points=("head(layer=0, head=4)",)), ("patching", "heads")),
        (stop_with(WEIGHT, points=('cell("flies" → "fruit")',)), ("profiles",)),
        (stop_with(PARTING, points=('line("flies" → "fruit")',)), ("divergence", "profiles")),
        (stop_with(points=("head(layer=0, head=4)",)), ("heads",)),
    ],
)
def test_a_stop_is_about_what_it_claims_and_then_what_it_points_at(stop: Stop, wanted: tuple[str, ...]) -> None:
    assert lens_pictures(stop, DEFAULT) == wanted


def test_fields_of_a_picture_follow_the_claims() -> None:
    named = with_values(DEFAULT, {"further": "bank", "carried": "shift"})
    stop = stop_with(PARTING, points=("head(layer=0, head=4)",))
    assert lens_pictures(stop, named) == ("divergence", "sense map", "patched tokens", "heads")
    assert lens_pictures(stop_with(), with_values(DEFAULT, {"further": "none"})) == ()


@pytest.mark.parametrize(
    ("claims", "wanted"),
    [((), "words"), ((NO_PICTURE,), "words"), ((WORD, TEST), "words"), ((NO_PICTURE, TEST, WORD), "test")],
)
def test_why_shows_what_is_claimed_first(claims: tuple[str, ...], wanted: str) -> None:
    assert why_picture(stop_with(*claims)) == wanted


def test_every_picture_of_the_lens_can_be_claimed_or_named() -> None:
    assert {*OF_MEASURES.values(), "sense map", "patched tokens"} == set(ALL_OF_LENS)
