"""Colours that views derive from Python's themes."""

from __future__ import annotations

import pytest

from tests.browser.pages.component_page import ComponentPage
from tests.browser.pages.offline import Offline
from viz.theme import THEMES, Theme


@pytest.fixture
def component(offline: Offline) -> ComponentPage:
    return ComponentPage(offline, "cell_map")


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_numbers_have_the_ink_that_reads_best(component: ComponentPage, theme: Theme) -> None:
    ink = {"sequential": theme.sequential, "muted": theme.muted, "text": theme.text, "background": theme.background}
    faint, low, middle, full = (
        component.call("cell_map/draw.mjs", "inkOf", weight, ink) for weight in (0.001, 0.1, 0.5, 1)
    )
    assert faint == theme.muted
    assert low == theme.text
    assert middle in (theme.text, theme.background)
    assert full == theme.background


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_shades_run_from_end_to_end_of_the_diverging_scale(component: ComponentPage, theme: Theme) -> None:
    shades = component.call("neuron_view/draw.mjs", "shadesOf", [list(stop) for stop in theme.diverging])
    ends = [shades[0], shades[127], shades[254]]
    assert ends == [theme.diverging[stop][1].lower() for stop in (0, 8, 16)]
