"""Results that are tables: a short line, a small table in a notebook, and a frame of the same columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

import encoder
import headlight
from encoder.catalogue import load_writer
from encoder.columns import Columns
from encoder.comparison.compare import compare

TEXT = "a lovely <film>"
NUMBERED = pd.DataFrame({"text": ["a lovely <film>", "a dull one", "a table"], "label": [2, 0, 1]})
RESULTS: dict[str, Callable[[encoder.Backend, encoder.Backend], Any]] = {
    "WordValues": lambda tuned, _: headlight.explain(tuned, TEXT),
    "HeadRanking": lambda tuned, _: headlight.rank_heads(tuned, TEXT),
    "Tokens": lambda tuned, _: tuned.tokenize(TEXT, "B"),
    "Prediction": lambda tuned, _: tuned.trace(TEXT).prediction,
    "Predictions": lambda tuned, _: tuned.predict([TEXT] * 3),
    "TokenPrediction": lambda _, plain: plain.trace("time [MASK] like an arrow").token_prediction,
    "Comparison": lambda _, plain: compare(plain.trace(TEXT), plain.trace("a dull <film>")),
    "DrivingWords": lambda tuned, _: headlight.driving_words(tuned, headlight.texts("reviews").collection, [0, 1]),
    "TableErrors": lambda tuned, _: headlight.texts(NUMBERED).errors(tuned),
    "WordMap": lambda _, plain: headlight.texts("words").one_word(plain, "bank"),
    "Generation": lambda *_: load_writer().generate("date", "the 3rd of march 1987"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_has_a_short_line_a_table_and_a_frame(
    name: str, tuned: encoder.Backend, bundled: encoder.Backend
) -> None:
    found = RESULTS[name](tuned, bundled)
    assert isinstance(found, Columns)
    frame = found.frame()
    assert [*frame.columns] == [*found.columns]
    assert len(frame) > 0
    line, table = repr(found), found._repr_html_()
    assert line.startswith((f"<{name} ", f"<{name}:"))
    assert f"{len(frame)} rows of {', '.join([*frame.columns][:6])}" in line
    assert ("\n" in line, len(line) < 260, len(table) < 4_000) == (False, True, True)
    assert table.count("<tr>") == 1 + min(len(frame), 20)
    assert "<film>" not in table


def test_a_frame_of_a_split_has_the_rest_of_its_sum(tuned: encoder.Backend) -> None:
    frame = headlight.explain(tuned, TEXT, "decompx").frame()
    rest = frame.attrs
    assert isinstance(frame, pd.DataFrame)
    assert frame["contribution"].sum() + rest["baseline"] + rest["framing"] == pytest.approx(rest["total"], abs=1e-4)


def test_a_method_that_does_not_add_up_says_by_how_much(tuned: encoder.Backend) -> None:
    found = headlight.explain(tuned, TEXT, "decompx")
    assert "miss" not in repr(found)
    missed = 0.2 * abs(found.total)
    assert f"which the parts miss by {missed:.2g}" in repr(replace(found, total=found.total + missed))
