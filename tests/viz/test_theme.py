"""The themes agree with the page, and their colours do what the module says of them."""

import itertools
import tomllib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from viz.theme import THEMES, Theme, contrast

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"
PAGE_STYLE = Path(__file__).parents[2] / "viz" / "page" / "page.css"
ANATOMY_STYLE = Path(__file__).parents[2] / "viz" / "views" / "anatomy" / "anatomy.css"
TOKENS_STYLE = Path(__file__).parents[2] / "viz" / "html" / "token_rows.css"
EACH_THEME = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
COLOUR_BLINDNESS = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def linear_rgb(colour: str) -> NDArray[np.float64]:
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def cielab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    xyz = np.array(to_xyz) @ rgb / (0.95047, 1.0, 1.08883)
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def oklab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    to_lms = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.array(to_lab) @ np.cbrt(np.array(to_lms) @ rgb)


def stops(scale: tuple[tuple[float, str], ...]) -> list[NDArray[np.float64]]:
    return [oklab(linear_rgb(colour)) for _, colour in scale]


@EACH_THEME
def test_page_colours_are_those_of_the_streamlit_config(theme: Theme) -> None:
    page = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][theme.name]
    ours = {
        "primaryColor": theme.primary,
        "backgroundColor": theme.background,
        "secondaryBackgroundColor": theme.secondary_background,
        "textColor": theme.text,
        "borderColor": theme.border,
    }
    assert {key: page[key] for key in ours} == ours


def test_the_backgrounds_of_the_pages_style_sheet_are_those_of_the_themes() -> None:
    light, dark = (THEMES[name].background.lower() for name in ("light", "dark"))
    assert f"light-dark({light}, {dark})" in PAGE_STYLE.read_text(encoding="utf-8")


def test_the_marks_of_the_anatomy_have_the_primary_colours_of_the_themes() -> None:
    light, dark = (THEMES[name].primary.lower() for name in ("light", "dark"))
    assert f"--marked: light-dark({light}, {dark})" in ANATOMY_STYLE.read_text(encoding="utf-8")
    assert f"light-dark({light}, {dark})" in TOKENS_STYLE.read_text(encoding="utf-8")


@EACH_THEME
def test_text_is_readable_on_both_backgrounds(theme: Theme) -> None:
    for background in (theme.background, theme.secondary_background):
        assert contrast(theme.text, background) >= 7
        assert contrast(theme.muted, background) >= 4.5


def test_contrast_is_that_of_the_wcag() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)


@EACH_THEME
def test_sequential_scale_has_even_steps_of_lightness_from_background(theme: Theme) -> None:
    assert theme.sequential[0] == (0.0, theme.background)
    assert theme.sequential[-1][0] == 1.0
    steps = np.diff([stop[0] for stop in stops(theme.sequential)]) * (-1 if theme.name == "light" else 1)
    assert steps.min() > 0
    assert steps.max() / steps.min() < 1.15  # 8-bit channels alone cost a few per cent
    lightness = np.diff([cielab(linear_rgb(colour))[0] for _, colour in theme.sequential])
    assert np.abs(lightness).max() / np.abs(lightness).min() < 1.25


@EACH_THEME
def test_sequential_scale_keeps_one_hue(theme: Theme) -> None:
    strong = [stop for stop in stops(theme.sequential) if np.hypot(stop[1], stop[2]) > 0.03]
    hues = np.degrees([np.arctan2(stop[2], stop[1]) for stop in strong])
    assert len(strong) >= 12
    assert np.ptp(hues) < 12


@EACH_THEME
def test_diverging_scale_has_the_background_between_equally_light_ends(theme: Theme) -> None:
    middle = len(theme.diverging) // 2
    assert theme.diverging[middle] == (0.5, theme.background)
    lightness = np.array([stop[0] for stop in stops(theme.diverging)])
    assert np.abs(lightness - lightness[::-1]).max() < 0.015
    assert len(set(np.sign(np.diff(lightness[: middle + 1])))) == 1


@EACH_THEME
@pytest.mark.parametrize("kind", COLOUR_BLINDNESS)
def test_the_arms_of_the_diverging_scale_stay_apart_for_the_colour_blind(theme: Theme, kind: str) -> None:
    seen = np.array(COLOUR_BLINDNESS[kind])
    colours = [cielab(np.clip(seen @ linear_rgb(colour), 0, 1)) for _, colour in theme.diverging]
    for negative, positive in zip(colours[:4], colours[:-5:-1], strict=True):
        assert np.linalg.norm(negative - positive) > 20


@EACH_THEME
def test_head_colours_stand_out_from_both_backgrounds(theme: Theme) -> None:
    assert len(set(theme.head_colours)) == len(theme.head_colours) >= 16
    for colour, background in itertools.product(theme.head_colours, (theme.background, theme.secondary_background)):
        assert contrast(colour, background) >= 3, (colour, background)


@EACH_THEME
@pytest.mark.parametrize("seen", [np.eye(3), *COLOUR_BLINDNESS.values()], ids=["all", *COLOUR_BLINDNESS])
def test_classes_that_are_shown_together_can_be_told_apart(theme: Theme, seen: list[list[float]]) -> None:
    colours = [cielab(np.clip(seen @ linear_rgb(colour), 0, 1)) for colour in (*theme.class_colours, theme.muted)]
    for one, other in itertools.combinations(colours, 2):
        assert np.linalg.norm(one - other) > 18


@EACH_THEME
def test_head_colours_can_be_told_apart(theme: Theme) -> None:
    labs = [cielab(linear_rgb(colour)) for colour in theme.head_colours]
    for (i, one), (j, other) in itertools.combinations(enumerate(labs), 2):
        assert np.linalg.norm(one - other) >= 20, (theme.head_colours[i], theme.head_colours[j])


@EACH_THEME
def test_every_stop_of_the_scale_has_a_readable_ink(theme: Theme) -> None:
    for _, colour in theme.sequential:
        assert max(contrast(theme.text, colour), contrast(theme.background, colour)) >= 4


def test_an_unforeseen_error_shows_visitors_no_traceback() -> None:
    assert tomllib.loads(CONFIG.read_text(encoding="utf-8"))["client"]["showErrorDetails"] == "none"
