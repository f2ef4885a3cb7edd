"""With BERT's weights our encoder gives BERT's numbers, layer by layer, so that two errors cannot cancel.

Padded positions are not compared: nothing reads what stands there. That they are not read is tested instead.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import BertConfig, BertModel

import encoder
from encoder import Backend
from encoder.models.checkpoint import load_bert_folder
from encoder.models.scratch import ScratchBackend
from encoder.text.tokens import Tokens
from encoder.transformer.bert_names import config_from_bert, load_bert_weights
from encoder.transformer.encoder import Encoder
from tests.encoder.observing import observe
from tests.encoder.random_models import padded as with_padding

# Largest absolute differences measured (float32, torch 2.13 on x86, the same with 1 and 2 threads), over all inputs,
# fused and unfused, directly and through the trace. Hidden states reach 10.5, so 2e-6 is two units in the last place.
#                     embeddings   weights   hidden states   one layer on BERT's own input
#   bundled           3.6e-7       7.7e-7    1.9e-6          9.5e-7
#   random bert-base  7.2e-7       1.3e-6    6.3e-6          2.1e-6
# Three times that, for processors that add in another order.
HIDDEN_TOLERANCE = 2e-5
WEIGHT_TOLERANCE = 5e-6

FLIES = ("time flies like an arrow", "fruit flies like a banana")
CAUSES = {
    "embeddings": "a table, the sum of the three parts, or the epsilon of the layer norm",
    "weights": "the query or key projection, the cut into heads, the scaling, the mask, or the axis of the softmax",
    "hidden states": "the value or output projection, a residual, a layer norm, the activation or its place",
}


@dataclass(frozen=True, eq=False)
class Batch:
    """What goes into both encoders."""

    input_ids: Tensor  # (B, T)
    token_type_ids: Tensor  # (B, T)
    attention_mask: Tensor  # (B, T)

    def arguments(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.input_ids, self.token_type_ids, self.attention_mask


@dataclass(frozen=True)
class Numbers:
    """What comes out: the embeddings and every layer's hidden states; every layer's weights."""

    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T, D)
    weights: tuple[Tensor, ...]  # L of (B, H, T, T), or none


@dataclass(frozen=True, eq=False)
class Pair:
    """The same weights in both implementations."""

    theirs: BertModel
    ours: Encoder

    @torch.no_grad()
    def our_numbers(self, batch: Batch, *, fused: bool) -> Numbers:
        output, attentions = observe(self.ours, *batch.arguments(), fused=fused)
        weights = () if fused else tuple(attention.weights for attention in attentions)
        return Numbers(output.hidden_states, weights)


@cache
@torch.no_grad()
def berts_numbers(pair: Pair, batch: Batch) -> Numbers:
    ids, types, mask = batch.arguments()
    output = pair.theirs(
        input_ids=ids, token_type_ids=types, attention_mask=mask, output_hidden_states=True, output_attentions=True
    )
    assert len(output.attentions) == pair.theirs.config.num_hidden_layers
    return Numbers(output.hidden_states, output.attentions)


def batch_of(tokens: list[Tokens]) -> Batch:
    """Several texts, the shorter ones padded with `[PAD]` on the right."""
    longest = max(len(each) for each in tokens)

    def padded(name: str) -> Tensor:
        return torch.tensor([[*getattr(each, name), *[0] * (longest - len(each))] for each in tokens])

    return Batch(padded("ids"), padded("token_type_ids"), padded("attention_mask"))


@pytest.fixture(scope="module")
def batches(scratch_bert: Backend) -> dict[str, Batch]:
    single, pair = scratch_bert.tokenize(FLIES[0]), scratch_bert.tokenize(*FLIES)
    padded = batch_of([pair, single])
    assert padded.attention_mask.sum(1).tolist() == [13, 7], "the batch must hold padding, or it tests nothing"
    return {"one text": batch_of([single]), "a pair": batch_of([pair]), "a padded batch": padded}


@pytest.fixture(scope="module")
def bundled_pair(bundled_folder: Path) -> Pair:
    theirs = BertModel.from_pretrained(bundled_folder, attn_implementation="eager", dtype=torch.float32).eval()
    return Pair(theirs, load_bert_folder(bundled_folder))


@pytest.fixture(scope="module")
def random_pair() -> Iterator[Pair]:
    """The shape of bert-base, with weights large enough that every part of a layer matters."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = BertConfig(initializer_range=0.05, attn_implementation="eager")
        theirs = BertModel(config, add_pooling_layer=False).eval()
        with torch.no_grad():
            for name, parameter in theirs.named_parameters():
                if name.endswith("bias") or "LayerNorm" in name:  # zeros and ones would hide a mix-up
                    parameter.add_(torch.randn_like(parameter) * 0.05)
    ours = Encoder(config_from_bert(config.to_dict()))
    load_bert_weights(ours, theirs.state_dict())
    yield Pair(theirs, ours.eval())
    berts_numbers.cache_clear()  # it holds 870 MB of parameters


