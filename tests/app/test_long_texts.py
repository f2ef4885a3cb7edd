"""Texts of more than 512 tokens: the model reads them whole, and each view shows what it can or says so."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from encoder import Trace
from encoder.attribution.explaining import explain
from encoder.attribution.questions import Question
from tests.app.app_script import (
    Offered,
    alerts,
    captions,
    choose,
    click,
    go,
    matrix,
    open_page,
    run,
    strip,
    type_texts,
    unfold,
)
from tests.app.jobs import settled
from tests.encoder.random_models import LONG, MODERNBERT, build, save, wordpiece_tokenizer
from tests.viz.html.reading import contents_of, weights_in
from viz.caches import run_cache
from viz.views.registered import PANELS
from viz.wording.numbers import written

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

TEXT = " ".join([LONG] * 25)  # 652 tokens
FIRST, SECOND = "Tokens 0 to 511 of 652 are shown.", "Tokens 100 to 611 of 652 are shown."


@pytest.fixture
def at(tmp_path: Path) -> AppTest:
    """The page with a small random ModernBERT for classes of texts of up to 1,024 tokens."""
    tokenizer = wordpiece_tokenizer()
    settings = MODERNBERT | {"vocab_size": len(tokenizer), "max_position_embeddings": 1024}
    model = build("ModernBertForSequenceClassification", "ModernBertConfig", **settings)
    link = {"model": str(save(model, tmp_path, tokenizer)), "a": TEXT, "layer": "0", "head": "0"}
    return click(open_page(**link, view="heat map"), "load_model")


def test_a_long_text_is_read_whole_and_each_view_shows_it_or_says_so(at: AppTest, tmp_path: Path) -> None:
    trace = run_cache.trace(str(tmp_path), TEXT)
    np.testing.assert_allclose(matrix(at), trace.weights(0)[0, :512, :512], atol=2e-5)
    for view, panel in PANELS.items():
        if panel.of != "sentences":
            continue
        choose(at, view=view)
        assert not at.exception
        assert FIRST in captions(at)
        assert len(strip(at)["tokens"]) == 512
        too_long = f"{panel.title} is for texts of up to 512 tokens, and this one has 652."
        assert any(too_long in alert for alert in alerts(at)) is (panel.long_texts == "none")


def test_the_chosen_tokens_of_a_long_text_are_shown(at: AppTest, tmp_path: Path) -> None:
    trace = run_cache.trace(str(tmp_path), TEXT)
    go(at, at.query_params | {"query": "3"})
    at.slider(key="first").set_value(100)
    run(at)
    assert SECOND in captions(at)
    assert at.query_params["first"] == "100"
    assert "query" not in at.query_params
    np.testing.assert_allclose(matrix(at), trace.weights(0)[0, 100:612, 100:612], atol=2e-5)
    assert strip(at)["first"] == 100
    assert [token["label"] for token in strip(at)["tokens"]] == list(trace.tokens.labels[100:612])
    choose(at, view="data")
    assert at.dataframe[0].value.columns[0].startswith("100: ")


def test_a_saved_page_has_the_chosen_tokens_and_says_so(at: AppTest, offered: Offered, tmp_path: Path) -> None:
    trace = run_cache.trace(str(tmp_path), TEXT)
    go(at, at.query_params | {"first": "100", "view": "neuron view"})
    unfold(at, "export")
    html = offered["all-views.html"]().decode()
    weights = weights_in(html, "pair.attention")[0]
    np.testing.assert_allclose(weights, trace.weights(0)[:, 100:612, 100:612], atol=1e-4)
    assert SECOND in html
    assert "neuron view" in [view["name"] for view in contents_of(html)["views"]]
    assert len(Trace.from_bytes(offered["run.safetensors"]()).tokens) == 652


def test_a_short_text_offers_no_choice_of_tokens_and_keeps_the_last_one(at: AppTest) -> None:
    go(at, at.query_params | {"first": "100"})
    type_texts(at, a="A short text.")
    assert "first" not in [slider.key for slider in at.slider]
    type_texts(at, a=TEXT)
    assert SECOND in captions(at)


def test_compare_is_of_the_chosen_tokens_and_of_whole_predictions(at: AppTest, tmp_path: Path) -> None:
    go(at, at.query_params | {"view": "compare", "compare": "heads", "silenced": "1.2", "first": "100"})
    assert not at.exception
    assert "Tokens 100 to 611 of 652 are compared." in captions(at)
    silenced = run_cache.model(str(tmp_path)).trace(TEXT, silenced_heads=((1, 2),))
    assert silenced.prediction is not None
    assert silenced.prediction.probabilities is not None
    unfold(at, "compare_outputs")
    predicted = next(frame.value for frame in at.dataframe if "prediction" in frame.value)
    np.testing.assert_allclose(predicted["silenced"], silenced.prediction.probabilities, atol=5e-4)


def test_words_of_a_long_text_are_explained_and_those_of_the_excerpt_drawn(at: AppTest, tmp_path: Path) -> None:
    settled(go(at, at.query_params | {"view": "why", "why": "class", "first": "100", "level": "wordpieces"}))
    found = explain(run_cache.model(str(tmp_path)), Question(kind="class", texts=(TEXT, None)), level="wordpieces")
    before, after = (written(float(part.sum()), "+.3f") for part in (found.values[:99], found.values[611:]))
    said = captions(at)
    assert f"tokens 100 to 611. Those before them add **{before}**, those after them **{after}**." in said
    assert "it is for texts of up to 512 tokens" in said
    go(at, at.query_params | {"why_method": "decompx"})
    assert any("choose integrated gradients" in alert for alert in alerts(at))
