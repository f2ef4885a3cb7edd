"""Masked words on the page: a click masks a word, and the model says which word it expects."""

from typing import Any

import pytest

from tests.app.app_script import click, figure, open_page, run
from tests.app.app_script import sentences_of as text

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

MASKED = {"view": "predictions", "a": "time [MASK] like an arrow", "b": ""}


def test_a_click_on_a_word_masks_it_in_the_text() -> None:
    at = open_page(view="predictions", a="Time flies, like an arrow.", b="")
    words: Any = next(group for group in at.get("button_group") if group.key == "predictions_mask_pair")
    words.set_value(1)
    run(at)
    assert at.query_params["a"] == "Time [MASK], like an arrow."
    assert "For the mask the model says **" in text(at)


def test_the_words_of_every_layer_follow_a_typed_word() -> None:
    at = open_page(**MASKED, fill="flies")
    assert "**“flies”** is word" in text(at)
    assert len(figure(at, "words-by-layer-1_pair")["data"][0]["z"]) == 7
    at.text_input(key="predictions_fill_pair").set_value("time flies")
    run(at)
    assert at.query_params["fill"] == "time flies"
    assert "one piece of the vocabulary" in at.info[0].value


def test_why_this_word_explains_the_likeliest_word() -> None:
    at = open_page(**MASKED)
    click(at, "predictions_why_pair")
    assert (at.query_params["view"], at.query_params["why"]) == ("why", "masked word")
    assert "At the mask: “" in text(at)


def test_what_a_head_was_trained_on_is_named_once_and_not_below_masked_words() -> None:
    at = open_page(view="predictions", mode="separate")
    assert text(at).count("was never trained on sentiment") == 1
    at = open_page(view="predictions", a="i hope that he [MASK] come tomorrow.", b="")
    assert "was never trained on sentiment" not in text(at)
