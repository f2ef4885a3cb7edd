"""Norms and cosines as an answer: the numbers of charts and table, and what depends on the text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from encoder import Backend
from encoder.measures.similarity import l2_norms, successive_cosines
from encoder.measures.units import units_of
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Sentence, Table
from viz.theme import THEMES
from viz.views.norms.answer import norms


@pytest.fixture(scope="module")
def trace(bundled: Backend) -> Trace:
    return bundled.trace("time flies like an arrow", "fruit flies like a banana")


def cells(answer: Answer) -> dict[str, np.ndarray]:
    """The numbers of the heat maps, by name."""
    first = {chart.name: chart.figure(THEMES["light"]).data[0] for chart in answer.charts}
    return {name: np.asarray(data.z, dtype=float) for name, data in first.items() if data.type == "heatmap"}


def test_charts_and_table_have_the_numbers_of_the_run(trace: Trace) -> None:
    answer = norms(trace, units_of(trace.tokens), "wordpieces")
    assert [chart.name for chart in answer.charts] == ["hidden-states", "embedding", "cosines"]
    lengths, cosines = l2_norms(trace.hidden_states), successive_cosines(trace.hidden_states)
    drawn = cells(answer)
    np.testing.assert_allclose(drawn["hidden-states"], lengths, rtol=1e-5)
    np.testing.assert_allclose(drawn["cosines"], cosines, rtol=1e-5)
    [table] = [part for part in answer.parts if isinstance(part, Table)]
    columns = table.columns()
    np.testing.assert_array_equal(columns["norm_after_L2"], lengths[3])
    np.testing.assert_array_equal(columns["cosine_through_L2"], cosines[2])
    assert columns["token"][2] == "2: flies"


def test_the_longest_and_the_shortest_vector_are_named(trace: Trace) -> None:
    last = l2_norms(trace.hidden_states)[-1]
    [said] = [
        part.text for part in norms(trace, units_of(trace.tokens), "wordpieces").parts if isinstance(part, Sentence)
    ]
    longest, shortest = (trace.tokens.labels[index] for index in (last.argmax(), last.argmin()))
    assert f"“{longest}” ({last.max():.1f}) has the longest vector" in said.replace("\\", "")
    assert f"“{shortest}” ({last.min():.1f}) the shortest" in said.replace("\\", "")


def test_a_model_without_embedding_parts_has_no_chart_of_them(trace: Trace) -> None:
    answer = norms(replace(trace, embedding_parts={}), units_of(trace.tokens), "wordpieces")
    assert "embedding" not in [chart.name for chart in answer.charts]


def test_words_say_that_their_pieces_are_averaged(trace: Trace) -> None:
    answer = norms(trace, units_of(trace.tokens, level="words"), "words")
    captions = [part.text for part in answer.parts if isinstance(part, Sentence) and part.role == "caption"]
    assert captions == ["A word of several wordpieces is shown by the mean of their vectors."]
