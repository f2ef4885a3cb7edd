"""Answers on the page: columns of a row, their headings, the keys of charts, and what a click chooses."""

from __future__ import annotations

from typing import Any
from unittest import mock

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from viz.answers.answer import Chart, Table
from viz.state import session
from viz.widgets import answer
from viz.widgets.answer import choose_point, choose_row


def _page() -> None:
    import numpy as np
    import plotly.graph_objects as go

    from viz.answers.answer import Answer, Chart, Row, Sentence, ShadedWords
    from viz.widgets.answer import show_answer

    def chart(letter: str) -> Chart:
        return Chart(name=f"bars-{letter}", title=f"In {letter}", alt="Bars.", figure=lambda theme: go.Figure())

    words = ShadedWords(
        title="looks at", words=("time", "flies"), weights=np.array([0.2, 0.8], np.float32), marked=1, sentence="A"
    )
    row = Row(((words, chart("A")), (chart("B"), Sentence("Below B"))))
    show_answer(Answer((Sentence("Above", "heading"), row)), view="lens")


def test_a_row_stands_in_columns_under_smaller_titles() -> None:
    with (
        mock.patch.object(answer, "fit_stage"),
        mock.patch.object(answer, "is_at_stop", return_value=False),
        mock.patch.object(session, "current"),
    ):  # what the page shows
        at = AppTest.from_function(_page).run()
    assert not at.exception
    assert [each.value for each in at.markdown] == ["### Above", "#### In A", "#### In B", "Below B"]
    assert len(at.columns) == 2
    assert [each.value for each in at.columns[1].markdown] == ["#### In B", "Below B"]
    keys = [chart.proto.id.rpartition("-lens_")[2] for chart in at.get("plotly_chart")]
    assert keys == ["bars-A", "bars-B"]
    assert "flies</bdi>" in at.get("html")[0].proto.body


@pytest.mark.parametrize(("points", "chosen"), [([0], []), ([1], [(2, 3)]), ([2], []), ([], [])])
def test_a_click_on_a_point_chooses_its_head(
    points: list[int], chosen: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = Chart(name="bars", alt="Bars.", figure=lambda theme: go.Figure(), heads=(None, (2, 3)))
    changes: list[tuple[int, int]] = []
    monkeypatch.setattr(session, "change", lambda *, layer, head: changes.append((layer, head)))
    state: dict[str, Any] = {"selection": {"points": [{"point_index": index} for index in points]}}
    choose_point(chart, state)
    choose_point(chart, None)
    assert changes == chosen


def test_a_click_on_a_point_makes_its_change(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = Chart(
        name="bars", alt="Bars.", figure=lambda theme: go.Figure(), changes=[{"rows": "a>b"}, {"rows": "b>a"}]
    )
    changes: list[dict[str, Any]] = []
    monkeypatch.setattr(session, "change", lambda **change: changes.append(change))
    choose_point(chart, {"selection": {"points": [{"point_index": 1}]}})
    choose_point(chart, {"selection": {"points": []}})
    assert changes == [{"rows": "b>a"}]


def test_a_click_on_a_row_makes_its_change(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(name="errors", title="", columns=dict, on_page="open", changes=[{"rows": "a>b"}, {"rows": "b>a"}])
    changes: list[dict[str, Any]] = []
    monkeypatch.setattr(session, "change", lambda **change: changes.append(change))
    choose_row(table, {"selection": {"rows": [1]}})
    choose_row(table, {"selection": {"rows": []}})
    assert changes == [{"rows": "b>a"}]
