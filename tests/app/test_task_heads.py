"""Models with other heads than classes: what the page shows of them, and what it asks for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import alerts, captions, choose, click, open_page, strip, titles_of_folds
from tests.encoder.random_models import BERT_SIZES, A, B, build, save, wordpiece_tokenizer

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")

LABELS = ("O", "B-LOC", "I-LOC")
Open = Callable[..., AppTest]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Opens the page with a small random model of a class of `transformers`, after the user's consent."""

    def open_model(model_class: str, *, settings: dict[str, Any], **link: str) -> AppTest:
        tokenizer = wordpiece_tokenizer()
        model = build(model_class, "BertConfig", vocab_size=len(tokenizer), **BERT_SIZES, **settings)
        return click(open_page(model=str(save(model, tmp_path, tokenizer)), **link), "load_model")

    return open_model


def markdown(at: AppTest) -> str:
    return "\n".join(part.value for part in at.markdown)


def test_a_tagger_shows_its_tags_and_why_a_word_has_one(opened: Open) -> None:
    names = {"id2label": dict(enumerate(LABELS)), "label2id": {label: index for index, label in enumerate(LABELS)}}
    at = opened("BertForTokenClassification", settings=names, a=A, view="predictions")
    assert "The model finds" in markdown(at)
    assert not alerts(at)
    assert set(strip(at)["tags"]) <= {"", *LABELS[1:]}
    choose(at, view="why")
    assert at.button_group(key="why").value == "tag"
    assert "why_layer" not in [box.key for box in at.selectbox]
    assert "rather than" in markdown(at)
    at.selectbox(key="why_word").set_value("arrow · 5").run()
    assert "“arrow”:" in markdown(at)
    assert "How well each method does over many sentences" not in titles_of_folds(at)


def test_a_reader_asks_for_question_and_text_together_and_answers(opened: Open) -> None:
    at = opened("BertForQuestionAnswering", settings={}, a=A, b=B, mode="separate", view="predictions")
    assert any("answers the question in A from the text in B" in alert for alert in alerts(at))
    click(at, "together_A")
    assert "The model answers" in markdown(at)
    assert not alerts(at)
    choose(at, view="why")
    assert at.button_group(key="why").value == "start"
    assert "The answer starts at" in markdown(at)
    choose(at, why="end")
    assert "The answer ends at" in markdown(at)


def test_a_reranker_opens_on_its_score(opened: Open) -> None:
    at = opened("BertForSequenceClassification", settings={"num_labels": 1}, a=A, b=B, mode="pair", view="predictions")
    assert "The model gives this pair a score of" in markdown(at)
    choose(at, view="why")
    assert at.button_group(key="why").value == "score"
    assert "### The logit" in markdown(at)


def test_choices_are_compared_and_the_likeliest_is_shown(opened: Open) -> None:
    link = {"a": A, "b": "fruit | an arrow", "mode": "pair", "view": "predictions"}
    at = opened("BertForMultipleChoice", settings={}, **link)
    assert "The model prefers **" in markdown(at)
    assert "that of A with the likeliest one" in captions(at)
    choose(at, view="why")
    assert at.button_group(key="why").value == "score"
    assert "### The score of “" in markdown(at)
