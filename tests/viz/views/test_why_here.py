"""Why here? as answers: the cell that is split, its terms on both sides, and what removing the largest does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.score_removals import RemovalTest, removal_test
from encoder.attribution.score_terms import SIDES, Cell, ScoreTerms, score_terms
from encoder.runs.trace import Trace
from tests.viz.answers.parts import sentences
from viz.answers.answer import Sentence
from viz.state.selection import DEFAULT, Pins
from viz.theme import THEMES
from viz.views.why_here.answer import all_terms, cell_of, proof, score, verdict
from viz.wording.numbers import percent, written

CELL = Cell(3, 4, 8, 2)
AT_CELL = replace(DEFAULT, place=replace(DEFAULT.place, layer=3, head=4, pins=Pins(query=8, key=2)))


@pytest.fixture(scope="module")
def trace(bundled: Backend) -> Trace:
    return bundled.trace("time flies like an arrow", "fruit flies like a banana")


@pytest.fixture(scope="module")
def terms(bundled: Backend, trace: Trace) -> ScoreTerms:
    return score_terms(bundled, trace, CELL)


@pytest.fixture(scope="module")
def tests(bundled: Backend, trace: Trace, terms: ScoreTerms) -> list[RemovalTest]:
    return [removal_test(bundled, trace, terms, side) for side in SIDES]


def test_the_pinned_score_is_split_on_both_sides_on_one_scale(trace: Trace, terms: ScoreTerms) -> None:
    heading, row = score(trace, terms, AT_CELL).parts
    assert heading == Sentence(
        f"“flies” (8) gives {percent(terms.weight, 1)} of its attention to “flies” (2): a score of "
        f"{written(terms.score, '+.2f')} in layer 3, head 4",
        "heading",
    )
    ranges = []
    for (chart, said), side in zip(row.columns, (terms.query, terms.key), strict=True):
        figure = chart.figure(THEMES["light"])
        bars = figure.data[0].x
        np.testing.assert_allclose(bars[:-1], side.values[list(side.largest_first[:12])], atol=1e-4)
        assert sum(bars) == pytest.approx(terms.score, abs=1e-3)
        assert said == Sentence(f"Sum: **{written(side.values.sum(), '+.2f')}**")
        ranges.append(figure.layout.xaxis.range)
    assert ranges[0] == ranges[1]


def test_a_bar_of_a_head_chooses_it(trace: Trace, terms: ScoreTerms) -> None:
    [chart, _] = score(trace, terms, AT_CELL).charts
    assert len(chart.heads) == 12
    names = chart.figure(THEMES["light"]).layout.yaxis.ticktext
    for name, head in zip(names, chart.heads, strict=False):
        assert name.startswith(f"L{head[0]} H{head[1]} ") if head else " H" not in name


def test_words_and_hidden_special_tokens_are_said_not_to_matter(trace: Trace, terms: ScoreTerms) -> None:
    said = sentences(score(trace, terms, replace(AT_CELL, level="words", special="hide")))
    assert "Scores belong to wordpieces" in said[1]
    assert "Special tokens are hidden" in said[2]


def test_the_table_has_all_terms_of_both_sides_the_largest_first(terms: ScoreTerms) -> None:
    table = all_terms(terms)
    assert table.name == "score-L3-H4-8-2"
    columns = table.columns()
    count = len(terms.query.origins)
    assert list(columns["side"]) == ["query"] * count + ["key"] * count
    added = np.asarray(columns["adds to the score"], dtype=float)
    np.testing.assert_allclose([added[:count].sum(), added[count:].sum()], terms.score, atol=1e-3)
    assert (np.diff(np.abs(added[:count])) <= 0).all()
    heads = [index for index, term in enumerate(columns["term"]) if " H" in str(term)]
    assert [columns["term"][index] for index in heads[:1]] == [
        f"L{columns['layer'][heads[0]]} H{columns['head'][heads[0]]}"
    ]


def test_the_proof_compares_the_largest_term_with_random_ones(
    trace: Trace, terms: ScoreTerms, tests: list[RemovalTest]
) -> None:
    answer = proof(trace, terms, tests)
    controls, largest = answer.charts[0].figure(THEMES["dark"]).data
    assert len(largest.x) == 2
    assert set(controls.y) == {0, 1}
    said = "\n".join(sentences(answer))
    assert said.count("its bar alone: ") == 2
    assert "other parts of similar length" in said


def test_a_removed_part_is_named_in_words(trace: Trace, terms: ScoreTerms, tests: list[RemovalTest]) -> None:
    of_side = terms.side(tests[0].side)
    for index, origin in enumerate(of_side.origins):
        largest = replace(tests[0].largest, index=index)
        said = verdict(trace, terms, replace(tests[0], largest=largest))
        if origin.head is not None:
            assert said.startswith(f"Without layer {origin.layer}, head {origin.head} at the")
        elif origin.layer is not None:
            part = "feed-forward block" if origin.kind == "feed-forward" else origin.kind
            assert said.startswith(f"Without the {part} of layer {origin.layer} at the")
        else:
            assert said.startswith("Without the ")


def test_a_state_without_other_parts_has_nothing_to_compare_with(
    trace: Trace, terms: ScoreTerms, tests: list[RemovalTest]
) -> None:
    alone = replace(tests[0], controls=())
    assert verdict(trace, terms, alone).endswith("There is no other part to compare with.")


def test_what_is_not_pinned_has_the_largest_weight_between_two_words(trace: Trace) -> None:
    weights = trace.weights(3)[4].copy()
    for special in (0, 6, 12):
        weights[special] = weights[:, special] = 0
    np.fill_diagonal(weights, 0)
    largest = np.unravel_index(weights.argmax(), weights.shape)
    shown = range(len(trace.tokens))
    unpinned = replace(AT_CELL, place=replace(AT_CELL.place, pins=Pins()))
    cell = cell_of(trace, unpinned, shown, "pair")
    assert (cell.query, cell.key) == largest
    half = replace(AT_CELL, place=replace(AT_CELL.place, pins=Pins(query=8)))
    assert cell_of(trace, half, shown, "pair").query == 8
    assert cell_of(trace, AT_CELL, shown, "pair") == CELL
    assert cell_of(trace, AT_CELL, shown, "B") == cell
