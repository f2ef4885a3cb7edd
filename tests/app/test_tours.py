"""Tours in the app: given, made, kept and opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import alerts, choose, chosen, click, components, open_page, run, selected, sentences_of, texts_of
from tests.app.app_script import captions, model_shown, pick_model
from viz.state.selection import OWN_TOUR
from viz.tours.files import parse_tour, write_tour
from viz.tours.shipped import NAMES, shipped_tour, title_of

FLIES = shipped_tour("time-flies")


def pick(at: AppTest, option: str) -> AppTest:
    """Choose an entry of the menu of tours."""
    at.menu_button(key="tours").set_value(option)
    return run(at)


def test_a_tour_is_chosen_and_walked() -> None:
    at = pick(open_page(), "time-flies")
    print(at.query_params, sentences_of(at)[:1500])
    at = click(at, "tour_next")
    print(at.query_params, sentences_of(at)[:1500])
