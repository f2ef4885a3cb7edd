"""Fine-tuning for sentiment: the adapter, the weights that stay frozen, and the head on frozen states."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedModel

from encoder.lab.training.adapter import Settings, Training, draw, metadata_of, predict, shipped_tensors, soft_classes
from encoder.lab.training.data import Review
from encoder.lab.training.examples import Example, encode_reviews
from encoder.lab.training.sentiment import FrozenSettings, fit
from encoder.shipped.sentiment import merge_adapter, read_head
from encoder.shipped.weights_file import trained_weights
from encoder.text.tokenizer import Tokenizer
from tests.encoder.random_models import build, wordpiece_tokenizer

LENGTHS = st.lists(st.integers(1, 40), max_size=60)
SETTINGS = Settings(
    rank=2,
    epochs=4,
    decay_epochs=1,
    patience=4,
    sentences=6,
    phrases=6,
    tokens_per_batch=32,
    learning_rate=2e-2,
    head_learning_rate=5e-2,
    warmup_steps=1,
)


def reviews() -> list[Review]:
    """Twelve texts whose sentiment one word decides."""
    texts = [("time flies", 2, 0.9), ("an arrow", 0, 0.1), ("fruit", 1, 0.5)]
    return [
        Review(text=f"{text} {'like ' * times}", treebank_text=text, score=score, sentiment=label, fine_class=label)
        for text, label, score in texts
        for times in range(4)
    ]


def small_bert() -> PreTrainedModel:
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    return build("BertModel", "BertConfig", vocab_size=len(wordpiece_tokenizer()), **sizes)


def training(**changes: Any) -> tuple[Training, list[Any]]:
    torch.manual_seed(3)
    encoded = encode_reviews(Tokenizer(wordpiece_tokenizer(), max_length=16), reviews())
    return Training(replace(SETTINGS, **changes), small_bert()), [encoded, encoded, encoded]


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing.*:FutureWarning")
class TestTraining:
    """A tiny adapter on twelve texts."""

    def test_the_loss_falls_and_only_the_adapter_and_the_head_change(self) -> None:
        tiny, data = training()
        before = {name: value.detach().clone() for name, value in tiny.model.named_parameters()}
        while not tiny.is_over():
            tiny.run_epoch(*data)
        assert tiny.history[-1]["loss"] < 0.7 * tiny.history[0]["loss"]
        changed = {name for name, value in tiny.model.named_parameters() if not torch.equal(value, before[name])}
        assert changed == set(trained_weights(tiny.model))
        assert all("lora_" in name or name.startswith("head.") for name in changed)

    def test_what_ships_is_the_mean_of_the_weights(self) -> None:
        tiny, data = training(averaging=0.5)
        steps: list[torch.Tensor] = []
        average = tiny._update_average
        tiny._update_average = lambda: (average(), steps.append(tiny.model.head.bias.detach().clone()))  # type: ignore[method-assign]
        mean = tiny.model.head.bias.detach().clone()
        tiny.run_epoch(*data)
        for step in steps:
            mean = (mean + step) / 2
        torch.testing.assert_close(tiny.best["tensors"]["head.bias"], mean)
        torch.testing.assert_close(tiny.model.head.bias.detach(), steps[-1], atol=0, rtol=0)

    def test_merging_gives_what_the_adapter_gave(self) -> None:
        tiny, data = training(averaging=0.0)  # what ships is the mean of the weights: here, the last ones
        tiny.run_epoch(*data)
        outputs = predict(tiny.model, data[0])
        tensors = shipped_tensors(tiny.best["tensors"])
        extras = metadata_of(tiny.settings, layers=2)
        head = read_head(tensors, extras)
        torch.manual_seed(3)
        plain = small_bert()
        merge_adapter(plain, tensors, scale=float(extras["scale"]))
        assert json.loads(extras["states"]) == [[2, "mean"]]
        for example, expected in zip(data[0], outputs, strict=True):
            with torch.inference_mode():
                states = torch.cat(plain(torch.tensor(example.ids)[None], output_hidden_states=True).hidden_states)
            np.testing.assert_allclose(head.predict(states.numpy()).logits, expected[:-1].numpy(), atol=5e-3)


@given(LENGTHS, st.integers(40, 200), st.integers(0, 3))
def test_epochs_draw_every_text_in_turn(lengths: list[int], budget: int, epoch: int) -> None:
    texts = [Example(np.full(length, index)) for index, length in enumerate(lengths)]
    settings = replace(SETTINGS, sentences=len(texts), phrases=0, tokens_per_batch=budget)
    batches = draw(texts, [], settings, epoch=epoch)
    assert sorted(int(text.ids[0]) for batch in batches for text in batch) == list(range(len(texts)))
    assert all(max(len(text.ids) for text in batch) * len(batch) <= budget for batch in batches)


def test_a_class_near_a_border_is_shared_with_the_next() -> None:
    classes = soft_classes(torch.tensor([0.0, 0.4, 0.5, 0.61, 1.0]), 0.08)
    torch.testing.assert_close(classes.sum(1), torch.ones(5))
    assert classes.argmax(1).tolist()[0::2] == [0, 1, 2]
    torch.testing.assert_close(classes[1, 0], torch.tensor(0.5), atol=1e-6, rtol=0)
    assert 0.5 < classes[3, 2] < 0.6
    assert classes[4, 2] > 0.999


def test_the_frozen_head_finds_what_can_be_read_off() -> None:
    random = np.random.default_rng(0)
    inputs = random.normal(size=(300, 8)).astype(np.float32) * 3 + 1
    labels = torch.from_numpy(inputs[:, :3].argmax(1))
    tensors = fit(inputs, labels, torch.from_numpy(inputs[:, 0]).sigmoid(), FrozenSettings(decay=1e-4))
    outputs = inputs @ tensors["head.weight"].float().numpy().T + tensors["head.bias"].float().numpy()
    assert (outputs[:, :3].argmax(1) == labels.numpy()).mean() > 0.95
