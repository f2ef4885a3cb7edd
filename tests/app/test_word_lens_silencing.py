"""The word lens with heads silenced: together by choice, one by one in its sweep."""

from pathlib import Path

import pytest

from tests.app.app_script import click, figure, open_page, pick_model, run
from tests.app.app_script import sentences_of as text
from tests.app.jobs import settled
from tests.app.word_lens import lens, line, unfolded
from tests.encoder.random_models import BERT_SIZES, build, save, wordpiece_tokenizer

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")


def test_silencing_heads_together_shows_on_the_curve_and_in_the_table() -> None:
    at = lens(silenced="3.1-5.7")
    assert len(line(figure(at, "parting"), "with the chosen heads silenced")) == 7
    assert "cosine of the final vectors" in list(next(frame.value for frame in at.dataframe)["what"])
    said = "With layer 3, head 1 and layer 5, head 7 silenced, the cosine of the two after the last layer is"
    assert said in text(at)
    at.multiselect(key="lens_silenced").set_value([(0, 4)])
    settled(run(at))
    assert at.query_params["silenced"] == "0.4"


def test_a_model_without_silencing_says_so_and_shows_the_rest(tmp_path: Path) -> None:
    model = build("RoFormerModel", "RoFormerConfig", **BERT_SIZES)
    folder = save(model, tmp_path / "own-attention", wordpiece_tokenizer())
    at = pick_model(open_page(view="word lens"), str(folder))
    settled(unfolded(click(at, "load_model")))
    assert "cannot be silenced" in text(at)
    assert "Nothing in a run of" in text(at)  # no token is patched
    assert figure(at, "sense-map")
