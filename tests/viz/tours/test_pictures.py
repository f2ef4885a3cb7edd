"""The pictures that a stop is about."""

from __future__ import annotations

import pytest

from viz.state.fields import with_values
from viz.state.selection import DEFAULT
from viz.tours.grammar import parse_claim, parse_point
from viz.tours.pictures import (
    ALL_OF_LENS,
    OF_MEASURES,
    WITHOUT_CLAIMS,
    first_why_picture,
    lens_pictures,
    pointed_pictures,
)
from viz.tours.shipped import NAMES, shipped_tour
from viz.tours.tour import Stop
from viz.tours.visiting import selection_at

PARTING = 'cosine(layer=5, "flies", "fruit") < 0.7'
WEIGHT = 'weight(layer=0, head=4, "flies" → "fruit") > 0.5'
EFFECT = 'effect(layer=0, head=4, "flies") > control("flies")'
PATCHED = 'patched(layer=1, to=A, A:"flies" → B:"flies") > 0.5'
NO_PICTURE = "prediction(negative) > 0.5"
WORD, TEST = 'attribution("boring") > 0.2', "faithfulness() >= 19"


def stop_with(*claims: str, points: tuple[str, ...] = ()) -> Stop:
    return Stop(title="S", claims=tuple(map(parse_claim, claims)), points=tuple(map(parse_point, points)))


def test_a_stop_points_only_at_pictures_that_it_is_about() -> None:
    assert pointed_pictures(stop_with(), DEFAULT) == ()
    stop = stop_with(PATCHED, points=("head(layer=0, head=4)",))
    assert pointed_pictures(stop, DEFAULT) == lens_pictures(stop, DEFAULT)


@pytest.mark.parametrize(
    ("stop", "wanted"),
    [
        (stop_with(), WITHOUT_CLAIMS),
        (stop_with(NO_PICTURE), WITHOUT_CLAIMS),
        (stop_with(points=('token("flies")',)), WITHOUT_CLAIMS),
        (stop_with(PARTING), ("divergence",)),
        (stop_with(WEIGHT, WEIGHT, PARTING, NO_PICTURE), ("profiles", "divergence")),
        (stop_with(EFFECT), ("heads",)),
        (stop_with(PATCHED, points=("head(layer=0, head=4)",)), ("patching", "heads")),
        (stop_with(WEIGHT, points=('cell("flies" → "fruit")',)), ("profiles",)),
        (stop_with(PARTING, points=('line("flies" → "fruit")',)), ("divergence", "profiles")),
        (stop_with(points=("head(layer=0, head=4)",)), (*WITHOUT_CLAIMS, "heads")),
    ],
)
def test_the_lens_shows_what_is_claimed_and_then_what_is_pointed_at(stop: Stop, wanted: tuple[str, ...]) -> None:
    assert lens_pictures(stop, DEFAULT) == wanted


def test_sentences_that_the_stop_names_are_mapped_as_well() -> None:
    assert lens_pictures(stop_with(PARTING), with_values(DEFAULT, {"further": "bank"})) == ("divergence", "sense map")
    assert lens_pictures(stop_with(), with_values(DEFAULT, {"further": "bank"})) == ("sense map",)
    assert lens_pictures(stop_with(), with_values(DEFAULT, {"further": "none"})) == WITHOUT_CLAIMS


@pytest.mark.parametrize(
    ("claims", "wanted"),
    [((), "words"), ((NO_PICTURE,), "words"), ((WORD, TEST), "words"), ((NO_PICTURE, TEST, WORD), "test")],
)
def test_why_begins_with_what_is_claimed_first(claims: tuple[str, ...], wanted: str) -> None:
    assert first_why_picture(stop_with(*claims)) == wanted


def test_every_picture_of_the_lens_can_be_claimed_or_named() -> None:
    assert {*OF_MEASURES.values(), "sense map"} == set(ALL_OF_LENS)


def test_no_stop_of_a_tour_that_ships_needs_the_whole_lens() -> None:
    shown = [
        lens_pictures(stop, selection_at(stop, DEFAULT))
        for name in NAMES
        for stop in shipped_tour(name).stops
        if stop.state.get("view") == "word lens"
    ]
    assert shown
    assert all(len(pictures) <= 2 for pictures in shown)
