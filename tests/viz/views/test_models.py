"""One sentence in several models: which tokens and heads correspond, and what is said of each model."""

import numpy as np
import pytest

from encoder import Backend
from encoder.measures.head_profiles import attended_tokens, mean_entropy_bits
from encoder.measures.unit_attention import MEAN
from encoder.offers import CATALOGUE
from encoder.shipped.names import SCRATCH, UNTRAINED, step_name
from encoder.text.tokenizer import Tokenizer
from tests.encoder.random_models import byte_tokenizer
from viz.state.fields import with_values
from viz.state.selection import DEFAULT
from viz.views.models.answer import ModelRun, other_models, remark_on, spreads, tokens_of_page, with_own
from viz.wording.numbers import percent

A = "time flies like an arrow"


@pytest.fixture(scope="module")
def run(bundled: Backend) -> ModelRun:
    return ModelRun(name="bundled", trace=bundled.trace(A), wanted=(0, 4), is_own=True)


def test_an_even_spread_covers_all_tokens_and_one_weight_a_single_one() -> None:
    even, one = np.full((3, 8, 8), 1 / 8, np.float32), np.eye(8, dtype=np.float32)[None]
    np.testing.assert_allclose(attended_tokens(mean_entropy_bits(even)), 8, rtol=1e-6)
    np.testing.assert_allclose(attended_tokens(mean_entropy_bits(one)), 1, rtol=1e-6)


def test_the_pages_own_model_is_not_next_to_itself_and_scratch_is_at_its_step() -> None:
    at_step = with_values(DEFAULT, {"trained": 60})
    assert other_models(at_step) == {UNTRAINED: UNTRAINED, SCRATCH: step_name(61)}
    assert other_models(with_values(DEFAULT, {"model": SCRATCH})) == {UNTRAINED: UNTRAINED, "bundled": "bundled"}


def test_a_choice_of_models_keeps_the_pages_own_for_later() -> None:
    assert with_own([UNTRAINED, " "], DEFAULT) == (UNTRAINED, "bundled")
    assert with_own([CATALOGUE[SCRATCH].title, "/runs/mine", "bundled"], DEFAULT) == (SCRATCH, "/runs/mine", "bundled")
    assert with_own([UNTRAINED], with_values(DEFAULT, {"models": ()})) == (UNTRAINED,)


def test_the_strongest_link_is_between_two_different_words(run: ModelRun) -> None:
    weight = run.trace.weights(0)[4][2, 1]
    assert remark_on(run, "one head") == f"Strongest link: “flies” → “time”, {percent(float(weight))}."


def test_a_single_word_has_no_link(bundled: Backend) -> None:
    assert remark_on(ModelRun(name="bundled", trace=bundled.trace("time"), wanted=(0, 4)), "one head") == ""


def test_the_mean_over_heads_is_measured_on_the_mean_weights(run: ModelRun) -> None:
    mean = ModelRun(name="bundled", trace=run.trace, wanted=(2, MEAN))
    spread = float(attended_tokens(mean_entropy_bits(run.trace.weights(2).mean(axis=0))))
    sentence = spreads([mean], "one head").parts[0]
    assert f"In layer 2, mean over heads, a token spreads its attention over **{spread:.1f} of 7**" in sentence.text


def test_the_table_has_a_row_for_every_head(run: ModelRun) -> None:
    (_, table) = spreads([run, run], "all heads").parts
    columns = table.columns()
    assert {len(column) for column in columns.values()} == {2 * 6 * 12}
    assert columns["tokens"][4] == pytest.approx(float(attended_tokens(mean_entropy_bits(run.trace.weights(0)[4]))))


def test_equal_pieces_have_equal_positions_and_others_follow_their_words(run: ModelRun) -> None:
    tokens = run.trace.tokens
    assert tokens_of_page(tokens, tokens) == list(range(7))
    other = Tokenizer(byte_tokenizer(framed=True))(A)
    found = tokens_of_page(tokens, other)
    in_words = [(word, other.word_ids[counterpart]) for word, counterpart in zip(tokens.word_ids, found, strict=True)]
    assert in_words == [(None, None), *((word, word) for word in range(5)), (None, None)]
