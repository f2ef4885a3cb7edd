"""The word lens with heads silenced: together by choice, one by one in its sweep."""

from pathlib import Path

import pytest

from tests.app.app_script import click, figure, open_page, pick_model, run
from tests.app.app_script import sentences_of as text
from tests.app.jobs import settled
from tests.app.word_lens import lens, line, unfolded
from tests.encoder.random_models import BERT_SIZES, build, save, wordpiece_tokenizer
from viz.panels.shared import jobs

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")


def test_the_summary_states_silencing_without_comparison_or_probes() -> None:
    at = lens(a="time flies", b="", model="scratch-untrained", silenced="0.1")
    said = "With layer 0, head 1 silenced, the cosine of the word's final vector to its own with all heads is"
    assert said in text(at)


def test_silencing_heads_together_shows_on_the_curve_and_in_the_table() -> None:
    at = lens(silenced="3.1-5.7")
    assert len(line(figure(at, "parting"), "with the chosen heads silenced")) == 7
    assert "cosine of the final vectors" in list(next(frame.value for frame in at.dataframe)["what"])
    said = "With layer 3, head 1 and layer 5, head 7 silenced, the cosine of the two after the last layer is"
    assert said in text(at)
    at.multiselect(key="lens_silenced").set_value([(0, 4)])
    settled(run(at))
    assert at.query_params["silenced"] == "0.4"


def test_a_sweep_that_would_take_too_long_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_MINUTES", 0)
    at = unfolded(open_page(view="word lens", a="a bat that no sweep has read", b=""))
    assert "lens_sweep_begin" not in [button.key for button in at.button]
    assert "Each of the 72 heads silenced: up to" in text(at)
    assert "The limit is 0 minutes" in text(at)


def test_a_model_without_silencing_says_so_and_shows_the_rest(tmp_path: Path) -> None:
    model = build("RoFormerModel", "RoFormerConfig", **BERT_SIZES)
    folder = save(model, tmp_path / "own-attention", wordpiece_tokenizer())
    at = pick_model(open_page(view="word lens"), str(folder))
    settled(unfolded(click(at, "load_model")))
    assert "cannot be silenced" in text(at)
    assert "Nothing in a run of" in text(at)  # no token is patched
    assert figure(at, "sense-map")
