"""One sentence in several models, next to each other."""

from typing import Any

from streamlit.testing.v1 import AppTest

from encoder import Backend
from encoder.measures.head_profiles import mean_entropy_bits
from encoder.shipped.names import SCRATCH, UNTRAINED
from tests.app.app_script import components, data_of, open_page, run, selected
from tests.app.app_script import sentences_of as text

LINK = {"view": "models", "a": "time flies like an arrow", "b": "", "layer": "0", "head": "2"}


def pictures(at: AppTest, name: str = "cell_map") -> list[dict[str, Any]]:
    return [data for part in components(at, name) if "follows" in (data := data_of(part))]


def titles(at: AppTest) -> list[str]:
    return [each.value.split("**")[1] for each in at.markdown if ":gray[" in each.value]


def test_the_pages_model_comes_first_then_an_untrained_and_a_trained_one(bundled: Backend) -> None:
    at = open_page(**LINK)
    assert len(titles(at)) == 3
    own, untrained, trained = pictures(at)
    assert [each["follows"]["layers"] for each in (own, untrained, trained)] == [6, 4, 4]
    assert len({each["id"] for each in (own, untrained, trained)}) == 3
    spread = 2 ** float(mean_entropy_bits(bundled.trace(LINK["a"]).weights(0)[2]))
    assert f"a token spreads its attention over {spread:.1f} of 7 tokens, and over 7.0 of 7 with random" in text(at)
    assert "its weights are random" in text(at)


def test_a_step_means_a_batch_of_the_size_on_the_model_card() -> None:
    at = open_page(**LINK)
    assert at.select_slider(key="trained").label == "Training step: a batch of up to 2,048 word pieces"
    at = open_page(**LINK | {"view": "heat map", "model": SCRATCH})
    assert at.select_slider(key="step").label == "Training step: a batch of up to 2,048 word pieces"


def test_models_are_added_and_the_pages_own_is_not_repeated() -> None:
    at = open_page(**LINK, model=UNTRAINED)
    assert at.multiselect(key="models").value == ["scratch", "bundled"]
    assert len(pictures(at)) == 3
    at.multiselect(key="models").set_value(["bundled-sentiment"])
    run(at)
    assert len(pictures(at)) == 2
    assert at.query_params["models"] == f"bundled-sentiment.{UNTRAINED}"


def test_the_model_that_the_page_goes_on_with_is_not_repeated() -> None:
    at = open_page(**LINK, model="./nope")
    assert at.multiselect(key="models").value == [UNTRAINED, "scratch"]
    assert len(pictures(at)) == 3


def test_a_head_that_a_model_lacks_is_replaced_and_the_column_says_so() -> None:
    at = open_page(**LINK | {"layer": "5", "head": "9"})
    own, untrained, _ = pictures(at)
    assert own["follows"]["shown"] == own["follows"]["wanted"] == [5, 9]
    assert untrained["follows"]["wanted"] == [5, 9]
    assert "Layer 3, head 3, the nearest that it has." in text(at)


def test_a_model_with_more_heads_shows_those_that_the_pages_model_lacks() -> None:
    at = open_page(**LINK, model=SCRATCH)
    at.selectbox(key="models_layer").set_value("5")
    run(at)
    assert (selected(at)["layer"], selected(at)["head"]) == (3, 2)
    assert {tuple(each["follows"]["wanted"]) for each in pictures(at)} == {(5, 2)}
    at.selectbox(key="models_head").set_value("11")
    run(at)
    assert (selected(at)["layer"], selected(at)["head"]) == (3, 3)
    assert {tuple(each["follows"]["wanted"]) for each in pictures(at)} == {(5, 11)}


def test_all_heads_are_maps_of_every_model_with_the_most_selective_head() -> None:
    at = open_page(**LINK, pictured="all heads")
    assert pictures(at) == []
    assert len(pictures(at, "head_map")) == 3
    assert "**Training focuses attention here:** a token spreads its attention over" in text(at)
    assert "Most selective: layer 0, head 2, over 1.0 of 7 tokens." in text(at)


def test_two_sentences_are_shown_as_one_if_they_are_encoded_as_a_pair() -> None:
    pair = {**LINK, "b": "fruit flies like a banana"}
    assert {tuple(each["texts"]) for each in pictures(open_page(**pair))} == {("A", "B")}
    assert {tuple(each["texts"]) for each in pictures(open_page(**pair, mode="separate"))} == {("A",)}


def test_a_link_downloads_no_model() -> None:
    at = open_page(**LINK, models="bert-base-uncased")
    assert len(pictures(at)) == 1
    assert "has to be downloaded (440 MB)" in text(at)
    assert at.button(key="models_bert-base-uncased_load_model").label == "Load it"
