"""The decoder: equal to torch's own, blind to what comes later, and the same with and without its cache."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.errors import ShapeError
from encoder.transformer.attention import MultiHeadAttention
from encoder.transformer.decoder import Cache, Decoder
from tests.encoder.observing import observe
from tests.encoder.random_models import SMALL

CONFIG = replace(SMALL, vocab_size=50, num_hidden_layers=3, type_vocab_size=1, cls_token_id=1)
IDS = torch.tensor([[1, 7, 8, 9, 22], [1, 10, 11, 12, 13]])
SOURCE_MASK = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0, 0]])
# Measured over pre- and post-norm, both kernels and 1 to 16 tokens, one at a time: hidden states differ by 7.6e-6 at
# most, where they reach 21, keys and queries by 5.5e-6, logits by 1.4e-6. Against torch: states by 3.8e-6, weights by
# 2.4e-7. A product of one row adds up in another order than one of many.
CLOSE = {"rtol": 1e-5, "atol": 2e-5}
norms = pytest.mark.parametrize("norm", ["post", "pre"])


@cache
def random_decoder(norm: str, **changes: Any) -> Decoder:
    """Every parameter random, so that no zero bias and no norm of ones can hide a mistake."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        decoder = Decoder(replace(CONFIG, norm=norm, **changes))
        with torch.no_grad():
            for parameter in decoder.parameters():
                parameter.normal_(std=0.5)
    return decoder.eval()


def source(batch: int = 2, tokens: int = 7) -> Tensor:
    return torch.randn(batch, tokens, CONFIG.hidden_size, generator=torch.Generator().manual_seed(1))


# Parity with torch.nn.TransformerDecoder ------------------------------------------------------------------------------


