"""Attention by words, without special tokens and between sentences: against naive loops, and what must hold for all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.errors import ArgumentError, SelectionError, ShapeError
from encoder.measures.unit_attention import (
    MEAN,
    Sentences,
    attention_between,
    head_or_mean,
    removed_mass,
    renormalised,
    shown_attention,
    strongest_cell,
    within_sentences,
    word_attention,
    word_profile,
)
from encoder.measures.units import Units, units_of
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import positions_of_word
from encoder.text.tokens import Tokens
from tests.viz.made_up import CLOSE, LEVELS, SEEDS, SPECIALS, TOKENS, random_weights, tokens_of


def clark(weights: FloatArray, units: Units) -> list[list[float]]:
    """(T, T): attention to a split word is summed over its pieces, attention from it averaged (section 4.1)."""
    return [
        [
            sum(sum(float(weights[query, key]) for key in keys) for query in queries) / len(queries)
            for keys in units.members
        ]
        for queries in units.members
    ]


def test_words_group_their_pieces_and_special_tokens_stay_alone() -> None:
    units = units_of(tokens_of([1, 3], [2]), level="words")
    assert units.members == ((0,), (1,), (2, 3, 4), (5,), (6, 7), (8,))
    assert units.labels == ("[CLS]", "word0", "word1", "[SEP]", "word2", "[SEP]")
    assert units.special == (True, False, False, True, False, True)
    assert units.sentence_b_start == 4


def test_hidden_special_tokens_leave_the_words() -> None:
    units = units_of(tokens_of([1, 3], [2]), level="words", special="hide")
    assert (units.labels, units.sentence_b_start) == (("word0", "word1", "word2"), 2)
    assert units == units_of(tokens_of([1, 3], [2]), level="words", special="renormalise")
    with_blank = replace(tokens_of([1, 1]), word_ids=(None, 0, None, None))
    assert units_of(with_blank, level="words", special="hide").members == ((1,),)
    assert units_of(with_blank, special="hide").members == ((1,), (2,))


def test_a_truncated_pair_without_a_shown_b_marks_none() -> None:
    tokens = tokens_of([1], [])
    assert units_of(tokens, special="hide").sentence_b_start is None


@given(TOKENS, st.sampled_from(LEVELS), st.sampled_from(SPECIALS))
def test_every_shown_token_is_in_exactly_one_unit(tokens: Tokens, level: Any, special: Any) -> None:
    units = units_of(tokens, level=level, special=special)
    positions = [position for members in units.members for position in members]
    assert positions == [at for at in range(len(tokens)) if special == "show" or not tokens.special[at]]
    assert len(units) == len(units.labels) == len(units.members) == len(units.special)


@given(TOKENS, SEEDS, st.sampled_from(LEVELS), st.sampled_from(SPECIALS))
def test_merging_follows_clarks_rule(tokens: Tokens, seed: int, level: Any, special: Any) -> None:
    weights = random_weights(len(tokens), seed=seed)
    units = units_of(tokens, level=level, special=special)
    naive = np.array([clark(head, units) for head in weights])
    merged = attention_between(weights, units)
    np.testing.assert_allclose(merged, naive, **CLOSE)
    assert merged.dtype == np.float32


@given(TOKENS, SEEDS, st.sampled_from(LEVELS))
def test_rows_sum_to_1_where_nothing_is_hidden(tokens: Tokens, seed: int, level: Any) -> None:
    attention, removed = shown_attention(random_weights(len(tokens), seed=seed), units_of(tokens, level=level), "show")
    np.testing.assert_allclose(attention.sum(axis=-1), 1, **CLOSE)
    np.testing.assert_allclose(removed, 0, **CLOSE)


@given(TOKENS, SEEDS, st.sampled_from(LEVELS))
def test_hidden_tokens_take_their_share_along(tokens: Tokens, seed: int, level: Any) -> None:
    weights = random_weights(len(tokens), seed=seed)
    everything = units_of(tokens, level=level)
    special = np.array(everything.special)
    to_special = attention_between(weights, everything)[:, ~special][:, :, special].sum(axis=-1)
    units = units_of(tokens, level=level, special="hide")
    attention, removed = shown_attention(weights, units, "hide")
    assert ((removed >= 0) & (removed <= 1)).all()
    np.testing.assert_allclose(removed, to_special, **CLOSE)
    np.testing.assert_allclose(attention.sum(axis=-1) + removed, 1, **CLOSE)


@given(TOKENS, SEEDS, st.sampled_from(LEVELS))
def test_renormalised_rows_sum_to_1_and_keep_their_proportions(tokens: Tokens, seed: int, level: Any) -> None:
    weights = random_weights(len(tokens), seed=seed)
    units = units_of(tokens, level=level, special="renormalise")
    hidden, removed = shown_attention(weights, units, "hide")
    scaled, also_removed = shown_attention(weights, units, "renormalise")
    np.testing.assert_array_equal(also_removed, removed)
    np.testing.assert_allclose(scaled.sum(axis=-1), 1, **CLOSE)
    np.testing.assert_allclose(scaled * hidden.sum(axis=-1, keepdims=True), hidden, **CLOSE)


def test_a_row_whose_attention_is_all_hidden_stays_zero() -> None:
    weights = np.zeros((1, 4, 4), np.float32)
    weights[:, :, 0] = 1  # everything looks at [CLS]
    units = units_of(tokens_of([1, 1]), special="renormalise")
    attention, removed = shown_attention(weights, units, "renormalise")
    assert (attention == 0).all()
    assert (removed == 1).all()
    assert (renormalised(np.zeros((2, 2), np.float32)) == 0).all()


@pytest.mark.parametrize(
    ("sentences", "rows", "columns"),
    [("A→A", (0, 3), (0, 3)), ("A→B", (0, 3), (3, 5)), ("B→A", (3, 5), (0, 3)), ("B→B", (3, 5), (3, 5))],
)
def test_a_sentence_filter_blanks_the_rest(
    sentences: Sentences, rows: tuple[int, int], columns: tuple[int, int]
) -> None:
    units = units_of(tokens_of([1], [1]))
    attention = np.random.default_rng(0).random((2, 5, 5), np.float32)
    kept = within_sentences(attention, units, sentences)
    block = np.s_[:, slice(*rows), slice(*columns)]
    np.testing.assert_array_equal(kept[block], attention[block])
    assert np.isfinite(kept).sum() == attention[block].size


def test_one_sentence_and_no_filter_blank_nothing() -> None:
    attention = np.ones((3, 3), np.float32)
    assert within_sentences(attention, units_of(tokens_of([1])), "A→B") is attention
    pair = np.ones((5, 5), np.float32)
    assert within_sentences(pair, units_of(tokens_of([1], [1])), "all") is pair


def test_rounding_never_makes_the_removed_mass_negative() -> None:
    assert removed_mass(np.full((1, 3), 0.3333334, np.float32)).min() == 0


@given(TOKENS, SEEDS, st.sampled_from(LEVELS), st.sampled_from(SPECIALS))
def test_inputs_stay_as_they_were(tokens: Tokens, seed: int, level: Any, special: Any) -> None:
    weights = random_weights(len(tokens), seed=seed)
    before = weights.copy()
    weights.flags.writeable = False  # as a trace hands them out
    shown_attention(head_or_mean(weights, MEAN), units_of(tokens, level=level, special=special), special)
    shown_attention(weights, units_of(tokens, level=level, special=special), special)
    np.testing.assert_array_equal(weights, before)


@given(SEEDS, st.integers(1, 6))
def test_the_mean_over_heads_is_their_mean_and_one_head_is_itself(seed: int, heads: int) -> None:
    weights = random_weights(5, heads=heads, seed=seed)
    np.testing.assert_allclose(head_or_mean(weights, MEAN), sum(weights) / heads, **CLOSE)
    for head in range(heads):
        np.testing.assert_array_equal(head_or_mean(weights, head), weights[head])


@pytest.mark.parametrize("head", [3, -2, 99])
def test_a_head_that_is_not_there_is_named(head: int) -> None:
    with pytest.raises(SelectionError, match=rf"Head {head} .* heads 0 to 2"):
        head_or_mean(random_weights(4), head)


def test_weights_of_another_text_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"\(3, 5, 5\).* 4 tokens"):
        attention_between(random_weights(5), units_of(tokens_of([1, 1])))
    with pytest.raises(ShapeError, match="4 tokens"):
        attention_between(random_weights(5)[:, :4], units_of(tokens_of([1, 1])))


WEIGHTS = np.array([[0.9, 0.05, 0.05], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3]], np.float32)


def test_two_different_tokens_come_before_one_twice() -> None:
    assert strongest_cell(WEIGHTS, [0, 1, 2], [0, 1, 2]) == (2, 1)
    assert strongest_cell(WEIGHTS, [1], [0, 1, 2]) == (1, 2)
    assert strongest_cell(WEIGHTS, [0, 1, 2], [0]) == (1, 0)
    assert strongest_cell(WEIGHTS, [0], [0, 2]) == (0, 2)
    assert strongest_cell(WEIGHTS, [1], [1]) == (1, 1)


def test_no_tokens_are_an_error() -> None:
    with pytest.raises(ShapeError, match=r"^There are no queries or no keys to search among\.$"):
        strongest_cell(WEIGHTS, [], [0])


@given(TOKENS, SEEDS, st.data(), st.sampled_from([MEAN, 0, 2]))
def test_rows_and_columns_follow_clarks_rule(tokens: Tokens, seed: int, data: st.DataObject, head: int) -> None:
    weights = random_weights(len(tokens), seed=seed)
    word = data.draw(st.integers(0, len(tokens.words) - 1))
    own = positions_of_word(tokens, word)
    profile = word_profile(weights, tokens, own, head=head)
    chosen = weights.mean(axis=0) if head == MEAN else weights[head]
    for unit, members in enumerate(profile.units.members):
        to_unit = sum(chosen[query, key] for query in own for key in members) / len(own)
        from_unit = sum(chosen[query, key] for query in members for key in own) / len(members)
        assert profile.looks_at[unit] == pytest.approx(to_unit, abs=1e-5)
        assert profile.looked_at_by[unit] == pytest.approx(from_unit, abs=1e-5)
    np.testing.assert_allclose(profile.looks_at.sum(), 1, **CLOSE)
    assert profile.units.members[profile.word] == own
    assert profile.looks_at[profile.word] == profile.looked_at_by[profile.word]


def test_what_is_no_whole_word_and_what_does_not_fit_is_refused() -> None:
    tokens = tokens_of([1, 3])
    weights = random_weights(6)
    with pytest.raises(SelectionError, match=r"\(2, 3\) are not .* \(0,\), \(1,\), \(2, 3, 4\), \(5,\)\.$"):
        word_profile(weights, tokens, (2, 3), head=0)
    with pytest.raises(SelectionError, match="Head 3"):
        word_profile(weights, tokens, (1,), head=3)
    with pytest.raises(ShapeError, match="6 tokens"):
        word_profile(random_weights(5), tokens, (1,), head=0)


def test_attention_between_words_of_a_trace_is_clarks(bundled: Backend) -> None:
    trace = bundled.trace("unbelievable headlights")
    found = word_attention(trace, 2, special="hide")
    assert found.words == ("unbelievable", "headlights")
    units = units_of(trace.tokens, level="words", special="hide")
    np.testing.assert_allclose(found.weights[3], clark(trace.weights(2)[3], units), **CLOSE)


@pytest.mark.parametrize(("name", "value"), [("special", "hidden"), ("level", "letters")])
def test_an_unknown_way_to_group_tokens_is_refused(bundled: Backend, name: str, value: str) -> None:
    with pytest.raises(ArgumentError, match=f"{name} is '{value}': it can be"):
        units_of(bundled.tokenize("a b"), **{name: value})  # type: ignore[arg-type]
