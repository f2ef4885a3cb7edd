"""“Why this prediction?” on the page: words, their sum, the test, and the text without some of them."""

import io
import re
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import encoder
from tests.app.app_script import Offered, click, figure, numbers, open_page, run, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled, started_jobs, stopped_and_begun_again
from tests.encoder.random_models import Zoo
from viz.caches.memo import JOBS
from viz.computing import job
from viz.widgets import jobs

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

FILM = "this film is not good"
SENTIMENT = {"model": "scratch", "a": FILM, "b": ""}
SHORT = SENTIMENT | {"a": "not good"}
TUNED = SENTIMENT | {"model": "bundled-sentiment"}


def why(**link: str) -> AppTest:
    return open_settled(view="why", **link)


def test_words_the_test_and_the_measured_methods_are_shown_in_this_order(offered: Offered) -> None:
    at = unfold(why(**TUNED), "why_why_table", "why_why-test_table", "why_methods_table")
    assert [chart.proto.id.rpartition("-")[2] for chart in at.get("plotly_chart")] == ["why_words", "why_removals"]
    for said in ("Baseline **", "random orders** (p = 0.048).", "**Guided search** gives", "Another model's"):
        assert said in text(at)
    assert {"why.csv", "why-test.csv", "methods.csv"} <= set(offered)
    assert len(pd.read_csv(io.BytesIO(offered["why-test.csv"]())).columns) == 24


def test_the_remaining_text_is_shown_and_opens_in_the_heat_map() -> None:
    at = why(**SENTIMENT, removed="1")
    at.slider(key="why_removed").set_value(2)
    run(at)
    assert at.query_params["removed"] == "2"
    assert figure(at, "removals")["layout"]["shapes"][0]["x0"] == 2
    curve = numbers(figure(at, "removals")["data"][-1]["y"])
    assert len(curve) == 6
    assert re.search(r"The model's output for it:\*\* \w+ \d+ %, \w+ \d+ %, \w+ \d+ %\.", text(at))
    click(at, "why_open")
    assert at.query_params["a"].split().count("[MASK]") == 2
    assert "view" not in at.query_params
    assert "removed" not in at.query_params


def test_another_number_resets_its_label_and_rival_and_keeps_the_method() -> None:
    at = why(**SENTIMENT, why_label="2", why_method="leave-one-out")
    assert "“positive” rather than “negative”" in text(at)
    at.selectbox(key="why_rival").set_value("neutral")
    settled(run(at))
    assert at.query_params["why_rival"] == "1"
    assert "“positive” rather than “neutral”" in text(at)
    assert "The curves show P(positive) compared with neutral only." in text(at)
    at.button_group(key="why").set_value("score")
    settled(run(at))
    assert "The score" in text(at)
    assert at.query_params["why_method"] == "leave-one-out"
    assert not {"why_label", "why_rival"} & set(at.query_params)


def test_a_model_without_probes_offers_one_that_has_them() -> None:
    at = why(why="part of speech", **TUNED)
    assert "no probe was trained on it" in text(at)
    settled(click(at, "why_probed_model"))
    assert "model" not in at.query_params
    assert "after layer 5: " in text(at)


def test_only_what_decompx_splits_is_searched_with_its_help() -> None:
    at = why(why="shift", why_layer="4")
    assert "How far “flies” after layer 4" in text(at)
    assert "guided search" not in {trace.get("name") for trace in figure(at, "removals")["data"]}


def test_a_word_of_sentence_b_is_explained_after_the_layer_that_is_chosen() -> None:
    at = why(why="part of speech", why_word="1", why_layer="3", mode="separate", why_side="B")
    assert "“flies” after layer 3" in text(at)
    assert len(figure(at, "words")["data"][0]["text"]) == 5


def test_a_model_without_special_tokens_shows_words_and_explains_no_test(tmp_path: Path) -> None:
    folder = str(Zoo(tmp_path).folder("gpt2"))
    asked = {"why": "similarity", "why_method": "leave-one-out", "why_removal": "delete"}
    at = open_page(view="why", model=folder, a="time flies", b="fruit", **asked)
    click(at, "load_model")
    settled(at)
    assert len(figure(at, "words")["data"][1]["text"]) == len(encoder.load(folder).tokenize("time flies"))
    assert "without all of its words, no token is left to read" in text(at)
    assert "Does it hold for this sentence?" in text(at)


def test_precise_values_show_progress_and_can_be_stopped() -> None:
    JOBS.clear()
    at = stopped_and_begun_again("why_shapley", view="why", **SHORT, why_method="shapley", why_removal="delete")
    assert "### “neutral” rather than" in text(at)
    assert "completeness error below 0.001" in text(at)


def test_long_searches_begin_after_a_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MAX_TOKENS_UNASKED", 0)
    at = why(a="nobody ever saw the river", b="")
    assert "of 20 random orders" not in text(at)
    assert "why_random_begin" in [button.key for button in at.button]
    settled(click(at, "why_random_begin"))
    unfold(at, "why_why-test_table")
    assert "of 20 random orders" in text(at)
    assert "of the way" not in text(at)
    settled(click(at, "why_greedy_begin"))
    assert "of the way" in text(at) or "0.000" in text(at)


def test_a_search_that_would_take_too_long_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MAX_TOKENS_UNASKED", 0)
    monkeypatch.setattr(jobs, "MOST_MINUTES", 0)
    at = open_page(view="why", **SENTIMENT | {"a": "a text that no search has read"})
    assert not [button.key for button in at.button if button.key in ("why_random_begin", "why_greedy_begin")]
    said = [caption.value for caption in at.caption]
    assert any(re.match(r"Greedy search for the best order: up to \d+ tokens would take about", each) for each in said)


def test_a_search_of_hours_is_refused_and_one_of_minutes_is_not() -> None:
    backend = encoder.load("bundled-sentiment")
    said = jobs.refusal(backend, 32_240_400, what="Greedy search")
    assert said
    assert said.startswith("Greedy search: up to 32,240,400 tokens would take about 82 minutes on two cores.")
    assert jobs.refusal(backend, 2_000_000, what="Greedy search") is None


def test_a_job_that_waits_for_others_says_so() -> None:
    JOBS.clear()
    with ExitStack() as turns:
        for watcher in ("one", "another"):
            turns.enter_context(job._turns.turn(mock.Mock(watchers=frozenset({watcher})), lambda: None))
        at = open_page(view="why", **SHORT, why_method="shapley")
        (shapley,) = started_jobs
        while not shapley.jobs_ahead:
            shapley.wait(0.001)
        assert [bar.proto.text for bar in run(at).get("progress")] == ["Shapley values: waits for 2 other jobs"]
    settled(at)
    assert "completeness error below 0.001" in text(at)


def test_a_layer_that_only_the_model_before_had_is_no_choice() -> None:
    at = open_page(view="why", why="part of speech", why_layer="2")
    layers = at.selectbox(key="why_layer")
    layers.options.append("L11")  # the list as the browser still has it
    layers.set_value(11)
    assert run(at).query_params["why_layer"] == "2"
