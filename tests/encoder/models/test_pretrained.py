"""Models of `transformers`: positions, embeddings and predictions."""

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import encoder
from encoder.attribution.quantities import batch_of
from encoder.errors import CheckpointError
from encoder.models.loading import load_folder
from tests.encoder.random_models import (
    FAMILIES,
    LAYERS,
    WIDTH,
    A,
    B,
    Family,
    Zoo,
    bert_folder,
    edit_config,
    family_folder,
    family_model,
    padded,
    run_eager,
    save,
    wordpiece_tokenizer,
)

# Embeddings and positions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "parts"),
    [
        ("bert", ["word", "position", "token type"]),
        ("roberta", ["word", "position", "token type"]),
        ("distilbert", ["word", "position"]),
        ("gpt2", ["word", "position"]),
    ],
)
def test_the_parts_of_the_embedding_add_up_to_the_first_hidden_state(zoo: Zoo, family: str, parts: list[str]) -> None:
    backend = zoo.backend(family)
    pad_id = backend.model.config.pad_token_id or 0
    for tokens in (backend.tokenize(A, B), padded(backend.tokenize(A), 4, pad_id)):
        trace = backend.run(tokens)
        assert list(trace.embedding_parts) == parts
        total = torch.tensor(sum(trace.embedding_parts.values()))
        if family != "gpt2":  # which has no norm there
            with torch.inference_mode():
                total = backend.model.get_submodule("embeddings.LayerNorm")(total)
        assert_allclose(trace.hidden_states[0], total.numpy(), atol=2e-6)


def test_padding_that_is_typed_does_not_count_as_a_position_in_roberta(zoo: Zoo) -> None:
    trace = zoo.backend("roberta").trace("time <pad> flies")
    assert trace.tokens.typed_special == ("<pad>",)
    total = torch.tensor(sum(trace.embedding_parts.values()))
    with torch.inference_mode():
        expected = zoo.backend("roberta").model.get_submodule("embeddings.LayerNorm")(total)
    assert_allclose(trace.hidden_states[0], expected.numpy(), atol=2e-6)


XLNET = Family("xlnet", "XLNetModel", "XLNetConfig", {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64})


@pytest.mark.parametrize(
    ("family", "settings", "longest"),
    [
        (FAMILIES["bert"], {"max_position_embeddings": 512}, 512),
        (FAMILIES["roberta"], {"max_position_embeddings": 514}, 512),
        (FAMILIES["roberta"], {"max_position_embeddings": 40}, 38),
        (FAMILIES["distilbert"], {"max_position_embeddings": 33}, 33),
        (FAMILIES["gpt2"], {"n_positions": 540}, 540),
        (XLNET, {}, 512),
    ],
    ids=["bert", "roberta", "short-roberta", "distilbert", "gpt2", "xlnet"],
)
def test_a_text_is_cut_where_the_positions_end(
    tmp_path: Path, family: Family, settings: dict[str, int], longest: int
) -> None:
    model, tokenizer = family_model(family, **settings)
    save(model, tmp_path, tokenizer)
    backend = load_folder("m", tmp_path)
    trace = backend.trace("time " * 600)
    assert len(trace.tokens) == trace.tokens.max_length == longest
    assert trace.tokens.truncated[0] > 0
    assert np.isfinite(trace.hidden_states).all()


@pytest.mark.parametrize("prefix", ["", "scratch-bert:"])
def test_a_tokenizer_with_more_ids_than_the_model_is_an_error(folder: Path, prefix: str) -> None:
    tokenizer = wordpiece_tokenizer()
    tokenizer.add_tokens(["zeitgeist"])
    tokenizer.save_pretrained(folder)
    backend = encoder.load(f"{prefix}{folder}")
    assert backend.trace(A).num_layers == 3
    message = r"'zeitgeist' the id \d+, while its model knows \d+ ids"
    with pytest.raises(CheckpointError, match=message):
        backend.trace("the zeitgeist flies")
    with pytest.raises(CheckpointError, match=message):
        backend.hidden_states([backend.tokenize(A), backend.tokenize("the zeitgeist flies")])


def test_a_tokenizer_that_belongs_to_another_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="do not belong together"):
        load_folder("m", bert_folder(tmp_path, vocab_size=6))


