"""How much of a table is read, by label, and the errors of rows that are read whole and in part."""

import math

import pyarrow as pa
import pytest

from encoder import Backend
from encoder.collection.kinds.base import Results
from encoder.collection.results import results_of_all
from encoder.collection.row_readings import ReadRows, read_texts
from encoder.collection.table import Collection
from encoder.measures.inference import wilson_interval
from viz.answers.answer import Sentence, Table
from viz.views.texts.answer.reading import reading

ROWS = [
    ("a wonderful film", "positive"),
    ("a dull film", "negative"),
    ("a wonderful film 😂", "negative"),
    ("wonderful fil\u00adm", "negative"),
    ("dull " * 600, "negative"),
    ("a good ﬁlm", ""),
]


def read(model: Backend, rows: list[tuple[str, str]]) -> tuple[Results, tuple[ReadRows, ...]]:
    table = pa.table({"text": [text for text, _ in rows], "label": [label or None for _, label in rows]})
    collection = Collection.of("rows", table, text="text", label="label")
    results = results_of_all(model, collection)
    seen: list[tuple[int, int]] = []
    found = read_texts(model, collection, results, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, len(rows))
    return results, found


def test_rows_are_counted_by_label_and_by_how_they_are_read(bundled: Backend) -> None:
    results, (every, negative, positive) = read(bundled, ROWS)
    assert (every.label, negative.label, positive.label) == (None, "negative", "positive")
    assert (every.rows, negative.rows, positive.rows) == (6, 4, 1)
    assert (every.in_part, negative.in_part, positive.in_part) == (3, 3, 0)
    assert (positive.lost, positive.unknown, positive.a_word) == (0, 0, 1)
    assert negative.unknown == 1 / (results.lengths[1:5].sum() - 4 * 2)
    assert every.lost > 0
    wrong = [~results.correct[row] for row in (2, 3, 4)]
    low, high = wilson_interval(sum(wrong), 3)
    assert every.wrong_in_part == (sum(wrong) / 3, low, high, 3)
    assert every.wrong_whole.n == 2, "a row without a label is neither right nor wrong"
    assert math.isnan(positive.wrong_in_part.value)


def test_the_answer_says_what_is_lost_and_how_often_the_model_errs(bundled: Backend) -> None:
    _, found = read(bundled, ROWS)
    answer = reading(found)
    said = " ".join(part.text for part in answer.parts if isinstance(part, Sentence))
    assert said.startswith("**3 of 6 rows** are read in part: ")
    assert "of the rows that are read whole (95 % interval" in said
    assert "of the rows that are read in part (95 % interval" in said
    [table] = [part for part in answer.parts if isinstance(part, Table)]
    columns = table.columns()
    assert columns["label"] == ["all", "negative", "positive"]
    assert columns["read in part"] == [3, 3, 0]
    assert columns["pieces a word"][2] == pytest.approx(1)


@pytest.mark.parametrize("rows", [[("a film", ""), ("a dull film", "")]])
def test_a_table_without_labels_has_no_errors(bundled: Backend, rows: list[tuple[str, str]]) -> None:
    _, found = read(bundled, rows)
    assert len(found) == 1
    assert "wrong, read whole" not in reading(found).parts[-1].columns()  # type: ignore[union-attr]
