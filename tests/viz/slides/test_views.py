"""Views on slides: each renders the answers of its recipe, with what its stop is about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.attribution.explaining import explain, removal_game
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import random_curves, removal_curve
from encoder.attribution.target import resolve_target
from encoder.comparison.compare import compare
from encoder.comparison.run_differences import attention_difference
from encoder.measures.near_ties import largest_first
from tests.encoder.random_models import BERT_SIZES, bert_folder, build, save, wordpiece_tokenizer
from tests.viz.slides.stops import models_of, slide_at
from viz.answers.answer import Answer, Sentence, Table
from viz.answers.room import PAGE, STOP, Room
from viz.figures.axes import RING
from viz.recipes.slide import Models
from viz.slides.contents import Slide
from viz.theme import THEMES
from viz.views.search.steps import MOST_HITS
from viz.views.similar_because.answer import NEEDS_TWO
from viz.wording.numbers import written

pytestmark = pytest.mark.usefixtures("each_text_is_read_once")

LIGHT = THEMES["light"]
ROUTES = "view: routes\nwhy: part of speech\na: time flies\nb: ''\n"
LENS = "view: word lens\na: time flies like an arrow\nb: fruit flies like a banana\nlayer: 0\nhead: 4\n"
HEAD = "points:\n  - head(layer=0, head=4)\n"
FURTHER = 'further: own\ntyped: "insect | flies buzz\\nthe pilot flies at night"\n'
PAIR = "a: a dog barks\nb: the puppy barks\n"
TEXT = "nobody could call this film boring"
ALONE = f"a: {TEXT}\nb: ''\n"
WHY = f"view: why\n{ALONE}why_method: decompx\nwhy_removal: delete\nremoved: 2\n"
ABOUT_TEST = "claims:\n  - faithfulness(by=decompx, removal=delete) < 10\n"
HERE = f"view: why here\n{ALONE}layer: 4\nhead: 7\nquery: 6\nkey: 1\n"
TERMS = ["score-terms-query", "score-terms-key"]
PAIRS = ["similar-because-pairs", "similar-because-lines"]
HOTEL = "view: search\ncollection: reviews\nfind: a wonderful hotel\n"
DRIVING = "view: driving words\ncollection: reviews\nrows: '~worse'\n"
WORD = "view: word map\ncollection: words\nword: bank\nmap_state: 3\n"


@pytest.fixture(scope="module")
def sentiment() -> Models:
    return models_of(encoder.load("bundled-sentiment"))


@pytest.fixture(scope="module")
def of_texts(bundled: Backend) -> Models:
    return models_of(bundled)


@pytest.fixture
def models(request: pytest.FixtureRequest, of_texts: Models, sentiment: Models) -> Models:
    """One that predicts classes for a table, and the model that the page opens with for a text."""
    block: str = request.getfixturevalue("block")
    return sentiment if "collection" in block else of_texts


def answer_of(slide: Slide) -> Answer:
    assert slide.remark == ""
    [(_, answer)] = slide.answers
    return answer


def names(answer: Answer) -> list[str]:
    return [part.name for part in answer.parts if isinstance(part, Table)]


def sentences(answer: Answer) -> str:
    return "\n".join(part.text for part in answer.parts if isinstance(part, Sentence))


@pytest.mark.parametrize(
    ("block", "room", "charts", "said"),
    [
        (LENS, STOP, ["belief-A", "belief-B"], "The model reads “flies” as a verb"),
        (f"{LENS}{FURTHER}", STOP, ["sense-map"], "as a verb"),
        (f'{LENS}{FURTHER}claims:\n  - cosine(layer=5, A:"flies", B:"flies") < 1', STOP, ["parting"], ""),
        (
            f'{LENS}claims:\n  - patched(layer=5, A:"flies" → B:"flies") = 1.000',
            STOP,
            ["patching", "patching-belief"],
            "The model reads “flies” as a verb",
        ),
        (
            LENS.replace("b: fruit flies like a banana", "b: ''") + f"{HEAD}effect: shift\n",
            STOP,
            ["heads-A"],
            "The shift needs the word",
        ),
        (HERE, PAGE, [*TERMS, "score-proof"], "(its bar alone: "),
        (HERE, STOP, TERMS, "in layer 4, head 7"),
        (ROUTES, STOP, [], " of the attention that can reach “"),
        (ROUTES, PAGE, ["links"], " of the attention that can reach “"),
        (f"view: similar because\nlevel: words\n{PAIR}", PAGE, [*PAIRS, "similar-because-test"], "Too short to test"),
        (f"view: similar because\nlevel: words\n{PAIR}", STOP, PAIRS, "A and B have a cosine of"),
        ("view: texts\ncollection: reviews\n", STOP, ["confusions"], "right in **147 of 240** rows"),
        ("view: texts\ncollection: reviews\nrows: negative>positive\n", STOP, [], "**11 of 240** rows are “negative”"),
        (HOTEL, STOP, [], "comes first of 240"),
        (f"{HOTEL}hit: 141\n", STOP, ["similar-because-pairs"], "Small rooms, huge breakfast"),
        (f"{HOTEL}hit: 193\n", STOP, ["why-not-words"], "You could do far worse"),
        ("view: swaps\ncollection: swaps\npart: negation and typos\n", STOP, ["swaps"], "by −70.6 points"),
        (DRIVING, STOP, ["driving-words"], "“worse” pushes 3 of 3 rows (text with “worse”)"),
        (DRIVING, STOP, ["driving-words"], "**Without “worse”**"),
        ("view: swaps\ncollection: swaps\n", STOP, ["swaps"], "8 templates with a [MASK] are left out"),
        (WORD, STOP, ["word-maps"], "After layer 2, the nearest neighbour of “bank”"),
    ],
)
def test_a_slide_has_the_charts_and_the_finding_of_its_view(
    block: str, room: Room, charts: list[str], said: str, models: Models
) -> None:
    answer = answer_of(slide_at(models, block, room))
    assert [chart.name for chart in answer.charts] == charts
    assert said in sentences(answer)


@pytest.mark.parametrize(
    ("block", "at_stop", "on_page"), [(HOTEL, 1, 1), (f"{HOTEL}hit: 193\n", 0, 1), (DRIVING, 0, 2), (WORD, 0, 1)]
)
def test_a_stop_has_fewer_tables_than_the_page(block: str, at_stop: int, on_page: int, models: Models) -> None:
    for room, wanted in ((STOP, at_stop), (PAGE, on_page)):
        tables = [part for part in answer_of(slide_at(models, block, room)).parts if isinstance(part, Table)]
        assert len(tables) == wanted
        if block == HOTEL:
            assert len(tables[0].columns()["place"]) == (room.rows or MOST_HITS)


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("view: similar because\na: a dog barks\nb: ''\n", NEEDS_TWO),
        ("view: compare\na: a dog barks\nb: ''\n", "or choose one of the minimal pairs."),
        ("view: compare\ncompare: steps\na: a dog barks\nb: ''\n", "open it to compare them."),
        ("view: why\nwhy: shift\na: time flies\nb: ''\n", "This compares two sentences: type a second one."),
        (f"view: why here\n{ALONE}head: mean\n", "choose a head."),
        ("view: swaps\ncollection: reviews\n", "No row of this table has a slot such as {he|she}."),
    ],
)
def test_what_does_not_apply_is_a_remark(block: str, why: str, models: Models) -> None:
    claim = "accuracy() > 0.5" if "collection" in block else "entropy(layer=0, head=0) > 0"
    slide = slide_at(models, f"{block}claims:\n  - {claim}")
    assert not slide.answers
    assert slide.remark == f"There is no picture here. {why}" or slide.remark.endswith(why)
    assert slide.claims


def test_a_slide_shows_the_words_or_the_test_of_their_order(tuned: Backend) -> None:
    models = models_of(tuned)
    [picture], [test] = (
        [chart.figure(LIGHT) for chart in answer_of(slide_at(models, block)).charts]
        for block in (WHY, WHY + ABOUT_TEST)
    )
    number = resolve_target(tuned, Question(kind="class", texts=(TEXT, None)))
    found = explain(tuned, number, "decompx")
    assert list(picture.data[1].text) == [written(float(value), "+.2f") for value in found.values]
    game = removal_game(tuned, number, level="wordpieces", removal="delete")
    curves = {trace.name: trace.y for trace in test.data}
    np.testing.assert_allclose(curves["this order"], removal_curve(game, largest_first(found.values)), atol=1e-6)
    np.testing.assert_allclose(curves["their mean"], random_curves(game).mean(axis=0), atol=1e-6)
    assert {"greedy search", "guided search"} < set(curves)


def test_the_order_is_tested_where_a_guided_search_is_impossible(tmp_path: Path) -> None:
    tokenizer = wordpiece_tokenizer()
    sizes = BERT_SIZES | {"vocab_size": len(tokenizer), "num_labels": 3}
    model = build("DebertaV2ForSequenceClassification", "DebertaV2Config", **sizes)
    opened = models_of(encoder.load(str(save(model, tmp_path, tokenizer))))
    block = WHY.replace("decompx", "leave-one-out") + ABOUT_TEST.replace("decompx", "leave_one_out")
    answer = answer_of(slide_at(opened, block))
    assert "There is no guided search:" in sentences(answer)
    [chart] = answer.charts
    assert {"this order", "greedy search"} < {trace.name for trace in chart.figure(LIGHT).data}


def test_what_a_stop_points_at_is_ringed(tuned: Backend, bundled: Backend) -> None:
    pointed = slide_at(models_of(tuned), f'{WHY}points:\n  - token("boring")\n  - token("nobody")\n')
    shapes = answer_of(pointed).charts[0].figure(LIGHT).layout.shapes
    boxes, rings = shapes[: len(TEXT.split())], [shape for shape in shapes if shape.name == RING]
    assert [[box.x0 < ring.x0 < box.x1 for box in boxes].index(True) for ring in rings] == [0, 5]
    claim = 'claims:\n  - weight(layer=0, head=4, A:"flies" → "time") > 0.5'
    profiles = answer_of(slide_at(models_of(bundled), f'{LENS}points:\n  - cell(A:"flies" → "time")\n{claim}')).charts
    assert [len(chart.figure(LIGHT).layout.shapes) for chart in profiles] == [1, 0]


def test_a_test_that_takes_too_long_is_refused(tuned: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viz.recipes.runner.MOST_TOKENS", 0)
    answer = answer_of(slide_at(models_of(tuned), f"{WHY}{ABOUT_TEST}"))
    assert not answer.charts
    assert "slides and claims run at most 0" in sentences(answer)


def test_compare_has_all_differences_and_estimates_for_long_texts(
    bundled: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = f"view: compare\nlayer: 2\nhead: 3\n{PAIR}"
    answer = answer_of(slide_at(models_of(bundled), block))
    names = [chart.name for chart in answer.charts]
    assert names[:2] == ["aligned-words", "attention-difference"]
    assert names[-3:] == ["patched-tokens", "silenced-heads-A", "silenced-heads-B"]
    runs = compare(bundled.trace("a dog barks"), bundled.trace("the puppy barks")).runs
    np.testing.assert_allclose(answer.charts[1].figure(LIGHT).data[0].z, attention_difference(runs, 2)[3], atol=1e-6)
    assert "These are exact." in sentences(answer)
    monkeypatch.setattr("viz.recipes.runner.MOST_TOKENS", 10)
    long = sentences(answer_of(slide_at(models_of(bundled), block)))
    assert "An estimate from gradients." in long
    assert "Every head silenced: this takes too long for a slide. The app runs it." in long


def test_compare_takes_silenced_heads_and_training_steps(bundled: Backend) -> None:
    block = "view: compare\ncompare: heads\nsilenced: 1.2\nlayer: 3\nhead: mean\na: a dog barks\nb: ''\n"
    answer = answer_of(slide_at(models_of(bundled), block))
    runs = compare(bundled.trace("a dog barks"), bundled.trace("a dog barks", silenced_heads=[(1, 2)])).runs
    cells = answer.charts[0].figure(LIGHT).data[0].z
    np.testing.assert_allclose(cells, attention_difference(runs, 3).mean(0), atol=1e-6)
    models = replace(
        models_of(encoder.load("scratch")),
        trace=lambda name, a, b, **changes: encoder.load(name).trace(a, b, **changes),
    )
    block = "view: compare\ncompare: steps\nmodel: scratch\nwith_step: 61\nlayer: 0\nhead: 0\na: a dog barks\nb: ''\n"
    heading = Sentence("Layer 0, head 0: step 2057 minus step 61", "heading")
    assert heading in answer_of(slide_at(models, block)).parts


def test_a_reranker_splits_its_score_and_tests_the_hit(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path, "BertForSequenceClassification", num_labels=1)
    found = "view: search\ncollection: reviews\nfind: flies like\nhit: 14\nlevel: words"
    answer = answer_of(slide_at(models_of(encoder.load(str(folder))), found, PAGE))
    score, test, words, *_ = sentences(answer).splitlines()
    assert "with a score of" in score
    assert test.startswith("**Without “")
    assert words.startswith("**These words add most:**")
    assert [chart.name for chart in answer.charts] == ["words"]


def test_a_tables_slide_has_its_claims_and_its_name(sentiment: Models) -> None:
    slide = slide_at(sentiment, "view: texts\ncollection: reviews\nclaims:\n  - accuracy() > 0.5")
    assert [(claim.holds, claim.sentence) for claim in slide.claims] == [(True, "accuracy 0.61")]
    assert slide.texts == "Reviews: 240 rows"
