"""The view Tokens on the page: the rows of each text, and those of a second model."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import choose, click, open_page, sentences_of

UPPER = {"view": "tokens", "a": "Über Flies 😂", "b": "Uber flies", "mode": "separate"}


def rows_of(at: AppTest) -> list[str]:
    return [part.proto.body for part in at.get("html") if 'class="read-text"' in part.proto.body]


def test_each_text_has_its_sentence_and_its_rows() -> None:
    at = open_page(**UPPER)
    assert len(rows_of(at)) == 2
    assert 'class="stripped"' in rows_of(at)[0]
    said = sentences_of(at)
    assert "The model reads 3 words as 3 pieces; 1 character loses its marks and 1 is in an unknown piece." in said
    assert "The same to the model: “Über” and “Uber”; “Flies” and “flies”." in said
    choose(at, mode="pair")
    assert len(rows_of(at)) == 1
    assert rows_of(at)[0].count('class="read-text"') == 2


def test_a_second_model_is_chosen_and_marks_what_differs() -> None:
    at = open_page(**UPPER, other_model="scratch")
    assert len(rows_of(at)) == 4
    assert "It cuts all 3 words as the page's model does." in sentences_of(at)
    at.selectbox(key="tokens_against").select("none").run()
    assert len(rows_of(at)) == 2
    assert "other_model" not in at.query_params


def test_the_first_step_of_the_anatomy_leads_to_it() -> None:
    at = open_page(view="anatomy", walk="text", a="time flies", b="", model="scratch")
    click(at, "anatomy_tokens")
    assert at.query_params["view"] == "tokens"
    assert len(rows_of(at)) == 1


@pytest.mark.parametrize(("b", "is_same"), [("the cafe", True), ("the flies", False)])
def test_the_lens_says_that_two_words_are_the_same_to_the_model(b: str, is_same: bool) -> None:
    at = open_page(view="word lens", a="Café here", b=b, at_a="0", at_b="1")
    assert ("“Café” and “cafe” are the same to the model." in sentences_of(at)) == is_same


def test_a_long_text_shows_a_part_and_counts_all() -> None:
    at = open_page(view="tokens", a="time " * 600, b="")
    assert rows_of(at)[0].count('class="piece"') <= 512
