"""Scores are those of `CrossEncoder.predict`, and names of classes are said as they are, each once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from numpy.testing import assert_allclose
from sentence_transformers import CrossEncoder

from encoder.collection.results import results_of_all
from encoder.collection.search import search
from encoder.collection.table import Collection
from encoder.models.loading import load_folder
from encoder.models.wrapping import wrap
from tests.encoder.random_models import WIDTH, A, B, bert_folder, check_of, edit_config
from tests.rounding import rounding

TEXTS = [B, "the arrow", "a banana flies over the fruit"]
CLASSIFIER = "BertForSequenceClassification"
UNREAD = ["cut off", "no known word"]
SEVERAL = {"problem_type": "multi_label_classification"}


def saved_anew(folder: Path, activation: torch.nn.Module) -> None:
    CrossEncoder(str(folder), device="cpu", activation_fn=activation).save_pretrained(
        str(folder), create_model_card=False
    )


def named_in_config(folder: Path, name: str, key: str = "sentence_transformers") -> None:
    edit_config(folder, **{key: name if key.startswith("sbert") else {"activation_fn": name}})


IDENTITY = "torch.nn.modules.linear.Identity"
FOLDERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "plain": (lambda folder: None, "sigmoid"),
    "saved with tanh": (lambda folder: saved_anew(folder, torch.nn.Tanh()), "tanh"),
    "saved with the logit": (lambda folder: saved_anew(folder, torch.nn.Identity()), ""),
    "version 4, tanh": (lambda folder: named_in_config(folder, "torch.nn.modules.activation.Tanh"), "tanh"),
    "version 4, the logit": (lambda folder: named_in_config(folder, IDENTITY), ""),
    "version 3, the logit": (
        lambda folder: named_in_config(folder, IDENTITY, "sbert_ce_default_activation_function"),
        "",
    ),
    "code of its own": (lambda folder: named_in_config(folder, "mine.Activation"), "sigmoid"),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_scores_are_those_of_cross_encoder_everywhere(kind: str, tmp_path: Path) -> None:
    folder, (change, name) = bert_folder(tmp_path / "reranker", CLASSIFIER, num_labels=1), FOLDERS[kind]
    change(folder)
    expected = CrossEncoder(str(folder), device="cpu").predict([(A, text) for text in TEXTS])
    backend = load_folder("reranker", folder)
    found = backend.predict([(A, text) for text in TEXTS])
    assert found.scores is not None
    assert_allclose(found.scores, expected, atol=rounding(WIDTH))
    assert list(found.columns) == [*(["score", "logit"] if name else ["score"]), *UNREAD]
    prediction = backend.trace(A, TEXTS[0]).prediction
    assert prediction.score == pytest.approx(float(expected[0]), abs=rounding(WIDTH))
    assert (prediction.logit is not None) == bool(name)
    assert (f"{name} of the head" in prediction.note) == bool(name)
    table = pa.table({"text": [A] * 3, "second": TEXTS, "label": ["0.5", "0", "1"]})
    collection = Collection.of("table", table, text="text", text_b="second", label="label")
    results = results_of_all(backend, collection)
    assert_allclose(results.columns()["prediction"], expected, atol=1e-6)
    assert_allclose(results.losses, (expected - [0.5, 0, 1]) ** 2, atol=1e-5)
    found_by = search(backend, Collection.of("texts", pa.table({"text": TEXTS}), text="text"), A)
    assert_allclose(found_by.scores, expected, atol=1e-6)
    assert check_of(backend, "Head").outcome == ("differs" if kind == "code of its own" else "holds")


def test_a_regression_stays_a_number(tmp_path: Path) -> None:
    backend = load_folder("regression", bert_folder(tmp_path, CLASSIFIER, num_labels=1, problem_type="regression"))
    prediction = backend.trace(A).prediction
    assert (prediction.score, prediction.logit, prediction.note) == (prediction.logits[0], None, "")
    wrapped = wrap(backend.model, backend.tokenizer.inner)
    assert wrapped.activation.name == "Identity"


@pytest.mark.parametrize(
    ("names", "labels", "said"),
    [
        ({"0": "neg", "1": "pos", "2": "pos"}, ("neg", "pos (1)", "pos (2)"), "'pos' is that of several classes"),
        ({"0": "a", "1": "Pos", "2": "pos"}, ("a", "Pos (1)", "pos (2)"), "several classes"),
        (
            {"0": "neg", "2": "so", "5": "pos"},
            ("neg", "1", "so"),
            "no name for 1: a number is shown there. id2label names 5",
        ),
        ({"0": "neg", "1": None, "2": " "}, ("neg", "1", "2"), "no name for 1, 2"),
        ({"0": "label", "1": "score", "2": "x"}, ("label", "score", "x"), ""),
    ],
)
def test_no_class_is_lost_in_a_frame(names: dict[str, Any], labels: tuple[str, ...], said: str, tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "classes", CLASSIFIER, num_labels=3)
    edit_config(folder, id2label=names, label2id=None)
    backend = load_folder("classes", folder)
    found = backend.predict([A, B])
    assert found.labels == labels
    assert list(found.columns)[4:] == UNREAD
    shares = np.stack([found.columns[name] for name in list(found.columns)[1:4]], axis=1)
    assert found.probabilities is not None
    assert_allclose(shares, found.probabilities)
    assert found.columns["label"][0] == labels[int(shares[0].argmax())]
    check = check_of(backend, "Head")
    assert check.outcome == ("differs" if said else "holds")
    assert said in check.sentence


def test_names_in_label2id_alone_are_used(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "classes", CLASSIFIER, num_labels=2)
    edit_config(folder, id2label=None, label2id={"bad": 0, "good": 1})
    backend = load_folder("classes", folder)
    assert backend.predict([A]).labels == ("bad", "good")
    assert check_of(backend, "Head").outcome == "holds"


@pytest.mark.parametrize("settings", [SEVERAL, {"problem_type": "regression"}])
def test_several_labels_and_scores_mean_the_same_everywhere(settings: dict[str, str], tmp_path: Path) -> None:
    backend = load_folder("several", bert_folder(tmp_path / "several", CLASSIFIER, num_labels=3, **settings))
    texts = [A, *TEXTS, "time"]
    alone, results = (
        backend.predict(texts),
        results_of_all(backend, Collection.of("t", pa.table({"text": texts}), text="text")),
    )
    if settings is SEVERAL:
        held = [[name for name, p in zip(alone.labels, row, strict=True) if p >= 0.5] for row in alone.probabilities]
        assert alone.columns["label"] == results.predictions == [", ".join(row) or "none" for row in held]
        return
    assert list(alone.columns) == [*alone.labels, *UNREAD]
    assert (results.kind, results.correct) == ("scores", None)
    columns = results.columns()
    for label in alone.labels:
        assert_allclose(columns[f"score({label})"], alone.columns[label], atol=1e-6)
    assert columns["prediction"][0].startswith(f"LABEL_0 {alone.logits[0, 0]:.3f}, LABEL_1 ")


def test_probabilities_of_several_labels_that_sum_to_one_are_no_choice(tmp_path: Path) -> None:
    backend = load_folder("several", bert_folder(tmp_path / "several", CLASSIFIER, num_labels=2, **SEVERAL))
    bias = torch.tensor([0.8472979, -0.8472979])  # sigmoids of .7 and .3
    with torch.no_grad():
        backend.model.classifier.weight.zero_()
        backend.model.classifier.bias.copy_(bias)
    prediction = backend.trace(A).prediction
    assert not prediction.is_choice
    assert backend.predict([A]).columns["label"] == ["LABEL_0"]


def test_a_head_of_the_passport_says_the_scheme_of_its_tags(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "tags", "BertForTokenClassification", num_labels=5)
    names = ("O", "B-PER", "I-PER", "L-PER", "U-PER")
    edit_config(folder, id2label={str(i): name for i, name in enumerate(names)}, label2id=None)
    assert (
        "entities of 1 kind by the scheme BILOU, as in B-PER" in check_of(load_folder("tags", folder), "Head").sentence
    )
