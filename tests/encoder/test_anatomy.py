"""The walk's tensors against the model's own, and every change by its numbers."""

from typing import Any, cast

import numpy as np
import pytest
import torch

import encoder
from encoder import Backend
from encoder.anatomy.cells import WORKED, logit
from encoder.anatomy.masks import PADDING, masked
from encoder.anatomy.names import STEPS, TITLES, Mask
from encoder.anatomy.readout import readout
from encoder.anatomy.record import Record, private_copy, record
from encoder.anatomy.steps import source_of
from encoder.anatomy.walk import BUILDERS, build, is_ours, ours
from encoder.anatomy.what_if import changed, pre_norm, shuffled
from encoder.errors import ConfigError, SelectionError, UnsupportedModelError
from encoder.measures.anatomy import total_variation
from encoder.model import Encoder, EncoderOutput
from encoder.scratch import ScratchBackend
from encoder.tokens import Tokens

A, B = "time flies like an arrow", "fruit flies like a banana"
LAYER, HEAD = 1, 2
TEXTS = {"pair": (A, B), "one word": ("time", None), "60 words": ("the quick brown fox jumps " * 12, None)}


@pytest.fixture(scope="module", params=["scratch-bert", "scratch", "scratch-untrained"])
def backend(request: pytest.FixtureRequest) -> ScratchBackend:
    return ours(encoder.load(request.param))


@pytest.fixture(scope="module", params=TEXTS)
def tokens(request: pytest.FixtureRequest, backend: ScratchBackend) -> Tokens:
    return backend.tokenize(*TEXTS[request.param])


@pytest.fixture(scope="module")
def seen(backend: ScratchBackend, tokens: Tokens) -> Record:
    return record(backend.encoder, tokens, layer=LAYER)


@torch.inference_mode()
def whole_pass(encoder: Encoder, tokens: Tokens) -> EncoderOutput:
    return encoder(torch.tensor([tokens.ids]), torch.tensor([tokens.token_type_ids]))


