"""Texts as people have them: one form in every function, and what could be two things is refused with its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from torch import nn
from transformers import BertConfig, BertForSequenceClassification

import headlight
from encoder import Backend
from encoder.errors import ArgumentError, HeadlightError, InputError, SelectionError
from tests.encoder.random_models import FAMILIES, family_model

A, B = "a lovely film", "a dull film"
MANY: dict[str, Callable[[Backend, Any], Any]] = {
    "predict": lambda model, texts: model.predict(texts).logits,
    "embed": lambda model, texts: model.embed(texts),
    "traces": lambda model, texts: [trace.tokens.ids for trace in model.traces(texts)],
    "readings": lambda model, texts: [reading.tokens.ids for reading in model.readings(texts)],
}
REFUSED: list[tuple[Any, str]] = [
    (pd.DataFrame({"text": [A]}), "given as a DataFrame: .*headlight.texts"),
    ({"text": [A]}, "given as a dict"),
    ({A, B}, "given as a set"),
    (7, "given as a int"),
    ([A, [A, B]], r"Row 1 .*may be a pair or two texts: write a pair as a tuple, \(a, b\)"),
    ([["good", "film"]], "Row 0 .*may be a pair or the words of one text"),
    ([A, [A, B, "x"]], "Row 1 .*'a lovely film' is several"),
    ([A, (A,)], "Row 1 .*tuple of 1"),
    ([A, A, (A, B, A)], "Row 2 .*tuple of 3"),
    ([A] * 600 + [None], "Row 600 .*NoneType"),
    ([A, float("nan")], "Row 1 .*float"),
    ([A] * 40 + [" "], "Row 40 .*empty"),
    ([A, {"text": A}], "Row 1 .*dict"),
]


@pytest.fixture(scope="module")
def reranker() -> Backend:
    return headlight.wrap(*family_model(FAMILIES["bert"], "ForSequenceClassification", num_labels=1))


@pytest.mark.parametrize("name", MANY)
def test_a_string_is_one_text_and_a_column_is_many(tuned: Backend, name: str) -> None:
    run = MANY[name]
    alone = run(tuned, [A])
    np.testing.assert_array_equal(run(tuned, A), alone)
    both = run(tuned, [A, B])
    for texts in (pd.Series([A, B], index=[7, 3]), np.array([A, B]), iter([A, B]), pd.Series([A, B], dtype="string")):
        np.testing.assert_allclose(np.concatenate(run(tuned, texts)), np.concatenate(both), atol=1e-5)


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize(("texts", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_what_is_no_text_is_refused_with_its_row(tuned: Backend, name: str, texts: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        MANY[name](tuned, texts)


def test_a_pair_has_one_form_in_every_function(tuned: Backend) -> None:
    expected = tuned.trace(A, B)
    assert tuned.trace((A, B)) == expected
    [logits] = tuned.predict([(A, B)]).logits
    np.testing.assert_allclose(logits, expected.prediction.logits, atol=1e-5)
    question = headlight.Question(kind="class", texts=(A, B))
    for function in (headlight.explain, headlight.rank_heads):
        one, other = function(tuned, (A, B)), function(tuned, question)
        np.testing.assert_array_equal(one.frame().iloc[:, -1], other.frame().iloc[:, -1])
    for call in (lambda: tuned.predict((A, B)), lambda: tuned.embed((A, B)), lambda: [*tuned.traces((A, B))]):
        with pytest.raises(InputError, match=r"may be a pair or two texts: write \[\(a, b\)\]"):
            call()


def test_a_pair_may_be_a_list_where_the_task_is_pairs(reranker: Backend) -> None:
    expected = reranker.predict([(A, B)]).logits
    np.testing.assert_array_equal(reranker.predict([[A, B]]).logits, expected)
    np.testing.assert_array_equal(
        reranker.predict([["good", "film"]]).logits, reranker.predict([("good", "film")]).logits
    )
    assert reranker.trace([A, B]) == reranker.trace(A, B)
    with pytest.raises(InputError, match=r"may be a pair or two texts: write \[\(a, b\)\]"):
        reranker.predict([A, B])


def test_heads_are_silenced_in_predictions_and_vectors(tuned: Backend) -> None:
    heads = [(5, head) for head in range(12)]
    trace = tuned.trace(A, silenced_heads=heads)
    np.testing.assert_allclose(tuned.predict([A], silenced_heads=heads).logits[0], trace.prediction.logits, atol=1e-5)
    assert abs(tuned.embed(A, silenced_heads=heads) - tuned.embed(A)).max() > 1e-3


def test_a_class_is_named_or_numbered(tuned: Backend) -> None:
    by_number = headlight.explain(tuned, headlight.Question(kind="class", texts=(A, None), label=0, rival=1))
    by_name = headlight.Question(kind="class", texts=A, label="negative", rival="neutral")
    np.testing.assert_array_equal(headlight.explain(tuned, by_name).values, by_number.values)
    for label in (0, "negative"):
        assert headlight.rank_heads(tuned, A, label=label).label == "negative"
        assert headlight.explain(tuned, A, label=label).total == by_name_total(tuned)


def by_name_total(tuned: Backend) -> float:
    return headlight.explain(tuned, headlight.Question(kind="class", texts=(A, None), label=0)).total


MISTAKES: list[tuple[Callable[[Backend], Any], type[HeadlightError], str]] = [
    (
        lambda model: headlight.explain(model, A, label="Negatve"),
        SelectionError,
        "neutral, positive. Did you mean 'negative'",
    ),
    (lambda model: headlight.explain(model, A, label=3), SelectionError, "class 3 was asked for; there are 0 to 2"),
    (lambda model: model.trace(A, silenced_heads=[(0, 1.5)]), SelectionError, "heads as pairs of a layer and a head"),  # type: ignore[list-item]
    (
        lambda model: headlight.explain(model, headlight.Question(kind="class", texts=(A, None)), label=1),
        ArgumentError,
        "give it to the Question",
    ),
    (lambda _: headlight.Question(kind="class", texts=(A, B, A)), InputError, "tuple of 3"),  # type: ignore[arg-type]
    (lambda _: headlight.load("./bundeld"), HeadlightError, "Did you mean 'bundled'"),
    (
        lambda _: headlight.wrap(nn.Sequential(Holder()), None),  # type: ignore[arg-type]
        ArgumentError,
        r"headlight.wrap\(model\[0\].auto_model, model.tokenizer\)",
    ),
    (lambda _: headlight.wrap(nn.Linear(1, 1), None), ArgumentError, r"from_pretrained\(\) returned"),  # type: ignore[arg-type]
]


class Holder(nn.Module):
    """As the first module of sentence-transformers."""

    def __init__(self) -> None:
        super().__init__()
        self.auto_model = BertForSequenceClassification(
            BertConfig(hidden_size=4, num_hidden_layers=1, num_attention_heads=1, intermediate_size=4, vocab_size=9)
        )


@pytest.mark.parametrize(("call", "error", "sentence"), MISTAKES, ids=[each for _, _, each in MISTAKES])
def test_a_mistake_is_one_sentence(
    tuned: Backend, call: Callable[[Backend], Any], error: type[HeadlightError], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        call(tuned)