@pytest.fixture(params=["bundled", "random bert-base"])
def pair(request: pytest.FixtureRequest) -> Pair:
    return request.getfixturevalue("bundled_pair" if request.param == "bundled" else "random_pair")


@pytest.fixture(params=["one text", "a pair", "a padded batch"])
def batch(request: pytest.FixtureRequest, batches: dict[str, Batch]) -> Batch:
    return batches[request.param]


def check_parity(ours: Numbers, theirs: Numbers, attention_mask: Tensor) -> None:
    """In the order of computation, so that what fails first is where it went wrong."""
    real = attention_mask.bool()
    _compare("embeddings", "", ours.hidden_states[0][real], theirs.hidden_states[0][real], HIDDEN_TOLERANCE)
    assert len(ours.hidden_states) == len(theirs.hidden_states)
    for layer in range(len(theirs.weights)):
        if ours.weights:
            # Rows of padding are not compared; their columns are.
            our_rows, their_rows = (side.weights[layer].transpose(1, 2)[real] for side in (ours, theirs))
            _compare("weights", f" of layer {layer}", our_rows, their_rows, WEIGHT_TOLERANCE)
        our_states, their_states = (side.hidden_states[layer + 1][real] for side in (ours, theirs))
        _compare("hidden states", f" after layer {layer}", our_states, their_states, HIDDEN_TOLERANCE)


def _compare(what: str, where: str, ours: Tensor, theirs: Tensor, tolerance: float) -> None:
    assert ours.shape == theirs.shape, f"{what}{where}: {tuple(ours.shape)}, BERT has {tuple(theirs.shape)}"
    drift = float((ours - theirs).abs().max())
    assert drift <= tolerance, (
        f"{what}{where} differ from BERT's by {drift:.2g} (tolerance {tolerance:.0e}), everything before agrees: "
        f"look at {CAUSES[what]}"
    )


@pytest.mark.parametrize("fused", [False, True], ids=["unfused", "fused"])
def test_every_layer_equals_berts(pair: Pair, batch: Batch, fused: bool) -> None:
    check_parity(pair.our_numbers(batch, fused=fused), berts_numbers(pair, batch), batch.attention_mask)


def test_each_layer_alone_equals_berts(pair: Pair, batch: Batch) -> None:
    """Every layer is given BERT's own input, so that a layer's error is its own and no earlier one makes up for it."""
    theirs = berts_numbers(pair, batch)
    mask, real = batch.attention_mask.bool()[:, None, None, :], batch.attention_mask.bool()
    for index, layer in enumerate(pair.ours.layers):
        with torch.no_grad():
            after = layer(theirs.hidden_states[index], mask)
        _compare(
            "hidden states",
            f" after layer {index}, given BERT's input",
            after[real],
            theirs.hidden_states[index + 1][real],
            HIDDEN_TOLERANCE,
        )


@pytest.mark.parametrize(("name", "texts"), [("one text", FLIES[:1]), ("a pair", FLIES)])
def test_the_trace_equals_bert(
    pair: Pair, scratch_bert: Backend, batches: dict[str, Batch], name: str, texts: tuple[str, ...]
) -> None:
    backend = ScratchBackend("ours", pair.ours, scratch_bert.tokenizer)
    theirs = berts_numbers(pair, batches[name])
    check_parity(traced(backend, backend.tokenize(*texts)), theirs, batches[name].attention_mask)