# Predictions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pad_id", [None, -1, 5], ids=["none", "negative", "another-than-the-tokenizer's"])
def test_causal_classifiers_give_padded_texts_their_own_logits(tmp_path: Path, pad_id: int | None) -> None:
    settings = {"pad_token_id": pad_id, "num_labels": 3}
    backend = load_folder("m", family_folder(tmp_path, "gpt2", "ForSequenceClassification", **settings))
    texts = [backend.tokenize(text) for text in ("time", A, "time flies")]
    with torch.inference_mode():
        logits = backend.run_batch(batch_of(backend, texts)).logits
    for tokens, own, states in zip(texts, logits.numpy(), backend.hidden_states(texts), strict=True):
        trace = backend.run(tokens)
        assert_allclose(own, trace.prediction.logits, atol=1e-5)
        assert_allclose(states, trace.hidden_states, atol=1e-5)


def classifier(folder: Path, **settings: object) -> encoder.Trace:
    model, tokenizer = family_model(FAMILIES["bert"], "ForSequenceClassification", **settings)
    save(model, folder, tokenizer)
    trace = load_folder("m", folder).trace(A, B)
    expected = run_eager(model, trace.tokens)
    assert_allclose(trace.prediction.logits, expected.logits[0].numpy(), atol=1e-5)
    assert trace.prediction.trained
    return trace


def test_a_classifier_shows_its_own_labels(tmp_path: Path) -> None:
    labels = {0: "contradiction", 1: "neutral", 2: "entailment"}
    prediction = classifier(tmp_path, id2label=labels, label2id={name: i for i, name in labels.items()}).prediction
    assert prediction.labels == tuple(labels.values())
    exponentials = np.exp(prediction.logits)
    assert_allclose(prediction.probabilities, exponentials / exponentials.sum(), rtol=1e-5)
    assert prediction.score is None


def test_labels_that_may_hold_at_once_get_a_probability_each(tmp_path: Path) -> None:
    prediction = classifier(tmp_path, num_labels=4, problem_type="multi_label_classification").prediction
    assert_allclose(prediction.probabilities, 1 / (1 + np.exp(-prediction.logits)), rtol=1e-5)
    assert "need not sum to 1" in prediction.note


def test_a_classifier_without_its_classifier_is_an_error(folder: Path) -> None:
    edit_config(folder, architectures=["BertForSequenceClassification"])
    with pytest.raises(CheckpointError, match=r"BertForSequenceClassification: it lacks classifier\.bias and 1 more"):
        load_folder("m", folder)


# Heads that are not used ---------------------------------------------------------------------------------------------

BERT_HEADS = {
    "BertForTokenClassification": "for token classification",
    "BertForQuestionAnswering": "for question answering",
    "BertForMaskedLM": "for masked words",
    "BertForPreTraining": "for pretraining",
    "BertForMultipleChoice": "for multiple choice",
    "BertForNextSentencePrediction": "for next-sentence prediction",
}


@pytest.mark.parametrize("model_class", BERT_HEADS)
def test_our_own_encoder_names_the_head_that_it_does_not_use(tmp_path: Path, model_class: str) -> None:
    trace = encoder.load(f"scratch-bert:{bert_folder(tmp_path, model_class)}").trace(A)
    expected = f"The checkpoint's head {BERT_HEADS[model_class]} ({model_class}) is not used here"
    assert [note for note in trace.notes if note.startswith(expected)]
    assert trace.prediction is None


def test_a_head_for_the_next_token_is_named(tmp_path: Path) -> None:
    notes = load_folder("m", family_folder(tmp_path, "gpt2", "LMHeadModel")).trace(A).notes
    assert "head for the next token (GPT2LMHeadModel) is not used here" in notes[0]


def test_a_head_that_is_used_or_not_there_is_not_named(tmp_path: Path, zoo: Zoo, folder: Path) -> None:
    assert classifier(tmp_path).notes == ()
    assert zoo.backend("bert").trace(A).notes == ()
    edit_config(folder, architectures=["![x](https://evil.example/x.png)ForMaskedLM"])
    assert load_folder("m", folder).trace(A).notes == ()


def test_a_model_with_more_positions_is_said_to_be_cut_by_headlight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bert_folder(tmp_path, max_position_embeddings=2048)
    per_token = 4 * WIDTH * (3 * LAYERS + LAYERS + 1)
    monkeypatch.setattr("encoder.models.pretrained.MOST_BYTES", 550 * per_token)
    backend = load_folder("m", folder)
    assert backend.trace(A).notes == ()
    trace = backend.trace("time " * 600)
    assert len(trace.tokens) == trace.tokens.max_length == 550
    (note,) = trace.notes
    assert note == "This model has positions for 2,048 tokens; Headlight reads at most 550 of a text."