def copy_attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    projections = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.copy_(torch.cat([projection.weight for projection in projections]))
    theirs.in_proj_bias.copy_(torch.cat([projection.bias for projection in projections]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


@torch.no_grad()
def torch_decoder(ours: Decoder) -> nn.TransformerDecoder:
    """torch's decoder with our weights."""
    config = ours.config
    layer = nn.TransformerDecoderLayer(
        config.hidden_size,
        config.num_attention_heads,
        config.intermediate_size,
        activation=config.hidden_act,
        layer_norm_eps=config.layer_norm_eps,
        batch_first=True,
        norm_first=config.norm == "pre",
    )
    final = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps) if config.norm == "pre" else None
    theirs = nn.TransformerDecoder(layer, config.num_hidden_layers, final)
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        copy_attention(mine.attention, other.self_attn)
        copy_attention(mine.cross_attention, other.multihead_attn)
        for from_ours, to_theirs in (
            (mine.attention_norm, other.norm1),
            (mine.cross_attention_norm, other.norm2),
            (mine.feed_forward_norm, other.norm3),
            (mine.feed_forward.up, other.linear1),
            (mine.feed_forward.down, other.linear2),
        ):
            to_theirs.load_state_dict(from_ours.state_dict())
    if final is not None:
        final.load_state_dict(ours.final_norm.state_dict())
    return theirs.eval()


def noted(module: nn.MultiheadAttention, into: list[Tensor]) -> None:
    """Let torch's attention hand out its weights per head, which a decoder layer asks it not to."""
    plain = module.forward

    def forward(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        output, weights = plain(*args, **kwargs | {"need_weights": True, "average_attn_weights": False})
        into.append(weights)
        return output, weights

    module.forward = forward  # type: ignore[method-assign]


@norms
@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("padded", [True, False], ids=["padded source", "whole source"])
@torch.inference_mode()
def test_every_layer_equals_torchs_decoder_on_the_same_weights(norm: str, activation: str, padded: bool) -> None:
    ours = random_decoder(norm, hidden_act=activation)
    theirs = torch_decoder(ours)
    source_mask = SOURCE_MASK if padded else None
    output, attentions = observe(ours, IDS, source(), source_mask)
    x = ours.embeddings(IDS)
    later = torch.ones(5, 5, dtype=torch.bool).triu(1)  # torch's masks are the other way round: True = not attended
    padding = None if source_mask is None else source_mask == 0
    for index, layer in enumerate(theirs.layers):
        weights: list[Tensor] = []
        noted(layer.self_attn, weights)
        noted(layer.multihead_attn, weights)
        x = layer(x, source(), tgt_mask=later, memory_key_padding_mask=padding)
        own, cross = weights
        torch.testing.assert_close(attentions[2 * index].weights, own, **CLOSE)
        torch.testing.assert_close(attentions[2 * index + 1].weights, cross, **CLOSE)
        if index < len(theirs.layers) - 1 or norm == "post":
            torch.testing.assert_close(output.hidden_states[index + 1], x, **CLOSE)
    whole = theirs(ours.embeddings(IDS), source(), tgt_mask=later, memory_key_padding_mask=padding)
    torch.testing.assert_close(output.last_hidden_state, whole, **CLOSE)


def test_the_output_projection_is_the_word_embedding() -> None:
    decoder = random_decoder("post")
    output = decoder(IDS, source())
    expected = output.last_hidden_state @ decoder.embeddings.word.weight.T + decoder.output_bias
    torch.testing.assert_close(output.logits, expected)
    stored = sum(parameter.numel() for parameter in decoder.parameters() if parameter.shape[0] == CONFIG.vocab_size)
    assert stored == CONFIG.vocab_size * (CONFIG.hidden_size + 1), "one table and one bias, no second projection"


def test_an_untrained_decoder_is_initialised_as_the_encoder_is() -> None:
    decoder = Decoder(replace(CONFIG, initializer_range=0.1, vocab_size=5000))
    assert float(decoder.embeddings.word.weight[1:].detach().std()) == pytest.approx(0.1, rel=0.02)
    assert not decoder.embeddings.word.weight[0].any(), "padding has no state"
    assert not any(module.bias.any() for module in decoder.modules() if isinstance(module, nn.Linear)), (
        "no bias to begin with"
    )


# Masks ----------------------------------------------------------------------------------------------------------------


@norms
@given(
    length=st.integers(2, 12),
    data=st.data(),
)
def test_no_token_is_changed_by_a_later_one(norm: str, length: int, data: st.DataObject) -> None:
    decoder = random_decoder(norm)
    at = data.draw(st.integers(1, length - 1))
    ids = torch.tensor([data.draw(st.lists(st.integers(1, 49), min_size=length, max_size=length))])
    other = ids.clone()
    other[0, at:] = (other[0, at:] + 7) % 49 + 1
    with torch.inference_mode():
        (first, attentions), (second, _) = (observe(decoder, given, source(1)) for given in (ids, other))
    torch.testing.assert_close(first.logits[:, :at], second.logits[:, :at], rtol=0, atol=0)
    assert not torch.equal(first.logits[:, at:], second.logits[:, at:])
    for attention in attentions[0::2]:
        assert bool((attention.weights[0].triu(1) == 0).all())
        torch.testing.assert_close(attention.weights.sum(-1), torch.ones(1, 3, length))


# The cache ------------------------------------------------------------------------------------------------------------


def in_pieces(decoder: Decoder, ids: Tensor, pieces: list[int], *, fused: bool) -> tuple[Tensor, ...]:
    """Logits and all hidden states of tokens that are read a few at a time, and the contexts of all attentions."""
    cache = Cache(len(decoder.layers))
    runs = [
        observe(decoder, piece, source(), SOURCE_MASK, fused=fused, cache=cache) for piece in ids.split(pieces, dim=1)
    ]
    assert cache.length == sum(pieces)
    rows = [
        (output.logits, *output.hidden_states, *(attention.context.transpose(1, 2) for attention in attentions))
        for output, attentions in runs
    ]
    return tuple(torch.cat(of_all, dim=1) for of_all in zip(*rows, strict=True))


@norms
@pytest.mark.parametrize("fused", [True, False], ids=["fused", "plain"])
@given(pieces=st.lists(st.integers(1, 4), min_size=1, max_size=4), seed=st.integers(0, 1000))
def test_reading_with_a_cache_equals_reading_at_once(norm: str, fused: bool, pieces: list[int], seed: int) -> None:
    decoder = random_decoder(norm)
    ids = torch.randint(1, 50, (2, sum(pieces)), generator=torch.Generator().manual_seed(seed))
    with torch.inference_mode():
        cached = in_pieces(decoder, ids, pieces, fused=fused)
        at_once = in_pieces(decoder, ids, [sum(pieces)], fused=fused)
    for ours, whole in zip(cached, at_once, strict=True):
        torch.testing.assert_close(ours, whole, **CLOSE)


def test_a_cached_token_costs_one_row_and_the_source_is_projected_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoder = random_decoder("post")
    widths: list[int] = []
    real = F.linear

    def counting(x: Tensor, *args: Any) -> Tensor:
        widths.append(x.shape[1])
        return real(x, *args)

    with torch.inference_mode():
        cache = Cache(CONFIG.num_hidden_layers)
        decoder(IDS, source(), cache=cache)
        monkeypatch.setattr(F, "linear", counting)
        _, attentions = observe(decoder, IDS[:, :1], source(), cache=cache)
    assert widths
    assert set(widths) == {1}
    assert attentions[0].weights.shape == (2, 3, 1, 6)


def test_more_tokens_than_positions_are_refused_with_a_cache_too() -> None:
    decoder = random_decoder("post")
    cache = Cache(CONFIG.num_hidden_layers)
    decoder(torch.ones(2, 16, dtype=torch.long), source(), cache=cache)
    with pytest.raises(ShapeError, match=r"17 tokens.*16"):
        decoder(IDS[:, :1], source(), cache=cache)
