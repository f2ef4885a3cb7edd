"""Questions about every number of a model, and methods that answer them: complete, and right by brute force."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import encoder
from encoder import Backend
from encoder.attribution.explaining import PATH, TOLERANCE, explain, guided_curve, removal_game
from encoder.attribution.gradients import integrated_gradients
from encoder.attribution.methods.decompx import integrated_decompx
from encoder.attribution.quantities import ClassQuantity, measure
from encoder.attribution.questions import Method, Question, QuestionKind
from encoder.attribution.removal_curves import removal_curve
from encoder.attribution.target import Target, resolve_target
from encoder.errors import ArgumentError, NoProbesError, SelectionError, UnsupportedModelError
from encoder.lab.evaluation.orders import ORDERS, Explained
from encoder.measures.near_ties import largest_first
from encoder.models.labels import SENTIMENTS, TAGS
from encoder.shipped.probes import word_classes
from tests.encoder.attribution.classifiers import classifier
from tests.encoder.random_models import Zoo, backend_of, bert_folder
from tests.rounding import rounding

TEXT, OTHER = "time flies like an arrow", "fruit flies like a banana"
QUESTIONS: dict[QuestionKind, Question] = {
    "class": Question(kind="class", texts=(TEXT, None)),
    "score": Question(kind="score", texts=(TEXT, None)),
    "part of speech": Question(kind="part of speech", texts=(TEXT, None), word=1, layer=3),
    "similarity": Question(kind="similarity", texts=(TEXT, None), other=OTHER),
    "shift": Question(kind="shift", texts=(TEXT, None), word=1, layer=3, other=OTHER, other_word=1),
}
COMPLETE: list[tuple[QuestionKind, Method]] = [
    *product(QUESTIONS, ("integrated-gradients", "shapley", "decompx")),
]


def value(backend: Backend, target: Target) -> float:
    return float(measure(backend, [target.tokens], target.shown)[0])


def test_a_class_is_held_against_the_likeliest_other_one(bundled: Backend) -> None:
    target = resolve_target(bundled, QUESTIONS["class"])
    prediction = bundled.trace(TEXT).prediction
    second, first = np.argsort(prediction.logits)[-2:]
    assert (target.label, target.against) == (prediction.labels[first], prediction.labels[second])
    odds = prediction.logits[first] - prediction.logits[second]
    assert value(bundled, target) == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-5)
    chosen = resolve_target(bundled, Question(kind="class", texts=(TEXT, None), label=int(second)))
    assert (chosen.label, chosen.against) == (target.against, target.label)
    assert value(bundled, chosen) == pytest.approx(1 - value(bundled, target), abs=1e-5)


def test_a_class_is_compared_with_the_requested_rival(bundled: Backend) -> None:
    prediction = bundled.trace(TEXT).prediction
    third, _, first = np.argsort(prediction.logits).tolist()
    target = resolve_target(bundled, Question(kind="class", texts=(TEXT, None), rival=third))
    assert (target.label, target.against) == (prediction.labels[first], prediction.labels[third])
    odds = float(prediction.logits[first] - prediction.logits[third])
    assert value(bundled, target) == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-5)
    itself = resolve_target(bundled, Question(kind="class", texts=(TEXT, None), rival=first))
    assert itself.against == resolve_target(bundled, QUESTIONS["class"]).against


def test_gradients_that_miss_the_total_are_taken_at_more_points() -> None:
    backend = encoder.load("bundled-sentiment")
    asked = Question(kind="class", texts=("the movie was not bad at all , just too long .", None))
    target = resolve_target(backend, asked)
    short = integrated_gradients(backend, target.tokens, target.additive, path=PATH)
    assert short.completeness_error > TOLERANCE * abs(short.of_text)
    error = explain(backend, target, "integrated-gradients").completeness_error
    assert error is not None
    assert error < TOLERANCE * abs(short.of_text)


def test_a_score_is_that_of_the_prediction(bundled: Backend, zoo: Zoo, tmp_path: Path) -> None:
    for backend in (bundled, encoder.load("scratch"), classifier(zoo, tmp_path, "scratch")):
        target = resolve_target(backend, QUESTIONS["score"])
        prediction = backend.trace(TEXT).prediction
        assert value(backend, target) == pytest.approx(prediction.score, abs=rounding(384))
        assert target.limits == prediction.score_range


def test_a_part_of_speech_is_the_likeliest_or_the_requested_one(bundled: Backend) -> None:
    target = resolve_target(bundled, QUESTIONS["part of speech"])
    assert target.label == word_classes(bundled.trace(TEXT)).likeliest(4)[1]
    assert target.read == (2,)
    asked = Question(kind="part of speech", texts=(TEXT, None), word=1, layer=3, label=TAGS.index("SYM"))
    assert resolve_target(bundled, asked).label == "SYM"
    assert resolve_target(bundled, asked).against == target.label


def test_regressions_and_multi_label_classes_use_raw_logits(tmp_path: Path) -> None:
    for name, settings, kind in (
        ("regression", {"num_labels": 1}, "score"),
        ("labels", {"num_labels": 3, "problem_type": "multi_label_classification"}, "class"),
    ):
        backend = encoder.load(str(bert_folder(tmp_path / name, "BertForSequenceClassification", **settings)))
        target = resolve_target(backend, QUESTIONS[kind])  # type: ignore[index]
        prediction = backend.trace(TEXT).prediction
        assert isinstance(target.shown, ClassQuantity)
        assert value(backend, target) == pytest.approx(prediction.logits.max(), abs=1e-5)
        assert target.limits is None


@pytest.mark.parametrize("text", [TEXT, "a lovely and moving film", "nobody could call this film boring"])
def test_words_of_integrated_decompx_add_up_in_the_order_that_was_measured(text: str) -> None:
    backend = encoder.load("bundled-sentiment")
    target = resolve_target(backend, Question(kind="class", texts=(text, None)))
    found = explain(backend, target, "integrated-decompx")
    assert isinstance(target.additive, ClassQuantity)
    raw = integrated_decompx(backend, target.tokens, target.additive)
    of_units = np.array([raw.values[list(unit)].sum() for unit in found.units])
    assert raw.completeness_error > TOLERANCE * abs(raw.total)
    assert found.completeness_error == pytest.approx(0, abs=1e-4)
    assert largest_first(found.values) == largest_first(of_units)


@pytest.mark.parametrize(("kind", "method"), COMPLETE)
def test_words_and_baseline_sum_to_the_number(bundled: Backend, kind: QuestionKind, method: Method) -> None:
    target = resolve_target(bundled, QUESTIONS[kind])
    found = explain(bundled, target, method)
    assert found.completeness_error is not None
    bound = {"integrated-gradients": 0.08, "shapley": 0.03}.get(method, 1e-4)  # eight points miss a bend of the path
    assert found.completeness_error < bound * max(np.abs(found.values).sum(), abs(found.total))
    scale = target.shown if method == "shapley" else target.additive
    assert found.total == pytest.approx(measure(bundled, [target.tokens], scale)[0], abs=rounding(384, 10))
    assert len(found.units) == len(found.values) == (4 if target.read else 5)


def test_decompx_leaves_the_biases_of_the_head_alone_apart() -> None:
    backend = encoder.load("bundled-sentiment")
    target = resolve_target(backend, Question(kind="class", texts=("a lovely film", None)))
    label, against = (SENTIMENTS.index(name) for name in (target.label, target.against))
    found = explain(backend, target, "decompx")
    assert found.baseline == pytest.approx(backend.head.bias[label] - backend.head.bias[against], abs=1e-4)


def test_leaving_one_out_is_what_is_lost_without_a_word(bundled: Backend) -> None:
    target = resolve_target(bundled, QUESTIONS["class"])
    found = explain(bundled, target, "leave-one-out", level="words", removal="delete")
    words = TEXT.split()
    without = [" ".join(words[:place] + words[place + 1 :]) for place in range(5)]
    wanted = value(bundled, target) - measure(bundled, list(map(bundled.tokenize, without)), target.shown)
    assert_allclose(found.values, wanted, atol=1e-4)
    assert found.baseline is found.completeness_error is None


def test_methods_that_do_not_apply_say_so(bundled: Backend) -> None:
    with pytest.raises(ArgumentError, match="classes and scores"):
        explain(bundled, resolve_target(bundled, QUESTIONS["shift"]), "integrated-decompx")
    with pytest.raises(ArgumentError, match="no word that could contribute"):
        explain(bundled, resolve_target(bundled, Question(kind="part of speech", texts=("dog", None))), "leave-one-out")


def test_what_cannot_be_asked_is_an_error(bundled: Backend, zoo: Zoo) -> None:
    bert = backend_of(zoo, "bert")
    for kind, message in (("class", "no classification head"), ("score", "no regression head")):
        with pytest.raises(UnsupportedModelError, match=message):
            resolve_target(bert, QUESTIONS[kind])  # type: ignore[index]
    with pytest.raises(NoProbesError):
        resolve_target(bert, QUESTIONS["part of speech"])
    for question, message in (
        (Question(kind="class", texts=(TEXT, None), label=3), "0 to 2"),
        (Question(kind="class", texts=(TEXT, None), label=0.9), "The class 0.9 was asked for"),  # type: ignore[arg-type]
        (Question(kind="class", texts=(TEXT, None), rival=3), "The rival 3 was asked for; there are 0 to 2"),
        (Question(kind="part of speech", texts=(TEXT, None), layer=6), "0 to 5"),
        (Question(kind="part of speech", texts=(TEXT, None), label=17), "0 to 16"),
        (Question(kind="part of speech", texts=(TEXT, None), word=5), "words 0 to 4"),
        (Question(kind="shift", texts=(TEXT, None), other=OTHER, layer=-1), "0 to 5"),
    ):
        with pytest.raises(SelectionError, match=message):
            resolve_target(bundled, question)
    with pytest.raises(ArgumentError, match="second sentence"):
        resolve_target(bundled, Question(kind="similarity", texts=(TEXT, None), other=" "))
    for same in (TEXT, TEXT.upper()):  # to a model without case
        with pytest.raises(ArgumentError, match="has not shifted"):
            resolve_target(bundled, Question(kind="shift", texts=(TEXT, None), word=1, other=same, other_word=1))


def test_the_guided_search_is_the_measured_one() -> None:
    backend = encoder.load("bundled-sentiment")
    target = resolve_target(backend, Question(kind="class", texts=("this film is not good", None)))
    game = removal_game(backend, target, level="wordpieces", removal="mask")
    assert isinstance(target.additive, ClassQuantity)
    (other,) = target.additive.against
    order = ORDERS["guided"](Explained(backend, target.tokens, game.units, target.additive.label, other), 0)
    curve = guided_curve(backend, target, level="wordpieces", removal="mask")
    assert_allclose(curve, removal_curve(game, order), atol=1e-4)


def test_an_unknown_removal_or_kind_is_refused(bundled: Backend) -> None:
    with pytest.raises(ArgumentError, match="kind is 'classes': it can be 'class'"):
        Question(kind="classes", texts=("time flies", None))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="removal is 'drop': it can be 'mask', 'delete'"):
        explain(bundled, Question(kind="part of speech", texts=("time flies", None), word=0), removal="drop")  # type: ignore[arg-type]
