"""Why a word has its tag, and why an answer starts where it does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from encoder.attribution.explaining import explain
from encoder.attribution.questions import Method, Question, QuestionKind
from encoder.attribution.target import Target, resolve_target
from encoder.errors import ArgumentError, SelectionError, UnsupportedModelError
from encoder.measures.word_tags import best_spans, first_pieces
from encoder.models.base import Backend
from encoder.models.loading import load_folder
from tests.encoder.random_models import A, B, family_folder

METHODS: tuple[Method, ...] = ("integrated-gradients", "decompx", "leave-one-out", "shapley")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Backend]:
    heads = {
        "tags": ("bert", "ForTokenClassification", 4),
        "span": ("bert", "ForQuestionAnswering", 2),
        "choices": ("bert", "ForMultipleChoice", 4),
        "modernbert": ("modernbert", "ForTokenClassification", 4),
    }
    root = tmp_path_factory.mktemp("heads")
    return {
        name: load_folder(name, family_folder(root / name, family, head, num_labels=labels))
        for name, (family, head, labels) in heads.items()
    }


def shown(backend: Backend, target: Target) -> float:
    """The target on the scale that people read, as leaving out nothing gives it."""
    return explain(backend, target, "leave-one-out").total


def test_the_tag_of_a_word_is_compared_with_its_rival(folders: dict[str, Backend]) -> None:
    backend = folders["tags"]
    trace = backend.trace("time flies like an arrow")
    target = resolve_target(backend, Question(kind="tag", texts=(A, None), word=1))
    row = trace.token_prediction.probabilities[first_pieces(trace.tokens)[1]]
    second, first = np.argsort(row)[-2:]
    labels = trace.token_prediction.labels
    assert (target.label, target.against) == (labels[first], labels[second])
    assert shown(backend, target) == pytest.approx(row[first] / (row[first] + row[second]), abs=1e-5)
    chosen = resolve_target(backend, Question(kind="tag", texts=(A, None), word=1, label=int(second), rival=int(first)))
    assert shown(backend, chosen) == pytest.approx(1 - shown(backend, target), abs=1e-5)
    assert target.read == tuple(place for place, word in enumerate(trace.tokens.word_ids) if word == 1)


@pytest.mark.parametrize("edge", ["start", "end"])
def test_an_edge_of_the_answer_is_compared_with_another_word(folders: dict[str, Backend], edge: QuestionKind) -> None:
    backend = folders["span"]
    trace = backend.trace(A, B)
    target = resolve_target(backend, Question(kind=edge, texts=(A, B)))
    best = best_spans(trace.token_prediction, trace.tokens)[0]
    assert target.label == trace.tokens.words[trace.tokens.word_ids[getattr(best, edge)]]
    logits = trace.token_prediction.logits[list(target.read), ("start", "end").index(edge)]
    assert shown(backend, target) == pytest.approx(1 / (1 + np.exp(logits[1] - logits[0])), abs=1e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["tag", "start"])
def test_every_method_splits_what_a_head_says_of_a_token(
    folders: dict[str, Backend], kind: QuestionKind, method: Method
) -> None:
    backend = folders["tags" if kind == "tag" else "span"]
    target = resolve_target(backend, Question(kind=kind, texts=(A, B), word=2))
    found = explain(backend, target, method, level="words", removal="delete")
    assert not {position for unit in found.units for position in unit} & set(target.read)
    assert np.isfinite(found.values).all()
    assert np.abs(found.values).max() > 0
    if method == "decompx":
        assert found.completeness_error is not None
        assert_allclose(found.completeness_error, 0, atol=1e-4)


def test_a_head_of_several_layers_is_split_by_gradients_and_not_decomposed(folders: dict[str, Backend]) -> None:
    backend = folders["modernbert"]
    target = resolve_target(backend, Question(kind="tag", texts=(A, None), word=1))
    assert np.abs(explain(backend, target, "integrated-gradients").values).max() > 0
    with pytest.raises(UnsupportedModelError):
        explain(backend, target, "decompx")


@pytest.mark.parametrize(("label", "rival"), [(None, None), (0, None), (1, None), (1, 2), (2, 0)])
def test_any_choice_is_explained_against_any_other(
    folders: dict[str, Backend], label: int | None, rival: int | None
) -> None:
    backend, texts = folders["choices"], (A, f"{B} | over the arrow | time")
    prediction = backend.trace(*texts).prediction
    order = np.argsort(-prediction.logits)
    chosen = int(order[0]) if label is None else label
    against = next(int(index) for index in order if index != chosen) if rival is None else rival
    target = resolve_target(backend, Question(kind="score", texts=texts, label=label, rival=rival))
    assert (target.label, target.against) == (prediction.labels[chosen], prediction.labels[against])
    assert target.tokens.sentences == (A, prediction.labels[chosen])
    for method in ("integrated-gradients", "decompx"):
        assert explain(backend, target, method).total == pytest.approx(float(prediction.logits[chosen]), abs=1e-4)
    odds = float(prediction.logits[chosen] - prediction.logits[against])
    assert shown(backend, target) == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-5)


def test_a_choice_alone_is_explained_by_its_score(folders: dict[str, Backend]) -> None:
    backend = folders["choices"]
    target = resolve_target(backend, Question(kind="score", texts=(A, B)))
    prediction = backend.trace(A, B).prediction
    assert (target.label, target.against, target.unit) == (B, "", "score")
    assert shown(backend, target) == pytest.approx(float(prediction.logits[0]), abs=1e-5)


@pytest.mark.parametrize(
    ("model", "question", "error"),
    [
        ("span", Question(kind="tag", texts=(A, None)), UnsupportedModelError),
        ("tags", Question(kind="start", texts=(A, B)), UnsupportedModelError),
        ("tags", Question(kind="tag", texts=(A, None), label=9), SelectionError),
        ("tags", Question(kind="tag", texts=(A, None), word=99), SelectionError),
        ("choices", Question(kind="score", texts=(A, "time | flies"), label=2), SelectionError),
        ("choices", Question(kind="score", texts=(A, "time | flies"), rival=2), SelectionError),
        ("span", Question(kind="start", texts=(A, None)), SelectionError),
        ("span", Question(kind="start", texts=(A, B), label=0), SelectionError),
        ("span", Question(kind="start", texts=(A, "time")), SelectionError),
    ],
)
def test_a_question_that_a_head_cannot_answer_is_one_clear_error(
    folders: dict[str, Backend], model: str, question: Question, error: type[Exception]
) -> None:
    with pytest.raises(error):
        resolve_target(folders[model], question)


def test_integrated_decompx_is_of_classes_alone(folders: dict[str, Backend]) -> None:
    target = resolve_target(folders["tags"], Question(kind="tag", texts=(A, None), word=1))
    with pytest.raises(ArgumentError, match="choose another method"):
        explain(folders["tags"], target, "integrated-decompx")
