"""The boxes of the architecture, each against its formula."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from jaxtyping import TypeCheckError
from torch import Tensor, nn

from encoder.errors import InputError, ShapeError
from encoder.models.scratch import ScratchBackend
from encoder.transformer.attention import MultiHeadAttention
from encoder.transformer.encoder import (
    Embeddings,
    Encoder,
    EncoderLayer,
    FeedForward,
    Regressor,
    SequenceClassifier,
    TokenClassifier,
    sinusoidal_positions,
)
from tests.encoder.random_models import SMALL as CONFIG

CLS = CONFIG.cls_token_id
IDS = torch.tensor([[CLS, 7, 8, 9, 102], [CLS, 10, 11, 102, 0]])
TYPES = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 1, 1, 0]])
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]])


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


def scrambled(module: nn.Module) -> nn.Module:
    """The module with every parameter random, so that no zero bias and no norm of ones can hide a mistake."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module.eval()


def states() -> Tensor:
    return torch.randn(2, 5, CONFIG.hidden_size)


def normalised(x: Tensor, norm: nn.LayerNorm) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    deviation = (centred.pow(2).mean(-1, keepdim=True) + 1e-12).sqrt()
    return centred / deviation * norm.weight + norm.bias


# Embeddings


def test_sinusoidal_positions_follow_the_formula_of_the_paper() -> None:
    table = sinusoidal_positions(50, 8)
    for position in (0, 1, 7, 49):
        for pair in range(4):
            angle = position / 10000 ** (2 * pair / 8)
            assert float(table[position, 2 * pair]) == pytest.approx(math.sin(angle), abs=1e-5)
            assert float(table[position, 2 * pair + 1]) == pytest.approx(math.cos(angle), abs=1e-5)


def test_token_types_default_to_sentence_a() -> None:
    embeddings = scrambled(Embeddings(CONFIG))
    assert torch.equal(embeddings(IDS), embeddings(IDS, torch.zeros_like(IDS)))
    assert not torch.equal(embeddings(IDS), embeddings(IDS, TYPES))


def test_sinusoidal_embeddings_use_the_table_and_never_learn_it() -> None:
    encoder = Encoder(replace(CONFIG, position_embedding="sinusoidal"))
    table = sinusoidal_positions(CONFIG.max_position_embeddings, CONFIG.hidden_size)
    assert torch.equal(encoder.embeddings.position.weight, table), "initialising the encoder must not overwrite it"
    encoder(IDS).last_hidden_state.sum().backward()
    assert encoder.embeddings.position.weight.grad is None
    assert encoder.embeddings.word.weight.grad is not None
    learned = Encoder(CONFIG)
    learned(IDS).last_hidden_state.sum().backward()
    assert learned.embeddings.position.weight.grad is not None


def test_more_tokens_than_positions_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"17 tokens.*16"):
        Embeddings(CONFIG)(torch.ones(1, 17, dtype=torch.long))


# Layers


def test_pre_norm_layer_leaves_the_residual_path_free() -> None:
    layer, x = scrambled(EncoderLayer(replace(CONFIG, norm="pre"))), states()
    y = x + layer.attention(normalised(x, layer.attention_norm))
    expected = y + layer.feed_forward(normalised(y, layer.feed_forward_norm))
    torch.testing.assert_close(layer(x), expected)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_encoder_hands_out_the_embeddings_and_what_leaves_every_layer(norm: str) -> None:
    encoder = scrambled(Encoder(replace(CONFIG, norm=norm)))
    output = encoder(IDS, TYPES, MASK)
    x = encoder.embeddings(IDS, TYPES)
    assert len(output.hidden_states) == CONFIG.num_hidden_layers + 1
    for index, layer in enumerate(encoder.layers):
        torch.testing.assert_close(output.hidden_states[index], x)
        x = layer(x, MASK.bool()[:, None, None, :])
    expected = normalised(x, encoder.final_norm) if norm == "pre" else x
    torch.testing.assert_close(output.hidden_states[-1], expected)
    assert torch.equal(output.last_hidden_state, output.hidden_states[-1])


# Shapes