def test_every_tensor_is_what_the_model_used(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    output = whole_pass(backend.encoder, tokens)
    attention = output.attentions[LAYER]
    for name in ("query", "key", "value", "scores", "weights", "context"):
        np.testing.assert_array_equal(getattr(seen, name), getattr(attention, name)[0].numpy(), err_msg=name)
    assert len(seen.hidden_states) == backend.num_layers + 1
    for entry, state in enumerate(output.hidden_states):
        np.testing.assert_array_equal(seen.hidden_states[entry], state[0].numpy(), err_msg=str(entry))
    # √K is taken in double precision by the model, and rounded when the scores are divided.
    np.testing.assert_array_equal(seen.products / np.float32(np.sqrt(backend.encoder.config.head_width)), seen.scores)


@torch.inference_mode()
def test_every_step_follows_from_the_one_before(backend: ScratchBackend, seen: Record) -> None:
    """Each recorded tensor through the model's own next module is the next recorded tensor, to the last bit."""
    block: Any = backend.encoder.layers[LAYER]

    def of(array: Any) -> torch.Tensor:
        return torch.tensor(array)[None]

    embeddings = backend.encoder.embeddings
    parts = embeddings.parts(torch.tensor([seen.tokens.ids]), torch.tensor([seen.tokens.token_type_ids]))
    for name, part in parts.items():
        np.testing.assert_array_equal(seen.parts[name], part[0].numpy())
    after = {
        "hidden_states": embeddings.norm(of(seen.embedding_sum)),
        "merged": block.attention.merge_heads(of(seen.context)),
        "attended": block.attention.output(of(seen.merged)),
        "attention_sum": of(seen.layer_input) + of(seen.attended),
        "attention_normed": block.attention_norm(of(seen.attention_sum)),
        "inner": block.feed_forward.up(of(seen.attention_normed)),
        "activated": block.feed_forward.activation(of(seen.inner)),
        "fed": block.feed_forward.down(of(seen.activated)),
        "output_sum": of(seen.attention_normed) + of(seen.fed),
        "layer_output": block.feed_forward_norm(of(seen.output_sum)),
    }
    for name, tensor in after.items():
        recorded = getattr(seen, name)
        recorded = recorded[0] if name == "hidden_states" else recorded
        np.testing.assert_array_equal(recorded, tensor[0].numpy(), err_msg=name)


def test_a_record_changes_nothing_and_cannot_be_changed(backend: ScratchBackend, tokens: Tokens) -> None:
    before = whole_pass(backend.encoder, tokens).last_hidden_state
    seen = record(backend.encoder, tokens, layer=LAYER)
    changed(backend.encoder, tokens, layer=LAYER, what_ifs=("dropout", "no-positions", "one-head", "unscaled"))
    assert torch.equal(before, whole_pass(backend.encoder, tokens).last_hidden_state)
    assert not any(module.training or module._forward_hooks for module in backend.encoder.modules())
    with pytest.raises(ValueError, match="read-only"):
        seen.weights[0, 0, 0] = 1


def test_a_copy_has_modules_of_its_own_and_the_same_weights() -> None:
    backend = ours(encoder.load("scratch"))
    copied = private_copy(backend.encoder)
    assert not set(copied.modules()) & set(backend.encoder.modules())
    pairs = zip(copied.named_parameters(), backend.encoder.named_parameters(), strict=True)
    assert all(one is other and name == same for (name, one), (same, other) in pairs)
    assert [b.data_ptr() for b in copied.buffers()] == [b.data_ptr() for b in backend.encoder.buffers()]


def test_the_same_numbers_as_the_bundled_model(bundled: Backend, scratch_bert: Backend) -> None:
    seen = record(ours(scratch_bert).encoder, scratch_bert.tokenize(A, B), layer=LAYER)
    np.testing.assert_allclose(seen.weights, bundled.trace(A, B).weights(LAYER), atol=1e-5)


def test_layers_and_models_that_the_walk_cannot_open_are_refused(bundled: Backend, scratch_bert: Backend) -> None:
    encoder_ = ours(scratch_bert).encoder
    tokens = scratch_bert.tokenize(A)
    for call in (record, lambda *a, **k: masked(*a, mask="none", **k), lambda *a, **k: changed(*a, what_ifs=(), **k)):
        with pytest.raises(SelectionError, match=r"Layer 6 .* 0 to 5"):
            cast(Any, call)(encoder_, tokens, layer=6)
    with pytest.raises(ConfigError, match="pre-norm"):
        record(Encoder(encoder_.config.with_changes(norm="pre", num_hidden_layers=1)), tokens, layer=0)
    assert is_ours(scratch_bert)
    assert not is_ours(bundled)
    with pytest.raises(UnsupportedModelError, match="bundled"):
        ours(bundled)


# Masks


def test_no_mask_is_the_model_as_it_is(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    free = masked(backend.encoder, tokens, layer=LAYER, mask="none")
    np.testing.assert_array_equal(free.weights, seen.weights)
    np.testing.assert_array_equal(free.scores, seen.scores)
    assert free.allowed.all()


def test_padding_changes_nothing_where_it_is_masked_and_something_where_it_is_not(
    backend: ScratchBackend, tokens: Tokens, seen: Record
) -> None:
    length = len(tokens)
    padded = masked(backend.encoder, tokens, layer=LAYER, mask="padding")
    assert padded.padding == PADDING
    assert padded.weights.shape[1:] == (length + PADDING, length + PADDING)
    assert (padded.weights[:, :, length:] == 0).all()
    assert np.isneginf(padded.scores[:, :, length:]).all()
    # 2e-6: the longer batch takes another matrix kernel.
    np.testing.assert_allclose(padded.weights[:, :length, :length], seen.weights, atol=2e-6)
    assert (padded.free_weights[:, :length, length:] > 0).all()


def test_a_causal_mask_hides_what_comes_later(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    causal = masked(backend.encoder, tokens, layer=LAYER, mask="causal")
    later = np.triu(np.ones((len(tokens), len(tokens)), dtype=bool), 1)
    np.testing.assert_array_equal(causal.allowed, ~later)
    assert (causal.weights[:, later] == 0).all()
    np.testing.assert_array_equal(causal.weights[:, 0, 0], 1)
    np.testing.assert_allclose(causal.weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_array_equal(causal.scores[:, ~later], seen.scores[:, ~later])
    # What is left of each row is the model's own row without the later keys, scaled to sum to 1 again.
    expected = np.where(later, 0, seen.weights)
    np.testing.assert_allclose(causal.weights, expected / expected.sum(-1, keepdims=True), atol=1e-5)


# What if


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def test_nothing_changed_is_the_model_itself(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    same = changed(backend.encoder, tokens, layer=LAYER, what_ifs=())
    np.testing.assert_array_equal(same.weights, seen.weights)
    assert same.order == tuple(range(len(tokens)))
    assert total_variation(seen.weights, same.weights).max() == 0


def test_scaling_off_is_the_softmax_of_the_products(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    unscaled = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("unscaled",)).weights
    np.testing.assert_allclose(unscaled, softmax(seen.products), atol=1e-5)
    if len(tokens) > 3:
        assert unscaled.max(-1).mean() > seen.weights.max(-1).mean()


def test_one_head_is_as_wide_as_the_model(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    one = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("one-head",)).weights
    query, key = (seen.layer_input @ seen.parameters[f"attention.{n}.weight"].T
                  + seen.parameters[f"attention.{n}.bias"] for n in ("query", "key"))  # fmt: skip
    assert one.shape == (1, len(tokens), len(tokens))
    np.testing.assert_allclose(one[0], softmax(query @ key.T / np.sqrt(query.shape[1])), atol=1e-5)


def test_one_unscaled_head_is_the_softmax_of_all_heads_products(
    backend: ScratchBackend, tokens: Tokens, seen: Record
) -> None:
    both = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("unscaled", "one-head")).weights
    np.testing.assert_allclose(both[0], softmax(seen.products.sum(0)), atol=1e-4)


def test_dropout_zeroes_weights_and_is_the_same_each_time(scratch_bert: Backend) -> None:
    backend, tokens = ours(scratch_bert), scratch_bert.tokenize(A, B)
    state = torch.random.get_rng_state()
    one, two = (changed(backend.encoder, tokens, layer=0, what_ifs=("dropout",)).weights for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert torch.equal(torch.random.get_rng_state(), state)
    # A tenth of 12 × 13 × 13 weights, give or take four standard deviations.
    assert abs((one == 0).mean() - 0.1) < 4 * np.sqrt(0.09 / one.size)
    sums = one.sum(-1)
    assert sums.max() > 1.05
    assert sums.min() < 0.95


def test_dropout_of_states_alone_leaves_rows_that_sum_to_1() -> None:
    backend = ours(encoder.load("scratch"))
    assert backend.encoder.config.attention_probs_dropout_prob == 0
    tokens = backend.tokenize(A, B)
    dropped = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("dropout",)).weights
    np.testing.assert_allclose(dropped.sum(-1), 1, atol=1e-5)
    assert total_variation(record(backend.encoder, tokens, layer=LAYER).weights, dropped).mean() > 0.01


def test_without_positions_the_order_of_the_words_makes_no_difference(
    backend: ScratchBackend, tokens: Tokens, seen: Record
) -> None:
    without = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("no-positions",)).weights
    both = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("no-positions", "shuffled"))
    np.testing.assert_allclose(both.weights, without, atol=1e-5)
    assert total_variation(seen.weights, without).mean() > 1e-3
    if len(set(tokens.ids)) > 3:
        with_positions = changed(backend.encoder, tokens, layer=LAYER, what_ifs=("shuffled",))
        assert with_positions.order == both.order != tuple(range(len(tokens)))
        assert total_variation(seen.weights, with_positions.weights).mean() > 1e-3


def test_shuffling_keeps_sentences_words_and_special_tokens(scratch_bert: Backend) -> None:
    tokens = scratch_bert.tokenize("unbelievably fast runners win", "time [MASK] flies")
    order = shuffled(tokens)
    assert sorted(order) == list(range(len(tokens)))
    assert order != tuple(range(len(tokens)))
    moved = [tokens.labels[token] for token in order]
    for position, frame in enumerate(tokens.special):
        assert (order[position] == position) or not frame
        assert tokens.sentence_ids[order[position]] == tokens.sentence_ids[position]
    at = moved.index("un")
    assert moved[at : at + 5] == ["un", "##bel", "##ie", "##va", "##bly"]
    assert shuffled(scratch_bert.tokenize("time")) == (0, 1, 2)


@torch.inference_mode()
def test_pre_norm_is_the_layer_with_its_norm_in_front(backend: ScratchBackend, seen: Record) -> None:
    normed, added = pre_norm(backend.encoder, seen)
    block: Any = backend.encoder.layers[LAYER]
    x = torch.tensor(seen.layer_input)[None]
    np.testing.assert_array_equal(normed, block.attention_norm(x)[0].numpy())
    np.testing.assert_array_equal(added, (x + block.attention(block.attention_norm(x))[0])[0].numpy())


def test_total_variation_is_the_share_that_went_elsewhere() -> None:
    own = np.array([[1, 0], [0.5, 0.5]], dtype=np.float32)
    np.testing.assert_allclose(total_variation(own, own[:, ::-1]), [1, 0])


# Cells and heads


@pytest.mark.parametrize("key", WORKED)
def test_a_cell_is_the_sum_of_its_terms(key: Any, backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    step = build(key, backend, seen, head=HEAD)
    assert step.opened is not None
    rows, columns = step.opened.array.shape
    for row, column in ((0, 0), (rows - 1, columns - 1), (1, columns // 2)):
        worked = WORKED[key](seen, head=HEAD, row=row, column=column)
        assert worked.value == pytest.approx(float(step.opened.array[row, column]), abs=1e-7)
        assert worked.lines
        if not worked.terms:
            continue
        *_, last = worked.terms.values()
        total = float(np.sum(last, dtype=np.float64))
        units = seen.config.head_width * HEAD
        reached = {
            "projections": total + seen.parameters["attention.query.bias"][(units + column) % seen.config.hidden_size],
            "softmax": last[column % len(last)] / total,
            "output": total + seen.parameters["attention.output.bias"][column % seen.config.hidden_size],
            "feed-forward": total + seen.parameters["feed_forward.up.bias"][column],
        }.get(key, total)
        shown = seen.inner[row, column] if key == "feed-forward" else worked.value
        assert float(reached) == pytest.approx(float(shown), abs=2e-5), (row, column)


def test_the_numbers_in_a_line_are_those_of_the_tensors() -> None:
    backend = ours(encoder.load("scratch-bert"))
    seen = record(backend.encoder, backend.tokenize(A), layer=0)
    (line,) = WORKED["scaling"](seen, head=4, row=2, column=1).lines
    assert rf"\frac{{{seen.products[4, 2, 1]:.4g}}}{{5.657}} = {seen.scores[4, 2, 1]:.4g}" in line
    terms, total = WORKED["context"](seen, head=4, row=2, column=1).lines
    assert f"{abs(seen.weights[4, 2, 0] * seen.value[4, 0, 1]):.4g}" in terms
    assert total.endswith(f"{seen.context[4, 2, 1]:.4g}")


def test_logits_and_probabilities_are_the_models_own(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    read = readout(backend, seen)
    made = read.prediction
    for row in range(len(made.labels)):
        worked = logit(read, row=row)
        assert worked.value == pytest.approx(float(made.logits[row]))
        products = worked.terms["product"]
        assert float(products.sum(dtype=np.float64) + read.bias[row]) == pytest.approx(worked.value, abs=1e-4)
    score = float(read.weight[-1] @ read.state + read.bias[-1])
    assert made.score == pytest.approx(1 / (1 + np.exp(-score)) if read.squashed else score, abs=1e-5)
    twin = {"scratch-bert": "bundled"}.get(backend.name, backend.name)
    predicted = encoder.load(twin).run(tokens).prediction
    assert predicted is not None
    assert predicted.probabilities is not None
    np.testing.assert_allclose(made.probabilities, predicted.probabilities, atol=1e-5)
    assert made.trained == (backend.name != "scratch-untrained")


def test_weights_without_a_head_get_one_that_says_it_is_made_up(scratch_bert: Backend) -> None:
    known = ours(scratch_bert)
    other = ScratchBackend("scratch-bert:elsewhere", known.encoder, known.tokenizer)
    state = torch.random.get_rng_state()
    one, two = (readout(other, record(other.encoder, other.tokenize(A), layer=0)).prediction for _ in range(2))
    assert not one.trained
    assert "made up" in one.note
    np.testing.assert_array_equal(one.logits, two.logits)
    assert torch.equal(torch.random.get_rng_state(), state)


# The steps


def test_every_step_has_words_a_formula_and_real_code(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    assert tuple(BUILDERS) == STEPS == tuple(TITLES)
    for key in STEPS:
        step = build(key, backend, seen, head=HEAD)
        assert step.key == key
        assert len(step.text.split()) > 30
        assert step.formula.count("{") == step.formula.count("}")
        assert (step.opened is not None) == (key in WORKED)
        for made in step.sources:
            source = source_of(made)
            lines = (encoder_root() / source.file).read_text(encoding="utf-8").splitlines()
            assert lines[source.line - 1].strip() == source.code.splitlines()[0].strip()
        for row in step.tensors:
            for shown in row:
                assert shown.array.ndim == 2
                assert np.isfinite(shown.array).all()


def encoder_root() -> Any:
    from encoder.anatomy.steps import ROOT

    return ROOT


def test_formulas_carry_the_sizes_of_this_text() -> None:
    backend = ours(encoder.load("scratch-bert"))
    seen = record(backend.encoder, backend.tokenize(A), layer=0)
    formulas = {key: build(key, backend, seen, head=4).formula for key in STEPS}
    assert r"\underset{7 \times 32}{Q}" in formulas["projections"]
    assert r"\underset{384 \times 32}{W_Q}" in formulas["projections"]
    assert r"\underset{7 \times 7}{S}" in formulas["scores"]
    assert r"\underset{7 \times 384}{C}" in formulas["heads"]
    assert "1536" in formulas["feed-forward"]


@pytest.mark.parametrize("mask", ["none", "padding", "causal"])
def test_masks_keep_to_the_text_on_a_model_that_reads_no_more(mask: Mask) -> None:
    """A text as long as the model reads leaves no room for padding."""
    backend = ours(encoder.load("scratch"))
    tokens = backend.tokenize("flies " * 600)
    assert len(tokens) == 512
    assert masked(backend.encoder, tokens, layer=0, mask=mask).weights.shape[1] == 512
