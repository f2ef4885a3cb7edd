"""What notebooks on this chapter get wrong: each mistake is made here, and the check that ours passes catches it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from encoder.transformer.attention import MultiHeadAttention, scaled_dot_product_attention
from encoder.transformer.encoder import Encoder, FeedForward, SequenceClassifier
from tests.encoder.transformer.mistakes import (
    CONFIG,
    ActivatedLast,
    ActivatedTwice,
    CutAcrossTokens,
    NeverActivated,
    OneWideHead,
    OneWideHeadRepeated,
    PoolsWhateverComesFirst,
    check_a_score_is_the_product_of_that_query_and_that_key,
    check_every_head_attends_with_its_own_narrow_projections,
    check_every_query_shares_out_all_of_its_attention,
    check_every_text_of_a_batch_has_its_own_padding,
    check_inference_repeats_itself,
    check_pooling_needs_cls,
    check_scores_vary_by_one_whatever_the_width,
    check_the_second_linear_layer_comes_last,
    dropping_always,
    keys_not_transposed,
    keys_permuted_twice,
    masked_as_queries_by_keys,
    masked_by_the_first_text,
    masked_for_each_text,
    not_scaled,
    seeded,
    softmax_over_queries,
)


class Mistake(NamedTuple):
    """A check, what is right by it, what is wrong by it, and what it says about that."""

    check: Callable[[Any], None]
    ours: Callable[[], Any]
    wrong: Callable[[], Any]
    complaint: str


ours = scaled_dot_product_attention


MISTAKES = {
    "softmax over queries": Mistake(
        check_every_query_shares_out_all_of_its_attention,
        lambda: ours,
        lambda: softmax_over_queries,
        "rows do not sum to 1",
    ),
    "keys not transposed": Mistake(
        check_a_score_is_the_product_of_that_query_and_that_key,
        lambda: ours,
        lambda: keys_not_transposed,
        "score of query 0 and key",
    ),
    "keys permuted": Mistake(
        check_a_score_is_the_product_of_that_query_and_that_key,
        lambda: ours,
        lambda: keys_permuted_twice,
        "score of query 0 and key",
    ),
    "scores not scaled": Mistake(
        check_scores_vary_by_one_whatever_the_width, lambda: ours, lambda: not_scaled, "not scaled"
    ),
    "one wide head": Mistake(
        check_every_head_attends_with_its_own_narrow_projections,
        lambda: seeded(MultiHeadAttention, CONFIG),
        lambda: seeded(OneWideHead, CONFIG),
        "not 2 heads",
    ),
    "one wide head, repeated": Mistake(
        check_every_head_attends_with_its_own_narrow_projections,
        lambda: seeded(MultiHeadAttention, CONFIG),
        lambda: seeded(OneWideHeadRepeated, CONFIG),
        "does not attend by itself",
    ),
    "heads cut across tokens": Mistake(
        check_every_head_attends_with_its_own_narrow_projections,
        lambda: seeded(MultiHeadAttention, CONFIG),
        lambda: seeded(CutAcrossTokens, CONFIG),
        "does not attend by itself",
    ),
    "GELU last": Mistake(
        check_the_second_linear_layer_comes_last,
        lambda: seeded(FeedForward, CONFIG),
        lambda: seeded(ActivatedLast, CONFIG),
        "bends the output",
    ),
    "GELU twice": Mistake(
        check_the_second_linear_layer_comes_last,
        lambda: seeded(FeedForward, CONFIG),
        lambda: seeded(ActivatedTwice, CONFIG),
        "bends the output",
    ),
    "no GELU": Mistake(
        check_the_second_linear_layer_comes_last,
        lambda: seeded(FeedForward, CONFIG),
        lambda: seeded(NeverActivated, CONFIG),
        "nothing bends",
    ),
    "mask on queries by keys": Mistake(
        check_every_text_of_a_batch_has_its_own_padding,
        lambda: masked_for_each_text,
        lambda: masked_as_queries_by_keys,
        "attends to its padding|all of its tokens",
    ),
    "one mask for all texts": Mistake(
        check_every_text_of_a_batch_has_its_own_padding,
        lambda: masked_for_each_text,
        lambda: masked_by_the_first_text,
        "text 1 attends to its padding",
    ),
    "pooling without [CLS]": Mistake(
        check_pooling_needs_cls,
        lambda: seeded(SequenceClassifier, CONFIG, 2),
        lambda: seeded(PoolsWhateverComesFirst, CONFIG, 2),
        "a word was pooled",
    ),
    "evaluation mode forgotten": Mistake(
        check_inference_repeats_itself,
        lambda: seeded(Encoder, CONFIG),
        lambda: seeded(Encoder, CONFIG).train(),
        "dropout is on",
    ),
    "dropout ignores evaluation mode": Mistake(
        check_inference_repeats_itself, lambda: seeded(Encoder, CONFIG), dropping_always, "dropout is on"
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_our_version_is_right(mistake: Mistake) -> None:
    mistake.check(mistake.ours())


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_the_wrong_version_is_caught(mistake: Mistake) -> None:
    with pytest.raises(AssertionError, match=mistake.complaint):
        mistake.check(mistake.wrong())


def test_every_model_on_offer_is_in_evaluation_mode(scratch_bert: Any, bundled: Any) -> None:
    assert not any(module.training for module in scratch_bert.encoder.modules())
    assert not any(module.training for module in bundled.encoder.modules())
    check_inference_repeats_itself(scratch_bert.encoder)
