"""The ranking of heads: each change is that of a run with that head alone silenced."""

from __future__ import annotations

import numpy as np
import pytest

from encoder.attribution.head_ranking import rank_heads
from encoder.attribution.questions import Question
from encoder.errors import ArgumentError
from encoder.models.base import Backend


def test_each_change_is_that_of_a_run_without_the_head(bundled: Backend) -> None:
    question = Question(kind="class", texts=("a lovely film", None), label=2, rival=0)
    found = rank_heads(bundled, question)
    assert found.changes.shape == (6, 12)
    assert (found.unit, found.label) == ("probability", "positive")

    def among_two(silenced: list[tuple[int, int]]) -> float:
        prediction = bundled.trace("a lovely film", silenced_heads=silenced).prediction
        positive, negative = np.exp(prediction.logits[[2, 0]])
        return float(positive / (positive + negative))

    for layer, head, change in found.largest(2):
        assert abs(among_two([(layer, head)]) - among_two([]) - change) < 1e-5
    assert np.abs(found.changes).max() == abs(found.largest(1)[0][2])
    assert found.largest(0) == []
    with pytest.raises(ArgumentError, match="The -1 largest were asked for"):
        found.largest(-1)


def test_a_text_alone_asks_about_its_likeliest_class(bundled: Backend) -> None:
    found = rank_heads(bundled, "a lovely film")
    assert found.label == "positive"
    columns = found.columns
    row = 1 * 12 + 3
    assert (columns["layer"][row], columns["head"][row]) == (1, 3)
    assert columns["change"][row] == found.changes[1, 3]