def test_the_trace_of_a_padded_text_equals_bert(pair: Pair, scratch_bert: Backend) -> None:
    backend = ScratchBackend("ours", pair.ours, scratch_bert.tokenizer)
    tokens = with_padding(scratch_bert.tokenize(*FLIES), 4, 0)
    batch = batch_of([tokens])
    check_parity(traced(backend, tokens), berts_numbers(pair, batch), batch.attention_mask)


@pytest.mark.parametrize("name", ["bundled", "scratch-bert"])
def test_the_models_on_offer_equal_the_pretrained_one(name: str, pretrained: Backend) -> None:
    """What the page shows under both names; the pretrained one is captured from transformers' fused attention."""
    ours, theirs = encoder.load(name).trace(*FLIES), pretrained.trace(*FLIES)
    assert ours.tokens == theirs.tokens
    for name, part in theirs.embedding_parts.items():
        np.testing.assert_allclose(ours.embedding_parts[name], part, atol=1e-7, err_msg=name)
    for layer in range(theirs.num_layers):
        np.testing.assert_allclose(ours.scores(layer), theirs.scores(layer), atol=1e-4, err_msg=f"scores {layer}")
        np.testing.assert_allclose(ours.weights(layer), theirs.weights(layer), atol=WEIGHT_TOLERANCE)
    np.testing.assert_allclose(ours.hidden_states, theirs.hidden_states, atol=HIDDEN_TOLERANCE)


# That the comparison means something


def test_our_own_code_runs(pair: Pair, batches: dict[str, Batch], monkeypatch: pytest.MonkeyPatch) -> None:
    origins = {type(module).__module__ for module in pair.ours.modules()}
    assert {"encoder.transformer.attention", "encoder.transformer.encoder"} <= origins
    assert all(origin.startswith(("encoder.", "torch.nn.")) for origin in origins), origins

    def never(*_: object, **__: object) -> None:
        raise RuntimeError("this is transformers' code")

    for theirs in {type(module) for module in pair.theirs.modules() if "transformers" in type(module).__module__}:
        monkeypatch.setattr(theirs, "forward", never)
    with pytest.raises(RuntimeError, match="transformers' code"):
        pair.theirs(batches["a pair"].input_ids)
    assert bool(pair.our_numbers(batches["a pair"], fused=False).hidden_states[-1].isfinite().all())


@pytest.mark.parametrize(
    ("parameter", "complaint"),
    [
        ("embeddings.position.weight", r"^embeddings differ .* look at a table"),
        ("layers.3.attention.query.weight", r"^weights of layer 3 differ .* look at the query or key projection"),
        ("layers.3.attention.value.weight", r"^hidden states after layer 3 differ .* look at the value or output"),
        ("layers.5.feed_forward.down.bias", r"^hidden states after layer 5 differ"),
    ],
)
def test_a_small_error_is_found_where_it_was_made(
    bundled_pair: Pair, batches: dict[str, Batch], parameter: str, complaint: str
) -> None:
    batch = batches["a pair"]
    weight = bundled_pair.ours.get_parameter(parameter)
    original = weight.detach().clone()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        weight += 1e-3 * torch.randn(weight.shape, generator=generator)
    try:
        ours = bundled_pair.our_numbers(batch, fused=False)
        with pytest.raises(AssertionError, match=complaint):
            check_parity(ours, berts_numbers(bundled_pair, batch), batch.attention_mask)
    finally:
        with torch.no_grad():
            weight.copy_(original)


def traced(backend: Backend, tokens: Tokens) -> Numbers:
    """A trace as tensors with a batch axis."""
    trace = backend.run(tokens)
    return Numbers(
        tuple(torch.tensor(states)[None] for states in trace.hidden_states),
        tuple(torch.tensor(trace.weights(layer))[None] for layer in range(trace.num_layers)),
    )
