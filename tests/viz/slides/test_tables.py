"""Views of a table of texts on slides."""

from __future__ import annotations

from pathlib import Path

import pytest

import encoder
from tests.encoder.random_models import BERT_SIZES, build, save, wordpiece_tokenizer
from tests.viz.slides.stops import models_of, slide_at
from viz.answers.answer import Sentence, Table
from viz.slides.contents import Slide
from viz.slides.models import Models


@pytest.fixture(scope="module")
def models() -> Models:
    return models_of(encoder.load("bundled-sentiment"))


def sentence(slide: Slide) -> str:
    first = slide.answers[0][1].parts[0]
    assert isinstance(first, Sentence)
    return first.text


def tables(slide: Slide) -> list[Table]:
    return [part for part in slide.answers[0][1].parts if isinstance(part, Table)]


def test_a_slide_of_a_table_has_its_finding_its_matrix_and_claims(models: Models) -> None:
    slide = slide_at(models, "view: texts\ncollection: reviews\nclaims:\n  - accuracy() > 0.5")
    assert "right in **147 of 240** rows" in sentence(slide)
    assert [chart.name for chart in slide.answers[0][1].charts] == ["confusions"]
    assert [(claim.holds, claim.sentence) for claim in slide.claims] == [(True, "accuracy 0.61")]
    assert slide.texts == "Reviews: 240 rows"


def test_a_slide_of_a_cell_has_its_rows(models: Models) -> None:
    slide = slide_at(models, "view: texts\ncollection: reviews\nrows: negative>positive")
    assert sentence(slide) == "**11 of 240** rows are “negative”, and the model says “positive”."
    columns = tables(slide)[0].columns()
    assert set(columns["label"]) == {"negative"}
    assert set(columns["prediction"]) == {"positive"}


def test_a_slide_of_a_search_has_its_hits_or_what_one_rests_on(models: Models) -> None:
    found = "view: search\ncollection: reviews\nfind: a wonderful hotel"
    assert "comes first of 240" in sentence(slide_at(models, found))
    assert len(tables(slide_at(models, found))[0].columns()["place"]) == 10
    explained = slide_at(models, f"{found}\nhit: 193")
    assert "You could do far worse" in sentence(explained)
    assert [chart.name for chart in explained.answers[0][1].charts] == ["similar-because-pairs"]


def test_a_slide_of_a_reranker_splits_its_score_and_tests_the_hit(tmp_path: Path) -> None:
    tokenizer = wordpiece_tokenizer()
    settings = {**BERT_SIZES, "num_labels": 1, "vocab_size": len(tokenizer)}
    folder = save(build("BertForSequenceClassification", "BertConfig", **settings), tmp_path, tokenizer)
    found = "view: search\ncollection: reviews\nfind: flies like\nhit: 193\nlevel: words"
    explained = slide_at(models_of(encoder.load(str(folder))), found)
    parts = [part.text for part in explained.answers[0][1].parts if isinstance(part, Sentence)]
    assert "with a score of" in parts[0]
    assert parts[1].startswith("**Without “")
    assert parts[2].startswith("**These words add most:**")
    assert [chart.name for chart in explained.answers[0][1].charts] == ["words"]


def test_a_slide_of_swaps_has_the_shifts_of_its_set(models: Models) -> None:
    slide = slide_at(models, "view: swaps\ncollection: swaps\npart: negation and typos")
    assert "“is” → “is not” moves the probability of “positive” by −70.6 points" in sentence(slide)
    assert [chart.name for chart in slide.answers[0][1].charts] == ["swaps"]


def test_a_slide_of_driving_words_has_the_words_and_the_rows_of_one(models: Models) -> None:
    slide = slide_at(models, 'view: driving words\ncollection: reviews\nrows: errors\nclaims:\n  - drives("worse") > 3')
    assert "**“worse” pushes 3 of 93 errors to the wrong class**" in sentence(slide)
    assert [chart.name for chart in slide.answers[0][1].charts] == ["driving-words"]
    assert any("**Without “worse”**" in part.text for part in slide.answers[0][1].parts if isinstance(part, Sentence))
    assert [claim.holds for claim in slide.claims] == [True]
    words, rows = (table.columns() for table in tables(slide))
    assert words["word"][0] == "worse"
    assert 55 in rows["row"]


def test_a_slide_of_a_word_has_small_maps_and_its_accuracies(models: Models) -> None:
    slide = slide_at(models, "view: word map\ncollection: words\nword: bank\nmap_state: 3")
    assert "After layer 2, the nearest neighbour of “bank”" in sentence(slide)
    assert [chart.name for chart in slide.answers[0][1].charts] == ["word-maps"]
    assert len(tables(slide)[0].columns()["nearest_neighbour"]) == 7


def test_a_slide_without_its_table_says_why(models: Models) -> None:
    slide = slide_at(models, "view: swaps\ncollection: reviews")
    assert "No row of this table has a slot" in slide.remark
