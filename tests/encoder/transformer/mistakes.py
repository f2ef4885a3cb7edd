"""What notebooks on this chapter get wrong, and the checks that catch it.

Every check takes something that computes, states one property of the right version, and knows nothing of how it
is written. Sizes are chosen so that the wrong versions run: no shape error gives them away.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.errors import InputError
from encoder.transformer.attention import Attention, MultiHeadAttention, padding_mask, scaled_dot_product_attention
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Encoder, FeedForward, SequenceClassifier
from tests.encoder.observing import explicit

H, T, K = 2, 4, 4  # as many tokens as a head is wide, so that a forgotten transposition still multiplies
B = T  # and as many texts as tokens, so that a mask can lie on the wrong axes
D = H * K
CONFIG = EncoderConfig(
    vocab_size=200, hidden_size=D, num_attention_heads=H, num_hidden_layers=2, intermediate_size=16, hidden_act="gelu"
)
Attend = Callable[..., Attention]


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def seeded(make: Callable[..., nn.Module], *args: Any) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return make(*args).eval()


# Softmax over the query axis instead of the keys


def check_every_query_shares_out_all_of_its_attention(attend: Attend) -> None:
    weights = attend(numbers(B, H, T, K), numbers(B, H, T, K, seed=1), numbers(B, H, T, K, seed=2)).weights
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, T), msg="rows do not sum to 1")


def softmax_over_queries(query: Tensor, key: Tensor, value: Tensor) -> Attention:
    scores = query @ key.transpose(-1, -2) / K**0.5
    weights = scores.softmax(dim=-2)
    return Attention(scores, weights, weights @ value)


# Keys permuted to the wrong axes


def check_a_score_is_the_product_of_that_query_and_that_key(attend: Attend) -> None:
    query, key = numbers(B, H, T, K), numbers(B, H, T, K, seed=1)
    scores = attend(query, key, numbers(B, H, T, K)).scores
    for i in range(T):
        for j in range(T):
            expected = (query[:, :, i] * key[:, :, j]).sum(-1) / K**0.5
            torch.testing.assert_close(scores[:, :, i, j], expected, msg=f"score of query {i} and key {j} is wrong")


def keys_not_transposed(query: Tensor, key: Tensor, value: Tensor) -> Attention:
    scores = query @ key / K**0.5
    weights = scores.softmax(dim=-1)
    return Attention(scores, weights, weights @ value)


def keys_permuted_twice(query: Tensor, key: Tensor, value: Tensor) -> Attention:
    return scaled_dot_product_attention(query, key.permute(0, 1, 3, 2), value)


# Scores not scaled


def check_scores_vary_by_one_whatever_the_width(attend: Attend) -> None:
    wide = 256
    scores = attend(*(numbers(B, H, T, wide, seed=seed) for seed in range(3))).scores
    assert 0.8 < float(scores.std()) < 1.2, f"scores are not scaled: their deviation is {float(scores.std()):.1f}"


def not_scaled(query: Tensor, key: Tensor, value: Tensor) -> Attention:
    scores = query @ key.transpose(-1, -2)
    weights = scores.softmax(dim=-1)
    return Attention(scores, weights, weights @ value)


# One head of full width called multi-head, and heads cut from the wrong axes


def check_every_head_attends_with_its_own_narrow_projections(module: MultiHeadAttention) -> None:
    x = numbers(B, T, D)
    weights = explicit(module, x)[1].weights
    assert weights.shape == (B, H, T, T), f"not {H} heads: weights are {tuple(weights.shape)}"
    for head in range(H):
        (query_weight, query_bias), (key_weight, key_bias) = (
            module.head_projection(name, head) for name in ("query", "key")
        )
        query, key = x @ query_weight.T + query_bias, x @ key_weight.T + key_bias  # (B, T, K)
        expected = (query @ key.transpose(1, 2) / K**0.5).softmax(-1)
        torch.testing.assert_close(weights[:, head], expected, msg=f"head {head} does not attend by itself")


class OneWideHead(MultiHeadAttention):
    """One head of width D, with a projection behind it."""

    def split_heads(self, x: Tensor) -> Tensor:
        return x[:, None]


class OneWideHeadRepeated(MultiHeadAttention):
    """One head of width D, shown H times."""

    def split_heads(self, x: Tensor) -> Tensor:
        return x[:, None].expand(-1, H, -1, -1)

    def merge_heads(self, x: Tensor) -> Tensor:
        return x[:, 0]


class CutAcrossTokens(MultiHeadAttention):
    """(B, T, D) seen as (B, H, T, K) without a transposition: a head gets some tokens whole, and others not at all."""

    def split_heads(self, x: Tensor) -> Tensor:
        return x.view(B, H, T, K)


# GELU after the second linear layer


def check_the_second_linear_layer_comes_last(block: FeedForward) -> None:
    x = numbers(B, T, D)
    before = block(x)
    with torch.no_grad():
        block.down.weight *= -3
        block.down.bias *= -3
    torch.testing.assert_close(block(x), -3 * before, msg="something bends the output of the second linear layer")
    zeros = torch.zeros_like(x)
    assert not torch.allclose(block(x) + block(-x), 2 * block(zeros)), "nothing bends what is between the two"


class ActivatedLast(FeedForward):
    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.activation(self.down(self.up(x))))


class ActivatedTwice(FeedForward):
    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.activation(self.down(self.activation(self.up(x)))))


class NeverActivated(FeedForward):
    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.down(self.up(x)))


# A (T, T) mask that does not broadcast over batch and heads


def check_every_text_of_a_batch_has_its_own_padding(attend: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]) -> None:
    attention_mask = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]])  # (B, T)
    weights = attend(*(numbers(B, H, T, K, seed=seed) for seed in range(3)), attention_mask)
    for text in range(B):
        real = attention_mask[text].bool()
        assert bool((weights[text][..., ~real] == 0).all()), f"text {text} attends to its padding"
        assert bool((weights[text][..., real] > 0).all()), f"text {text} does not attend to all of its tokens"


def masked_for_each_text(query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor) -> Tensor:
    return scaled_dot_product_attention(query, key, value, padding_mask(attention_mask)).weights


def masked_as_queries_by_keys(query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor) -> Tensor:
    scores = query @ key.transpose(-1, -2) / K**0.5
    return scores.masked_fill(attention_mask == 0, -1e9).softmax(-1)  # (B, T) lies on (T, T) where B = T


def masked_by_the_first_text(query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor) -> Tensor:
    square = attention_mask[0].outer(attention_mask[0])  # (T, T)
    return (query @ key.transpose(-1, -2) / K**0.5).masked_fill(square == 0, -1e9).softmax(-1)


# [CLS] pooling on input that has no [CLS]


def check_pooling_needs_cls(head: Callable[[Tensor, Tensor], Any]) -> None:
    hidden, with_cls = numbers(1, T, D), torch.tensor([[CONFIG.cls_token_id, 7, 8, 102]])
    head(hidden, with_cls)
    try:
        head(hidden, with_cls.roll(-1, dims=1))
    except InputError:
        return
    raise AssertionError("a word was pooled as if it were [CLS]")


class PoolsWhateverComesFirst(SequenceClassifier):
    def forward(self, hidden_state: Tensor, input_ids: Tensor) -> Any:
        return self.output(self.dropout(hidden_state[:, 0]))


# Dropout left on at inference


def check_inference_repeats_itself(encoder: Encoder) -> None:
    ids = torch.tensor([[101, 7, 8, 102]])
    with torch.no_grad():
        runs = [encoder(ids).last_hidden_state for _ in range(3)]
    assert all(torch.equal(runs[0], run) for run in runs), "dropout is on at inference"


class DropsAlways(FeedForward):
    def forward(self, x: Tensor) -> Tensor:
        return F.dropout(self.down(self.activation(self.up(x))), 0.1)  # training=True by default


def dropping_always() -> nn.Module:
    encoder = seeded(Encoder, CONFIG)
    encoder.layers[1].feed_forward = DropsAlways(CONFIG)
    return encoder.eval()
