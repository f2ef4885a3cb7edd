"""An answer on the page: what a click in a chart chooses."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import pytest

from viz.answers.answer import Chart
from viz.panels.answer import choose_head
from viz.state import session


@pytest.mark.parametrize(("points", "chosen"), [([0], []), ([1], [(2, 3)]), ([2], []), ([], [])])
def test_a_click_on_a_point_chooses_its_head(
    points: list[int], chosen: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = Chart(name="bars", alt="Bars.", figure=lambda theme: go.Figure(), heads=(None, (2, 3)))
    changes: list[tuple[int, int]] = []
    monkeypatch.setattr(session, "change", lambda *, layer, head: changes.append((layer, head)))
    state: dict[str, Any] = {"selection": {"points": [{"point_index": index} for index in points]}}
    choose_head(chart, state)
    choose_head(chart, None)
    assert changes == chosen
