"""What a word looks at, and what looks at it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder import Backend
from encoder.errors import SelectionError, ShapeError
from encoder.measures.unit_attention import MEAN, word_profile
from encoder.text.occurrences import positions_of_word
from encoder.text.tokens import Tokens
from tests.viz.made_up import CLOSE, SEEDS, TOKENS, random_weights, tokens_of


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
    with pytest.raises(SelectionError, match=r"\(2, 3\) are no word of this text: \(1,\), \(2, 3, 4\) are"):
        word_profile(weights, tokens, (2, 3), head=0)
    with pytest.raises(SelectionError, match="Head 3"):
        word_profile(weights, tokens, (1,), head=3)
    with pytest.raises(ShapeError, match="6 tokens"):
        word_profile(random_weights(5), tokens, (1,), head=0)


def test_the_first_eight_words_of_a_text_are_named() -> None:
    for count, named in ((8, r"\(8,\) are\.$"), (9, r"\(8,\), \.\.\. are\.$")):
        tokens = tokens_of([1] * count)
        with pytest.raises(SelectionError, match=named):
            word_profile(random_weights(len(tokens)), tokens, (0, 1), head=0)


def test_inputs_stay_as_they_were_and_results_own_their_numbers(bundled: Backend) -> None:
    trace = bundled.trace("time flies like an arrow")
    profile = word_profile(trace.weights(3), trace.tokens, (2,), head=4)
    profile.looks_at[:] = 0
    np.testing.assert_allclose(word_profile(trace.weights(3), trace.tokens, (2,), head=4).looks_at.sum(), 1, **CLOSE)
    assert profile.units.labels == ("[CLS]", "time", "flies", "like", "an", "arrow", "[SEP]")
