"""The word lens with heads silenced: together by choice, one by one in its sweep."""

from pathlib import Path

import numpy as np
import pytest

from encoder import Backend
from encoder.measures.similarity import cosines_by_layer
from encoder.measures.units import occurrence_states
from tests.app.app_script import click, figure, open_page, pick_model, run
from tests.app.app_script import sentences_of as text
from tests.app.jobs import settled
from tests.app.word_lens import A, B, lens, line
from tests.encoder.random_models import BERT_SIZES, build, save, wordpiece_tokenizer
from viz.panels import jobs

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")


def test_in_short_says_what_silencing_heads_did(bundled: Backend) -> None:
    heads = [(layer, head) for layer in (3, 4, 5) for head in range(12)]
    at = lens(silenced="-".join(f"{layer}.{head}" for layer, head in heads))
    (short,) = (element.value for element in at.markdown if element.value.startswith("**In short:**"))
    plain, changed = short.split(". With ")
    before, after = (
        cosines_by_layer(
            *(
                occurrence_states(bundled.trace(sentence, silenced_heads=silenced).hidden_states, (2,))
                for sentence in (A, B)
            )
        )[-1]
        for silenced in ((), heads)
    )
    assert "the two diverge from L3 on" in plain
    assert changed.startswith("L3 H0, L3 H1, L3 H2, L3 H3 and 32 more heads silenced, the two ")
    assert f"(cosine {after:.2f} after the last layer; with all heads {before:.2f})" in changed
    assert "the probe reads " in changed
    at = lens(silenced="5.1")
    (short,) = (element.value for element in at.markdown if element.value.startswith("**In short:**"))
    assert "With L5 H1 silenced, the two still diverge from L3 on" in short


def test_the_summary_states_silencing_without_comparison_or_probes() -> None:
    at = lens(a="time flies", b="", model="scratch-untrained", silenced="0.1")
    (short,) = (element.value for element in at.markdown if element.value.startswith("**In short:**"))
    assert short.startswith(
        "**In short:** With L0 H1 silenced, the cosine of the word's final vector to its own with all"
    )


def test_silencing_heads_together_shows_on_the_curve_and_in_the_table(bundled: Backend) -> None:
    at = lens(silenced="3.1-5.7")
    heads = ((3, 1), (5, 7))
    states = [
        occurrence_states(bundled.trace(sentence, silenced_heads=heads).hidden_states, (2,)) for sentence in (A, B)
    ]
    wanted = cosines_by_layer(*states)
    np.testing.assert_allclose(line(figure(at, "parting"), "with the chosen heads silenced"), wanted, atol=1e-6)
    table = next(frame.value for frame in at.dataframe)
    row = table[table["what"] == "cosine of the final vectors"].iloc[0]
    assert row["silenced"] == pytest.approx(wanted[-1], abs=1e-6)
    at.multiselect(key="lens_silenced").set_value([(0, 4)])
    settled(run(at))
    assert at.query_params["silenced"] == "0.4"


def test_a_sweep_that_would_take_too_long_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_MINUTES", 0)
    at = open_page(view="word lens", a="a bat that no sweep has read", b="")
    assert "lens_sweep" not in [button.key for button in at.button]
    assert "Each of the 72 heads silenced: up to" in text(at)
    assert "The limit is 0 minutes" in text(at)


def test_effects_on_the_part_of_speech_are_in_the_link() -> None:
    at = lens()
    at.button_group(key="effect").set_value("part of speech")
    settled(run(at))
    assert at.query_params["effect"] == "part of speech"
    bar = figure(at, "heads-A")["data"][1]["colorbar"]["title"]["text"]
    assert bar == "change of the log-odds, VERB against NOUN"


def test_a_model_without_silencing_says_so_and_shows_the_rest(tmp_path: Path) -> None:
    model = build("DebertaV2Model", "DebertaV2Config", **BERT_SIZES, relative_attention=True)
    folder = save(model, tmp_path / "own-attention", wordpiece_tokenizer())
    at = pick_model(open_page(view="word lens"), str(folder))
    settled(click(at, "load_model"))
    assert "cannot be silenced" in text(at)
    assert "Nothing in a run of" in text(at)  # no token is patched
    assert figure(at, "sense-map")
