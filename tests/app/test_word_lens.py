"""The word lens on the page: its charts, its choices, and unusable input."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from encoder import Backend
from encoder.measures.similarity import cosines_by_layer
from encoder.measures.units import occurrence_states
from encoder.shipped.probes import word_classes
from tests.app.app_script import choose, click, figure, open_page, pick_model, run, type_texts
from tests.app.app_script import sentences_of as text
from tests.app.jobs import settled
from tests.app.word_lens import A, B, lens, line
from tests.encoder.random_models import build, save, wordpiece_tokenizer

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")


@pytest.fixture(scope="module")
def first() -> AppTest:
    return lens()


def test_two_clicks_show_the_parting_the_probe_and_named_heads(first: AppTest, bundled: Backend) -> None:
    traces = [bundled.trace(sentence) for sentence in (A, B)]
    cosines = cosines_by_layer(*(occurrence_states(trace.hidden_states, (2,)) for trace in traces))
    np.testing.assert_allclose(line(figure(first, "parting"), "this word in A and B"), cosines, atol=1e-6)
    assert cosines[-1] < 0.7
    verbs = word_classes(traces[0]).probabilities[:, 1]
    tag = word_classes(traces[0]).tags.index("VERB")
    np.testing.assert_allclose(line(figure(first, "belief-A"), "VERB"), verbs[:, tag], atol=1e-6)
    said = text(first)
    assert "the two diverge from L3 on" in said
    assert "NOUN → VERB in A" in said
    assert "beyond the control" in said
    assert "encoded separately" in said
    assert said.count("How to read it") == said.count("What it does not show") == 6


def test_a_chosen_word_is_kept_in_the_link_and_leaves_with_its_text() -> None:
    at = lens(at_a="2", at_b="2")
    assert "How “like” diverges" in text(at)
    assert at.query_params["at_a"] == "2"
    type_texts(at, a="he sat on the bank", b="the bank was closed")
    settled(at)
    assert "How “bank” diverges" in text(at)
    assert "at_a" not in at.query_params


def test_the_list_of_words_changes_the_word() -> None:
    at = lens()
    box = at.selectbox(key="lens_word")
    assert box.options == ["flies", "like"]
    box.set_value("like")
    settled(run(at))
    assert (at.query_params["at_a"], at.query_params["at_b"]) == ("2", "2")
    assert "How “like” diverges" in text(at)


def test_one_of_several_occurrences_is_chosen() -> None:
    at = lens(a="the bat saw the bat", b="a bat slept")
    box = at.selectbox(key="lens_at_A")
    assert box.options == ["… the [bat] saw the …", "… saw the [bat] …"]
    box.set_value(box.options[1])
    settled(run(at))
    assert at.query_params["at_a"] == "4"


def test_a_word_of_one_sentence_only_says_so_and_shows_the_rest() -> None:
    at = lens(at_a="4")
    said = text(at)
    assert "“arrow” is not in sentence B" in said
    assert "Pictures 1 and 5 compare two occurrences" in said
    assert figure(at, "belief-A")
    assert figure(at, "heads-A")


@pytest.mark.parametrize(
    ("link", "wanted"),
    [
        ({"a": "one two", "b": "three four"}, "share no word"),
        ({"a": "flies", "b": ""}, "Pictures 1 and 5 compare two occurrences: type the word in a second sentence"),
        ({"a": "flies", "b": "two"}, "Pictures 1 and 5 compare two occurrences: choose the word in both sentences"),
        ({"at_a": "900"}, "Word 901 of sentence A is not there"),
        ({"a": "time 😀 flies", "b": "😀", "at_a": "1"}, "it reads [UNK]"),
        ({"a": "well , yes", "b": "no , sir", "at_a": "1"}, "How “,” diverges"),
        ({"a": "مرحبا بالعالم", "b": "مرحبا"}, "How “مرحبا” diverges"),
        ({"a": "<script>alert(1)</script> flies", "b": "flies"}, "How “flies” diverges"),
        ({"further": "cheese"}, "further='cheese' was ignored"),
        ({"silenced": "3"}, "silenced='3' was ignored"),
    ],
)
def test_bad_input_gets_a_sentence(link: dict[str, str], wanted: str) -> None:
    said = text(lens(**link)).replace("\\", "")
    assert wanted in said


LETTERS = "z" * 3000


@pytest.mark.parametrize(
    "link",
    [
        {"a": f"{LETTERS} flies", "b": "fruit flies", "at_a": "0"},  # [UNK]
        {"a": f"{LETTERS[:90]} flies", "b": f"fruit {LETTERS[:90]}", "at_a": "0"},  # many pieces
        {
            "a": f"{LETTERS} bat {LETTERS} bat",
            "b": "a bat",
            "at_a": "1",
        },  # the neighbours of a word that is there twice
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
    typed = "\n".join(
        ["insect | flies bite", "verb | he flies", "insect | fat flies", "verb | time flies", "no such word"]
    )
    at = lens(further="own", typed=typed)
    assert "no such word" in text(at)
    assert "of 4 labelled sentences" in text(at)
    assert at.query_params["typed"] == typed
    names = [trace["name"] for trace in figure(at, "sense-map")["data"]]
    assert names == ["insect", "verb", "sentence A", "sentence B"]
    five_hundred = "\n".join(f"{n} flies" for n in range(500))
    at.text_area(key="typed").set_value(five_hundred)
    settled(run(at))
    assert "450 more are left out" in text(at)
    assert at.text_area(key="typed").value == five_hundred


def test_the_numbers_of_every_picture_can_be_downloaded(monkeypatch: pytest.MonkeyPatch, bundled: Backend) -> None:
    files: dict[str, Any] = {}
    button = st.download_button

    def note(label: str, data: Any, **options: Any) -> bool:
        files[options["key"]] = data
        return button(label, data, **options)

    monkeypatch.setattr(st, "download_button", note)
    at = lens()
    names = ("parting", "profiles", "belief", "heads", "patching", "sense-map")
    tables = {name: pd.read_csv(io.BytesIO(files[f"lens_{name}_table"]())) for name in names}
    assert all(len(table) > 1 for table in tables.values())
    states = [occurrence_states(bundled.trace(text).hidden_states, (2,)) for text in (A, B)]
    np.testing.assert_allclose(tables["parting"]["cosine"], cosines_by_layer(*states), atol=1e-6)
    assert len(at.get("download_button")) >= len(names)


def test_a_trained_model_from_scratch_says_honestly_that_nothing_parts() -> None:
    said = text(lens(model="scratch"))
    assert "The two do not diverge" in said
    assert "beyond the control" in said


@pytest.mark.parametrize("b", [A, "Time flies like an Arrow"])
def test_two_texts_of_the_same_tokens_have_nothing_to_carry_over(b: str) -> None:
    said = text(lens(model="scratch", b=b))
    assert "There is nothing to carry over" in said
    assert "The model reads A and B as the same tokens" in said


def test_a_model_without_probes_or_with_one_layer_and_head_shows_the_rest(tmp_path: Path) -> None:
    sizes = {
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "hidden_size": 8,
        "intermediate_size": 16,
        "max_position_embeddings": 32,
    }
    folder = save(build("BertModel", "BertConfig", **sizes), tmp_path / "tiny", wordpiece_tokenizer())
    at = pick_model(open_page(view="word lens"), str(folder))
    settled(click(at, "load_model"))
    said = text(at)
    assert "No probe was trained for this model" in said
    assert "Which heads decide?" in said
    assert figure(at, "patching")
    assert figure(at, "sense-map")
    type_texts(at, a="time flies like an arrow", b="the time flies over a banana")
    settled(choose(at, effect="shift"))
    assert figure(at, "heads-B")
    assert "These are exact." in text(at)
    assert "rank correlation" not in text(at)  # of one head
    settled(choose(at, view="compare"))
    assert "These are exact. A tile" in text(at).replace("\n", " ")
    assert "rank correlation" not in text(at)
