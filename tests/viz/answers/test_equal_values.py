"""What is said of values that are equal but for rounding is the same on every processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from encoder.attribution.head_ranking import HeadRanking
from encoder.collection.search import rank
from encoder.comparison.pair_removals import largest_pairs_first
from encoder.measures.label_accuracy import nearest_in_other_texts
from encoder.measures.near_ties import ROUNDING
from encoder.measures.unit_attention import strongest_cell
from viz.figures.class_probabilities import likeliest_classes
from viz.views.norms.answer import _in_words

# Each from values of shape (4, 4).
SAID: dict[str, Callable[[Any], Any]] = {
    "norms": lambda values: _in_words(10 * values, "abcd"),
    "heads": lambda values: [place[:2] for place in HeadRanking(changes=values - 1, unit="score").largest(3)],
    "links": lambda values: strongest_cell(values, range(4), range(4)),
    "pairs": largest_pairs_first,
    "search": lambda values: rank(values[0]).rows.tolist(),
    "colours": lambda values: likeliest_classes([values], 3),
    "neighbours": lambda values: nearest_in_other_texts(values / 2, np.arange(4)).tolist(),
}


@pytest.mark.parametrize("said", [*SAID.values()], ids=[*SAID])
def test_equal_values_get_the_same_sentence_on_every_processor(said: Callable[[Any], Any]) -> None:
    generator = np.random.default_rng(0)
    equal = np.ones((4, 4), np.float32)
    noisy = [equal + generator.uniform(-ROUNDING / 2, ROUNDING / 2, equal.shape).astype(np.float32) for _ in range(9)]
    assert [said(values) for values in noisy] == [said(equal)] * 9
