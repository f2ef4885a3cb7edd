"""The word lens on the page: its charts, its choices, and unusable input."""

import io
from pathlib import Path

import pandas as pd
import pytest

from tests.app.app_script import (
    Offered,
    choose,
    click,
    figure,
    open_folds,
    open_page,
    pick_model,
    run,
    titles_of_folds,
    type_texts,
    unfold,
)
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled, started_jobs
from tests.app.word_lens import lens, unfolded
from tests.encoder.random_models import bert_folder
from viz.views.word_lens import steps as recipe

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")


def test_the_lens_opens_with_its_answer_one_picture_and_closed_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("band_of_model", "patched_states", "further_sentences"):
        monkeypatch.setattr(recipe, name, lambda *_, name=name: pytest.fail(f"{name} was computed"))
    started_jobs.clear()
    at = open_page(view="word lens")
    assert not started_jobs
    assert "The model reads “flies” as a verb in A (93 %) and as a noun in B (96 %)." in text(at)
    assert "In layer 0, head 4, “flies” looks most at “time” in A (80 %) and at “fruit” in B (81 %)." in text(at)
    assert "Verb or noun?" in text(at)
    assert figure(at, "belief-B")
    assert len(at.get("plotly_chart")) == 2
    assert titles_of_folds(at) == [
        "How far apart, layer by layer?",
        "What it looks at, what looks at it",
        "Which part of the model does it?",
        "“flies” in other sentences",
    ]


@pytest.mark.parametrize(
    ("link", "opened"),
    [
        ({"silenced": "3.1"}, ["lens_parts_of_model"]),
        ({"further": "bank"}, ["lens_senses"]),
        ({"tour": "time-flies", "stop": "1"}, []),
    ],
)
def test_a_link_about_a_picture_opens_its_fold(link: dict[str, str], opened: list[str]) -> None:
    at = open_settled(view="word lens", **link)
    assert open_folds(at) == opened


def test_the_links_between_the_folds_are_there_while_one_is_open() -> None:
    at = open_page(view="word lens")
    assert "#lens_senses_folded" not in text(at)
    assert "](#lens_divergence_folded) · [" in text(unfold(at, "lens_divergence"))


def test_uses_that_do_not_diverge_offer_an_example() -> None:
    at = open_page(view="word lens", a="The bank raised its rates", b="We sat on the bank of the river")
    click(at, "lens_try")
    assert at.query_params["b"] == "he opened a savings account at the bank in town"
    assert "**The two uses diverge from layer" in text(at)


def test_a_chosen_word_is_kept_in_the_link_and_leaves_with_its_text() -> None:
    at = open_settled(view="word lens", at_a="2", at_b="2")
    assert "“like” in other sentences" in titles_of_folds(at)
    assert at.query_params["at_a"] == "2"
    type_texts(at, a="he sat on the bank", b="the bank was closed")
    settled(at)
    assert "“bank” in other sentences" in titles_of_folds(at)
    assert "at_a" not in at.query_params


def test_the_list_of_words_changes_the_word() -> None:
    at = open_settled(view="word lens")
    box = at.selectbox(key="lens_word")
    assert box.options == ["flies", "like", "an / a (another form)"]
    box.set_value("like")
    settled(run(at))
    assert (at.query_params["at_a"], at.query_params["at_b"]) == ("2", "2")
    assert "“like” in other sentences" in titles_of_folds(at)


def test_one_of_several_occurrences_is_chosen() -> None:
    at = open_settled(view="word lens", a="the bat saw the bat", b="a bat slept")
    box = at.selectbox(key="lens_at_A")
    assert box.options == ["… the [bat] saw the …", "… saw the [bat] …"]
    box.set_value(box.options[1])
    settled(run(at))
    assert at.query_params["at_a"] == "4"


LETTERS = "z" * 3000


@pytest.mark.parametrize(
    "link",
    [
        {"a": f"{LETTERS} flies", "b": "fruit flies", "at_a": "0"},  # [UNK]
        {"a": f"{LETTERS[:45]} flies", "b": f"fruit {LETTERS[:45]}", "at_a": "0"},  # many pieces
        {"a": f"{LETTERS} bat {LETTERS} bat", "b": "a bat", "at_a": "1"},  # next to a word that is there twice
    ],
    ids=["unknown", "many pieces", "neighbours"],
)
def test_an_endless_word_is_shortened_wherever_it_is_named(link: dict[str, str]) -> None:
    at = lens(**link)
    options = [option for box in at.selectbox for option in box.options]
    said = [element.value for kind in (at.markdown, at.caption, at.info) for element in kind]
    assert [text for text in [*said, *options] if "z" * 30 in text] == []
    assert [text for text in said if text.count("##") > 30] == []
    assert any("z…" in text for text in [*said, *options])


def test_own_sentences_are_mapped_and_omitted_ones_are_named() -> None:
    typed = "insect | flies bite\nverb | he flies"
    at = open_settled(view="word lens", further="own", typed=typed)
    assert at.query_params["typed"] == typed
    names = [trace["name"] for trace in figure(at, "sense-map")["data"]]
    assert names == ["insect", "verb", "sentence A", "sentence B"]
    five_hundred = "\n".join(f"{n} flies" for n in range(500))
    at.text_area(key="typed").set_value(five_hundred)
    settled(run(at))
    assert "450 more are left out" in text(at)
    assert at.text_area(key="typed").value == five_hundred


def test_every_picture_has_an_explanation_and_its_numbers_as_a_file(offered: Offered) -> None:
    assert text(lens()).count("How to read") == 6
    for name in ("parting", "profiles", "belief", "heads", "patching", "sense-map"):
        assert len(pd.read_csv(io.BytesIO(offered[f"{name}.csv"]()))) > 1


def test_two_texts_of_the_same_tokens_have_nothing_to_carry_over() -> None:
    said = text(lens(model="scratch", b="Time flies like an Arrow"))
    assert "There is nothing to carry over" in said
    assert "The model reads A and B as the same tokens" in said


def test_a_model_without_probes_or_with_one_layer_and_head_shows_the_rest(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path, num_hidden_layers=1, num_attention_heads=1)
    at = pick_model(open_page(view="word lens"), str(folder))
    settled(unfolded(click(at, "load_model")))
    said = text(at)
    assert "No classifier was trained for this model's parts of speech" in said
    assert "Which heads decide?" in said
    assert figure(at, "patching")
    assert figure(at, "sense-map")
    type_texts(at, a="time flies like an arrow", b="the time flies over a banana")
    settled(choose(at, effect="shift"))
    assert figure(at, "heads-B")
    assert "These are exact." in text(at)
    assert "rank correlation" not in text(at)  # of one head
    settled(unfold(choose(at, view="compare"), "compare_carriers"))
    assert "These are exact. A tile" in text(at).replace("\n", " ")
    assert "rank correlation" not in text(at)