@pytest.mark.parametrize(
    "call",
    [
        lambda: Encoder(CONFIG)(IDS[0]),
        lambda: Encoder(CONFIG)(IDS, TYPES[:1]),
        lambda: EncoderLayer(CONFIG)(states()[0]),
        lambda: FeedForward(CONFIG)(IDS),
        lambda: MultiHeadAttention(CONFIG).merge_heads(states()),
    ],
    ids=["no batch", "another batch", "no batch of states", "whole numbers", "no heads"],
)
def test_annotated_shapes_are_checked_at_every_call(call: Callable[[], object]) -> None:
    with pytest.raises(TypeCheckError, match="Type-check error"):
        call()


# Dropout


def test_every_model_on_offer_is_in_evaluation_mode(scratch_bert: ScratchBackend, bundled: ScratchBackend) -> None:
    assert not any(module.training for model in (scratch_bert, bundled) for module in model.encoder.modules())


def test_dropout_probabilities_come_from_the_config() -> None:
    encoder = Encoder(replace(CONFIG, hidden_dropout_prob=0.25, attention_probs_dropout_prob=0.375))
    of_weights = [layer.attention.attend.dropout for layer in encoder.layers]
    others = [module for module in encoder.modules() if isinstance(module, nn.Dropout) and module not in of_weights]
    assert [module.p for module in of_weights] == [0.375] * CONFIG.num_hidden_layers
    assert [module.p for module in others] == [0.25] * (1 + 2 * CONFIG.num_hidden_layers)


# Heads


def test_sequence_classifier_gives_three_views_of_the_same_scores() -> None:
    head, hidden = scrambled(SequenceClassifier(CONFIG, 4)), states()
    classes = head(hidden, IDS)
    torch.testing.assert_close(classes.logits, hidden[:, 0] @ head.output.weight.T + head.output.bias)
    assert classes.logits.shape == classes.log_probabilities.shape == classes.probabilities.shape == (2, 4)
    torch.testing.assert_close(classes.log_probabilities, classes.probabilities.log())
    torch.testing.assert_close(classes.probabilities, classes.logits.exp() / classes.logits.exp().sum(1, keepdim=True))


def test_log_probabilities_stay_finite_where_probabilities_vanish() -> None:
    head, hidden = scrambled(SequenceClassifier(CONFIG, 4)), states() * 1000
    classes = head(hidden, IDS)
    assert bool((classes.probabilities == 0).any())
    assert bool(classes.log_probabilities.isfinite().all())


def test_token_classifier_judges_every_token() -> None:
    head, hidden = scrambled(TokenClassifier(CONFIG, 4)), states()
    classes = head(hidden)
    assert classes.logits.shape == (2, 5, 4)
    torch.testing.assert_close(classes.logits, hidden @ head.output.weight.T + head.output.bias)
    torch.testing.assert_close(classes.log_probabilities, classes.probabilities.log())
    torch.testing.assert_close(classes.probabilities.sum(-1), torch.ones(2, 5))


def test_regressor_gives_one_number_per_text() -> None:
    head, hidden = scrambled(Regressor(CONFIG)), states()
    score = head(hidden, IDS)
    assert score.shape == (2,)
    torch.testing.assert_close(score, hidden[:, 0] @ head.output.weight[0] + head.output.bias)


@pytest.mark.parametrize("head", [SequenceClassifier(CONFIG, 2), Regressor(CONFIG)], ids=["classes", "score"])
def test_heads_on_cls_refuse_a_text_without_cls(head: nn.Module) -> None:
    headless = IDS.clone()
    headless[1, 0] = 7
    with pytest.raises(InputError, match=rf"\[CLS\] has id {CLS}.*\[7, {CLS}\]: encode them with special tokens"):
        head(states(), headless)


def test_boxes_and_heads_drop_only_while_training() -> None:
    hidden = states()
    parts: list[tuple[nn.Module, Callable[[nn.Module], Tensor]]] = [
        (Embeddings(CONFIG), lambda box: box(IDS)),
        (FeedForward(CONFIG), lambda box: box(hidden)),
        (SequenceClassifier(CONFIG, 4), lambda head: head(hidden, IDS).logits),
        (TokenClassifier(CONFIG, 4), lambda head: head(hidden).logits),
        (Regressor(CONFIG), lambda head: head(hidden, IDS)),
    ]
    for part, run in parts:
        assert not torch.equal(run(part), run(part))
        part.eval()
        assert torch.equal(run(part), run(part))
