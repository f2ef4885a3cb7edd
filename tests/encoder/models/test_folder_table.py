"""Every kind of folder that people have opens with the numbers of `transformers`, or says in one sentence why not."""

from pathlib import Path

import pytest

from tests.encoder.models.folder_table import ROWS, Row, in_markdown, make_folder, outcome

CLOSE = 2e-5  # measured: at most 3e-6


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_folder_opens_with_the_numbers_of_transformers_or_says_why_not(row: Row, tmp_path: Path) -> None:
    found = outcome(row, make_folder(row, tmp_path / "model"))
    assert row.refused in found.message
    assert bool(found.message) == bool(row.refused)
    assert "\n" not in found.message
    assert max(found.attention, found.states, found.logits or 0) < CLOSE
    assert found.remarks == row.remarks
    assert found.prediction == ("" if row.refused else row.prediction)
    assert [note for note in found.notes if row.note in note] or not row.note
    assert in_markdown(row, found).count("|") == 5
