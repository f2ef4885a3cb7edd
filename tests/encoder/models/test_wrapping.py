"""A model in memory: traced as its folder is, and left as it was."""

import copy
import pickle
from typing import Any

import numpy as np
import peft
import pytest
import torch
import transformers
from numpy.testing import assert_array_equal
from torch import nn
from transformers import AutoTokenizer, PreTrainedModel

import encoder
from encoder import Trace
from encoder.attribution.explaining import explain
from encoder.attribution.questions import Method, Question
from encoder.attribution.target import resolve_target
from encoder.errors import ArgumentError, HeadlightError, UnsupportedModelError
from encoder.models.loading import load_folder
from tests.encoder.random_models import BERT_SIZES, FAMILIES, T5, A, B, Zoo, build, save, wordpiece_tokenizer


def in_memory(zoo: Zoo, family: str) -> tuple[PreTrainedModel, Any]:
    model_class = getattr(transformers, FAMILIES[family].model_class)
    folder = zoo.folder(family)
    return model_class.from_pretrained(folder, attn_implementation="eager"), AutoTokenizer.from_pretrained(folder)


def settings_of(model: nn.Module) -> list[Any]:
    """What a run could change: modes, attention, padding, gradients, and random numbers to come."""
    modules = list(model.modules())
    configs = [module.config for module in modules if hasattr(module, "config")]
    gradients = [None if each.grad is None else each.grad.clone() for each in model.parameters()]
    flags = [each.requires_grad for each in model.parameters()]
    return [
        [module.training for module in modules],
        [getattr(config, "_attn_implementation", None) for config in configs],
        [config.pad_token_id for config in configs],
        [None if each is None else each.tolist() for each in gradients],
        flags,
        torch.get_rng_state().tolist(),
    ]


def assert_same(found: Trace, expected: Trace) -> None:
    for layer in range(expected.num_layers):
        assert_array_equal(found.weights(layer), expected.weights(layer))
    assert_array_equal(found.hidden_states, expected.hidden_states)
    if expected.prediction is not None:
        assert_array_equal(found.prediction.logits, expected.prediction.logits)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_in_memory_is_traced_as_its_folder_is_and_left_as_it_was(zoo: Zoo, family: str) -> None:
    model, tokenizer = in_memory(zoo, family)
    model.train()
    next(iter(model.children())).eval()  # a part that is frozen, for example
    before = settings_of(model)
    backend = encoder.wrap(model, tokenizer, name="mine")
    trace = backend.trace(A, B)
    assert trace.model_name == "mine"
    assert_same(trace, zoo.backend(family).trace(A, B))
    next(iter(backend.hidden_states([backend.tokenize(A)])))
    assert settings_of(model) == before
    assert tokenizer(A * 99)["input_ids"] == AutoTokenizer.from_pretrained(zoo.folder(family))(A * 99)["input_ids"]


METHODS: tuple[Method, ...] = ("integrated-gradients", "decompx")


def classifier() -> PreTrainedModel:
    return build("BertForSequenceClassification", "BertConfig", **BERT_SIZES, vocab_size=len(wordpiece_tokenizer()))


def test_later_steps_of_a_training_are_seen(tmp_path: Any) -> None:
    model, tokenizer = classifier().train(), wordpiece_tokenizer()
    backend = encoder.wrap(model, tokenizer)
    first = backend.trace(A)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batch = tokenizer([A, B], return_tensors="pt", padding=True)
    for _ in range(2):
        model(**batch, labels=torch.tensor([0, 1])).loss.backward()
        before = settings_of(model)
        backend.trace(A)
        target = resolve_target(backend, Question(kind="class", texts=(A, None)), backend.trace)
        values = [explain(backend, target, method).values for method in METHODS]
        assert settings_of(model) == before
        evaluated = encoder.wrap(copy.deepcopy(model).eval(), tokenizer)
        assert_array_equal(values, [explain(evaluated, target, method).values for method in METHODS])
        optimizer.step()
    trace = backend.trace(A)
    assert not np.array_equal(trace.hidden_states, first.hidden_states)
    assert_same(trace, load_folder("again", save(copy.deepcopy(model), tmp_path, tokenizer)).trace(A))


def test_an_error_in_a_run_leaves_the_model_as_it_was() -> None:
    model = classifier().train()
    backend = encoder.wrap(model, wordpiece_tokenizer())
    before = settings_of(model)
    with torch.no_grad():
        model.bert.embeddings.word_embeddings.weight.fill_(float("nan"))
    with pytest.raises(HeadlightError):
        backend.trace(A)
    assert settings_of(model) == before


def test_adapters_and_wrappers_are_looked_into() -> None:
    model, tokenizer = classifier(), wordpiece_tokenizer()
    bare = encoder.wrap(model, tokenizer).trace(A)
    assert_same(encoder.wrap(nn.DataParallel(model), tokenizer).trace(A), bare)
    adapted = peft.get_peft_model(model, peft.LoraConfig(target_modules=["query"], init_lora_weights=False))
    backend = encoder.wrap(adapted, tokenizer)
    trace = backend.trace(A)
    assert not np.array_equal(trace.weights(0), bare.weights(0))
    with adapted.disable_adapter():
        assert_same(backend.trace(A), bare)


def test_a_model_is_named_after_its_folder_or_its_class(zoo: Zoo) -> None:
    model, tokenizer = in_memory(zoo, "bert")
    assert encoder.wrap(model, tokenizer).name == str(zoo.folder("bert"))
    assert encoder.wrap(classifier(), tokenizer).name == "BertForSequenceClassification"


class SlowTokenizer:
    is_fast = False


REFUSED: dict[str, tuple[Any, type[HeadlightError], str]] = {
    "no model": (lambda: (nn.Linear(2, 2), wordpiece_tokenizer()), ArgumentError, "not a Linear"),
    "no tokenizer": (lambda: (classifier(), None), ArgumentError, "not a NoneType"),
    "a slow tokenizer": (lambda: (classifier(), SlowTokenizer()), ArgumentError, "not a SlowTokenizer"),
    "no values": (lambda: (classifier().to("meta"), wordpiece_tokenizer()), UnsupportedModelError, "meta device"),
    "an encoder-decoder": (
        lambda: (build("T5Model", "T5Config", **T5, vocab_size=99), wordpiece_tokenizer()),
        UnsupportedModelError,
        "wrap its encoder",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_wrapped_is_explained_in_one_sentence(kind: str) -> None:
    make, error, message = REFUSED[kind]
    with pytest.raises(error, match=message) as caught:
        encoder.wrap(*make())
    assert "\n" not in str(caught.value)


def test_the_encoder_of_an_encoder_decoder_is_wrapped() -> None:
    whole = build("T5Model", "T5Config", **T5, vocab_size=len(wordpiece_tokenizer()))
    assert encoder.wrap(whole.get_encoder(), wordpiece_tokenizer()).trace(A).num_layers == 3


def test_a_wrapped_model_is_still_copied_and_its_weights_saved() -> None:
    model = classifier()
    encoder.wrap(model, wordpiece_tokenizer()).trace(A)
    copied = copy.deepcopy(model)
    assert pickle.dumps(copied.state_dict())
