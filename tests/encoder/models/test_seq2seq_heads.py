"""Encoder-decoders with a head: the encoder is shown, the decoder is read, and both read the text."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

import encoder
from encoder.attribution.explaining import explain
from encoder.attribution.gradients import masked_ends
from encoder.attribution.questions import Method, Question
from encoder.attribution.target import resolve_target
from encoder.catalogue import load_writer
from encoder.comparison.text_path import text_path
from encoder.errors import UnsupportedModelError
from encoder.models.loading import load_folder
from encoder.models.pretrained import DECODER_NOTE, PretrainedBackend
from tests.encoder.random_models import BART, HEADS, T5, A, B, build, byte_tokenizer, save

CLOSE = 2e-5  # measured: at most 2e-6
WIDTH, LAYERS = 32, 2
BARTS = BART | {"encoder_layers": LAYERS, "max_position_embeddings": 64, "init_std": 0.2, "num_labels": 3}
T5_IDS = {"decoder_start_token_id": 1, "pad_token_id": 1, "eos_token_id": 2, "num_labels": 3}
FAMILIES = {"Bart": BARTS, "MBart": BARTS, "PLBart": BARTS, "T5": T5 | T5_IDS, "UMT5": T5 | T5_IDS}
# Of the first layer's heads together, in T5 and in the others.
PROJECTIONS = ("transformer.encoder.block.0.layer.0.SelfAttention.o", "model.encoder.layers.0.self_attn.out_proj")
FAMILY = pytest.mark.parametrize("family", FAMILIES)
Load = Callable[[str], tuple[PretrainedBackend, Any]]


def make(family: str, head: str, folder: Path) -> tuple[PretrainedBackend, Any]:
    """A model with random weights, loaded by us, and the same in eager mode."""
    tokenizer = byte_tokenizer(framed=True)
    model = build(f"{family}{head}", f"{family}Config", vocab_size=len(tokenizer), **FAMILIES[family])
    backend = load_folder("m", save(model, folder, tokenizer))
    model.set_attn_implementation("eager")
    return backend, model


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """A classifier of a family, made once."""
    made: dict[str, tuple[PretrainedBackend, Any]] = {}

    def of_family(family: str) -> tuple[PretrainedBackend, Any]:
        if family not in made:
            made[family] = make(family, "ForSequenceClassification", tmp_path_factory.mktemp(family))
        return made[family]

    return of_family


@torch.inference_mode()
def eager(model: Any, ids: tuple[int, ...]) -> Any:
    return model(input_ids=torch.tensor([ids]), output_attentions=True, output_hidden_states=True)


@FAMILY
def test_classes_and_the_encoder_equal_those_of_transformers(load: Load, family: str) -> None:
    backend, model = load(family)
    for texts in ((A,), (A, B)):
        trace = backend.trace(*texts)
        expected = eager(model, trace.tokens.ids)
        assert trace.num_layers == len(expected.encoder_attentions)
        for layer, weights in enumerate(expected.encoder_attentions):
            assert_allclose(trace.weights(layer), weights[0].numpy(), atol=CLOSE)
        assert_allclose(trace.hidden_states, torch.cat(expected.encoder_hidden_states).numpy(), atol=CLOSE)
        assert_allclose(trace.prediction.logits, expected.logits[0].numpy(), atol=CLOSE)
        assert trace.notes == (DECODER_NOTE,)


@FAMILY
def test_batches_of_texts_and_pairs_get_the_classes_of_each(load: Load, family: str) -> None:
    backend, _ = load(family)
    texts = [A, (A, B), "time", (B, A)]
    for found, text in zip(backend.traces(texts), texts, strict=True):
        alone = backend.trace(*text) if isinstance(text, tuple) else backend.trace(text)
        assert found.tokens.ids == alone.tokens.ids
        assert_allclose(found.prediction.logits, alone.prediction.logits, atol=CLOSE)
        assert_allclose(found.hidden_states, alone.hidden_states, atol=CLOSE)
    [states] = backend.hidden_states([alone.tokens])
    assert_allclose(states, alone.hidden_states, atol=CLOSE)


@FAMILY
def test_a_silenced_head_of_the_encoder_changes_the_classes(tmp_path: Path, family: str) -> None:
    backend, model = make(family, "ForSequenceClassification", tmp_path)
    projection = model.get_submodule(PROJECTIONS["T5" not in family])
    with torch.no_grad():
        projection.weight[:, : projection.in_features // HEADS] = 0
    trace = backend.trace(A, silenced_heads=[(0, 0)])
    assert_allclose(trace.prediction.logits, eager(model, trace.tokens.ids).logits[0].numpy(), atol=CLOSE)
    plain = backend.trace(A).prediction
    assert not np.allclose(trace.prediction.logits, plain.logits, atol=1e-3)


@pytest.mark.parametrize("method", ["integrated-gradients", "leave-one-out", "shapley"])
@pytest.mark.parametrize("family", ["Bart", "T5"])
def test_words_add_to_a_class_through_encoder_and_decoder(load: Load, family: str, method: Method) -> None:
    backend, _ = load(family)
    target = resolve_target(backend, Question(kind="class", texts=(A, None)))
    found = explain(backend, target, method)
    assert found.words == tuple(A.split())
    if found.completeness_error is not None:
        assert found.completeness_error < 0.01


def test_the_vectors_of_a_word_are_those_that_encoder_and_decoder_read(load: Load) -> None:
    backend, _ = load("Bart")
    tokens = backend.tokenize(A)
    place = tokens.word_ids.index(2)
    ends = masked_ends(backend, tokens, kept=[other for other in range(len(tokens)) if other != place])
    of_encoder, of_decoder = (ends.text != ends.baseline).chunk(2, -1)  # (T, D) each
    assert_array_equal(np.flatnonzero(of_encoder.any(-1)), [place])
    assert_array_equal(np.flatnonzero(of_decoder.any(-1)), [place])


def test_the_similarity_of_texts_is_the_encoders(load: Load) -> None:
    backend, _ = load("Bart")
    tokens = backend.tokenize(A)
    units = tuple((place,) for place, word in enumerate(tokens.word_ids) if word is not None)
    path = text_path(backend, tokens, units, points=4)
    assert path.delta.shape == (len(tokens), WIDTH)
    mean = backend.trace(A).hidden_states[-1].mean(0)
    assert_allclose(path.vector / np.linalg.norm(path.vector), mean / np.linalg.norm(mean), atol=1e-4)


def test_a_classifier_in_memory_is_wrapped(load: Load) -> None:
    backend, _ = load("MBart")
    wrapped = encoder.wrap(backend.model, backend.tokenizer.inner)
    found, expected = wrapped.trace(A).prediction, backend.trace(A).prediction
    assert_array_equal(found.logits, expected.logits)


def test_the_decoder_view_sends_a_classifier_to_the_page(tmp_path: Path) -> None:
    make("Bart", "ForSequenceClassification", tmp_path)
    with pytest.raises(UnsupportedModelError, match=r"\(BartForSequenceClassification\) writes no text: choose it"):
        load_writer(str(tmp_path))
