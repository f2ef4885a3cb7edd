"""“Similar because” on the page: the split of the cosine, and its test."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import encoder
from encoder import Backend
from encoder.collection.search import exact_split_of_texts
from encoder.comparison.pair_removals import PairRemovals, largest_pairs_first
from encoder.comparison.similarity_map import POINTS, similarity_map
from encoder.comparison.text_path import TextPath, text_parts
from tests.app.app_script import Offered, alerts, captions, click, figure, numbers, open_page, run, type_texts, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled, started_jobs, stopped_and_begun_again
from tests.encoder.models.test_sparse_words import sparse_folder
from tests.encoder.random_models import bert_folder
from viz.caches.memo import JOBS
from viz.views.similar_because import steps as recipe
from viz.widgets import jobs
from viz.widgets import recipe as panel
from viz.widgets.answer import show_answer

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

VIEW = {"view": "similar because", "level": "words"}
A, B = "a small dog barks loudly", "the puppy barked at night"
PAIRS, LINES, TEST = (f"similar-because-{name}" for name in ("pairs", "lines", "test"))
SMALL = VIEW | {"model": "scratch"}
SHORT = SMALL | {"a": "dogs bark", "b": "puppies bark"}


def test_the_map_and_the_test_are_those_of_the_python_api(bundled: Backend, offered: Offered) -> None:
    at = open_settled(**VIEW, a=A, b=B)
    a, b = bundled.tokenize(A), bundled.tokenize(B)
    found = similarity_map(bundled, a, b, level="words")
    np.testing.assert_allclose(numbers(figure(at, PAIRS)["data"][0]["z"]), found.values, atol=1e-4)
    said = text(at)
    assert f"A and B have a cosine of {found.cosine:.3f}" in said
    assert "**These pairs add most:**" in said
    assert re.search(r"random orders\*\* \(p = ", said)
    own = numbers(figure(at, TEST)["data"][-1]["y"])
    order = largest_pairs_first(found.values)
    removals = PairRemovals(backend=bundled, a=a, b=b, units_a=found.units_a, units_b=found.units_b)
    np.testing.assert_allclose(own, removals.curve(order), atol=1e-4)
    unfold(at, "similar_similar-because_table", "similar_similar-because-test_table")
    pairs = pd.read_csv(pd.io.common.BytesIO(offered["similar-because.csv"]()), index_col=0)
    np.testing.assert_allclose(pairs.to_numpy(), found.values, atol=1e-4)
    curves = pd.read_csv(pd.io.common.BytesIO(offered["similar-because-test.csv"]()))
    np.testing.assert_allclose(curves["this_order"], own, atol=1e-5)


def test_an_exact_split_is_tested_as_well(tmp_path: Path) -> None:
    folder = str(sparse_folder(bert_folder(tmp_path / "masked", "BertForMaskedLM"), {}))
    a, b = "time flies like an arrow", "fruit flies like a banana"
    at = settled(click(open_page(**VIEW, model=folder, a=a, b=b), "load_model"))
    split = exact_split_of_texts(encoder.load(folder), a, b, "words")
    assert f"A as a query and B as a text have a dot product of {split.score:.3f}" in text(at)
    assert re.search(r"this order is better than \d+ of 20 random orders", text(at))
    curve = numbers(figure(at, TEST)["data"][-1]["y"])
    assert curve[0] > 0
    assert curve[-1] == pytest.approx(0, abs=1e-5)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failed_map_is_reported_and_restarts_only_on_a_click(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    JOBS.clear()
    monkeypatch.setattr(panel, "MOST_AT_ONCE", 0)
    with monkeypatch.context() as broken:
        broken.setattr("encoder.comparison.similarity_map.text_path", fail)
        at = open_settled(**SHORT)
        assert alerts(at) == ["Pairs of words: unexpected error. See the server log."]
    started_jobs.clear()
    run(at)
    assert not started_jobs
    settled(click(at, "similar_map_begin"))
    assert "These pairs add most" in text(at)
    assert not alerts(at)


def test_long_sentences_are_split_after_a_click_which_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MAX_TOKENS_UNASKED", 0)
    monkeypatch.setattr(panel, "MOST_AT_ONCE", 0)
    JOBS.clear()
    link = SHORT | {"b": "puppies bark at night"}
    at = stopped_and_begun_again("similar_map", **link)
    assert "These pairs add most" in text(at)
    settled(click(at, "similar_random_begin"))
    assert "similar_random_begin" not in [button.key for button in at.button]


def test_short_texts_have_an_estimate_until_the_split_is_there(scratch: Backend, offered: Offered) -> None:
    at = open_page(**SMALL, a="cows eat grass", b="cows graze")
    a, b = scratch.tokenize("cows eat grass"), scratch.tokenize("cows graze")
    for points in (recipe.ESTIMATE_POINTS, POINTS):
        drawn = figure(at, PAIRS)["data"][0]
        expected = similarity_map(scratch, a, b, level="words", points=points).values
        np.testing.assert_allclose(numbers(drawn["z"]), expected, atol=1e-4)
        assert f"from {points} points" in text(at)
        assert ("an estimate" in captions(at)) == (points == recipe.ESTIMATE_POINTS)
        settled(at)


def test_an_estimate_is_shown_before_the_progress_of_the_split(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def noted_show(*args: Any, **options: Any) -> None:
        order.append("answer")
        show_answer(*args, **options)

    def noted_follow(*args: Any, **options: Any) -> Any:
        order.append(options["key"])
        return jobs.follow(*args, **options)

    monkeypatch.setattr(panel, "show_answer", noted_show)
    monkeypatch.setattr(panel, "follow", noted_follow)
    at = open_page(**SMALL, a="hens eat corn", b="hens peck")
    assert order[:3] == ["answer", "answer", "similar_map"]
    assert "similar_map_stop" in [button.key for button in at.button]
    settled(at)


def test_of_a_sentence_that_did_not_change_nothing_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    split: list[int] = []

    def noted(backend: Backend, path: TextPath, **options: Any) -> Any:
        split.append(len(path.units))
        return text_parts(backend, path, **options)

    monkeypatch.setattr(recipe, "text_parts", noted)
    at = open_page(**SMALL, a="three owls sat there", b="owls sit")
    type_texts(at, a="four owls sat there")
    assert split == [2]
    type_texts(at, b="owls sing")
    assert split == [2, 2]
    for job in started_jobs:
        job.cancel()
        job.wait(60)
    started_jobs.clear()
