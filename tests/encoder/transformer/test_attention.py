"""Scaled dot-product attention and its heads, against loops that a person can check."""

import math

import pytest
import torch
from torch import Tensor, nn

from encoder.errors import ShapeError
from encoder.transformer.attention import (
    MultiHeadAttention,
    ScaledDotProductAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from encoder.transformer.config import EncoderConfig

B, H, T, K = 2, 3, 5, 4
D = H * K
CONFIG = EncoderConfig(
    hidden_size=D, num_attention_heads=H, intermediate_size=8, attention_probs_dropout_prob=0.5, vocab_size=200
)


@pytest.fixture
def qkv() -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(B, H, T, K, generator=generator) for _ in range(3))
    return query, key, value


@pytest.fixture
def module() -> MultiHeadAttention:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return MultiHeadAttention(CONFIG).eval()


def padded() -> Tensor:
    """(B, T): the second text has two tokens of padding."""
    return torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])


def states(seed: int = 2) -> Tensor:
    return torch.randn(B, T, D, generator=torch.Generator().manual_seed(seed))


def looped(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Weights and context, one number at a time."""
    allowed = torch.ones(B, H, T, T, dtype=torch.bool) if mask is None else mask.expand(B, H, T, T)
    weights, context = torch.zeros(B, H, T, T), torch.zeros(B, H, T, K)
    for b in range(B):
        for h in range(H):
            for i in range(T):
                raised = [0.0] * T
                for j in range(T):
                    if allowed[b, h, i, j]:
                        dot = sum(float(query[b, h, i, k] * key[b, h, j, k]) for k in range(K))
                        raised[j] = math.exp(dot / math.sqrt(K))
                for j in range(T):
                    weights[b, h, i, j] = raised[j] / (sum(raised) or 1.0)
                for k in range(K):
                    context[b, h, i, k] = sum(float(weights[b, h, i, j] * value[b, h, j, k]) for j in range(T))
    return weights, context


MASKS = {
    "none": None,
    "padding": padding_mask(padded()),
    "causal": causal_mask(T),
    "padding and causal": padding_mask(padded()) & causal_mask(T),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())
def test_attention_equals_a_loop_over_its_definition(qkv: tuple[Tensor, ...], mask: Tensor | None) -> None:
    ours = scaled_dot_product_attention(*qkv, mask)
    weights, context = looped(*qkv, mask)
    torch.testing.assert_close(ours.weights, weights)
    torch.testing.assert_close(ours.context, context)
    torch.testing.assert_close(ours.weights.sum(-1), torch.ones(B, H, T))
    scores = torch.einsum("bhik,bhjk->bhij", qkv[0], qkv[1]) / math.sqrt(K)
    allowed = torch.ones(B, H, T, T, dtype=torch.bool) if mask is None else mask.expand(B, H, T, T)
    torch.testing.assert_close(ours.scores[allowed], scores[allowed])


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())
def test_fused_equals_unfused(qkv: tuple[Tensor, ...], mask: Tensor | None) -> None:
    fused, plain = (ScaledDotProductAttention(0.5).eval()(*qkv, mask, fused=fused) for fused in (True, False))
    torch.testing.assert_close(fused.context, plain.context)
    assert fused.scores is None
    assert fused.weights is None


def test_true_means_may_be_attended_in_every_mask() -> None:
    assert padding_mask(padded())[1, 0, 0].tolist() == [True, True, True, False, False]
    assert causal_mask(3)[0, 0].tolist() == [[True, False, False], [True, True, False], [True, True, True]]


@pytest.mark.parametrize("fused", [False, True])
def test_a_query_without_any_key_gets_zeros(qkv: tuple[Tensor, ...], fused: bool) -> None:
    mask = torch.ones(B, 1, T, T, dtype=torch.bool)
    mask[0, :, 2] = False
    attention = ScaledDotProductAttention(0.0)(*qkv, mask, fused=fused)
    assert torch.equal(attention.context[0, :, 2], torch.zeros(H, K))
    assert bool(attention.context[0, :, 1].any())
    assert bool(attention.context.isfinite().all())
    if attention.weights is not None:
        assert torch.equal(attention.weights[0, :, 2], torch.zeros(H, T))


@pytest.mark.parametrize(
    ("mask", "named"),
    [
        (torch.ones(T, T, dtype=torch.bool), r"\(5, 5\).*\(2, 3, 5, 5\): make it with padding_mask or causal_mask\.$"),
        (torch.ones(B, T, dtype=torch.bool), r"\(2, 5\).*\(2, 3, 5, 5\)"),
        (torch.ones(B, 1, 1, T + 1, dtype=torch.bool), r"\(2, 1, 1, 6\).*\(2, 3, 5, 5\)"),
        (torch.ones(H, 1, 1, T, dtype=torch.bool), r"\(3, 1, 1, 5\).*\(2, 3, 5, 5\)"),
        (torch.ones(B, 1, 1, T), "float32.*boolean"),
        (torch.ones(B, 1, 1, T, dtype=torch.long), "int64.*boolean"),
    ],
    ids=["T,T", "B,T", "too many keys", "heads for batch", "float", "integer"],
)
@pytest.mark.parametrize("fused", [False, True])
def test_a_mask_that_does_not_fit_is_refused(qkv: tuple[Tensor, ...], mask: Tensor, named: str, fused: bool) -> None:
    with pytest.raises(ShapeError, match=named):
        ScaledDotProductAttention(0.0)(*qkv, mask, fused=fused)


def test_queries_and_keys_of_different_width_are_refused(qkv: tuple[Tensor, ...]) -> None:
    query, key, value = qkv
    with pytest.raises(ShapeError, match=r"4 wide and keys 3"):
        scaled_dot_product_attention(query, key[..., :3], value)


def test_dropout_acts_on_the_context_and_only_while_training(qkv: tuple[Tensor, ...]) -> None:
    plain = scaled_dot_product_attention(*qkv)
    resting = scaled_dot_product_attention(*qkv, dropout=nn.Dropout(0.5).eval())
    training = scaled_dot_product_attention(*qkv, dropout=nn.Dropout(0.5))
    assert torch.equal(resting.context, plain.context)
    assert not torch.equal(training.context, plain.context)
    assert training.weights is not None
    assert plain.weights is not None
    assert torch.equal(training.weights, plain.weights), "what is shown are the weights before dropout"


@pytest.mark.parametrize("fused", [False, True])
def test_a_module_drops_only_while_training(module: MultiHeadAttention, fused: bool) -> None:
    x = states()
    module.dropout.p = 0.0  # so that the dropout of the weights is the only one
    module.attend.register_forward_pre_hook(lambda _, given, __: (given, {"fused": fused}), with_kwargs=True)
    assert torch.equal(module(x), module(x))
    module.train()
    assert not torch.equal(module(x), module(x))


@pytest.mark.parametrize("name", ["query", "key", "value"])
def test_a_heads_projection_makes_its_vectors(module: MultiHeadAttention, name: str) -> None:
    x = states()
    of_all_heads = module.split_heads(getattr(module, name)(x))  # (B, H, T, K)
    for head in range(H):
        weight, bias = module.head_projection(name, head)
        torch.testing.assert_close(x @ weight.T + bias, of_all_heads[:, head])
