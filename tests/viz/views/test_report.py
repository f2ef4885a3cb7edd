"""The report of one page: errors, groups and words with rows of each, as HTML that runs nothing."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import headlight
from encoder import Backend
from tests.encoder.collection.made_results import results
from tests.viz.answers.parts import said
from tests.viz.views.test_collection import collection
from viz.views.texts.answer.report import report


def test_report_has_the_numbers_of_the_view_and_the_worst_rows_of_each() -> None:
    right = np.array([False] * 10 + [True] * 30)
    shares = np.where(right[:, None], [[0.9, 0.1]], [[0.1, 0.9]])
    shares[4] = 0.01, 0.99
    rows = collection(["bad"] * 40, topic=["hotel"] * 10 + ["<b>", "book", ""] * 10)
    text = said(report(rows, results(shares.tolist(), [0] * 40), rows="topic=hotel & errors", link="http://here"))
    assert text.startswith("The model is right in **30 of 40** rows")
    assert "**Errors, topic: hotel**" in text or "**topic: hotel, Errors**" in text
    assert "**bad → good**: 10 of 40 rows with this label (25 %" in text
    assert "**topic: hotel**: right 0 % in 10 rows, elsewhere 100 %; corrected p < 0.001." in text
    assert re.findall(r"- Row (\d+)", text)[:3] == ["5", "1", "2"]
    assert "once the view *Driving words* has found" in text
    assert "http://here" in text


def test_python_writes_the_report_with_driving_words(tuned: Backend, tmp_path: Path) -> None:
    frame = headlight.texts("reviews").collection.table.to_pandas().iloc[:30]
    html = headlight.texts(frame).report(tuned, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "log odds on average in" in html
    assert "<script" not in html
    assert "default-src 'none'; style-src" in html
