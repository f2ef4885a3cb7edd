"""Cut links on the page: what they change, how they are restored, and where they are left out of account."""

import numpy as np
from numpy.testing import assert_allclose
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from encoder.runs.links import Link
from tests.app.app_script import (
    Offered,
    captions,
    cells,
    click,
    components,
    data_of,
    figures,
    go,
    open_page,
    type_texts,
    unfold,
)
from tests.app.app_script import sentences_of as text
from tests.viz.html.reading import contents_of, weights_in
from viz.caches import run_cache
from viz.widgets.cuts import ELSEWHERE

A, B = "time flies like an arrow", "fruit flies like a banana"
LINK = {"a": A, "b": B, "mode": "separate", "cut": "A2-1"}
CHANGE = "**Without “flies” → “time” in all layers:** verb 93 % → **6 %**"


def test_a_cut_link_says_what_changes_and_is_restored() -> None:
    at = open_page(**LINK)
    assert CHANGE in text(at)
    assert "Is “flies” a verb or a noun?" not in text(at)  # which is answered for the unchanged run
    restored = click(at, "restore_A2-1")
    assert CHANGE not in text(restored)
    assert "Is “flies” a verb or a noun?" in text(restored)


def test_the_first_screen_says_what_the_strongest_link_does_and_cuts_it() -> None:
    at = open_page()
    assert "In A, without any look at “time”, the model reads it as **a noun** (88 %" in text(at)
    steps = next_steps(at)
    assert steps.pop(0) == "cut_it"
    cut = click(at, "cut_it")
    assert cut.query_params["cut"] == "A2-1_B2-1"
    assert CHANGE in text(cut)
    assert "any look" not in text(cut)
    assert steps.items() <= next_steps(cut).items(), "a button that moves is there twice until the run ends"
    pair = open_page(**{**LINK, "mode": "pair", "cut": ""})
    assert click(pair, "cut_it").query_params["cut"] == "A2-1"  # of each run one link


def next_steps(at: AppTest) -> dict[int, str | None]:
    """The buttons below the picture, by their places in their row."""
    (row,) = [part for part in at.get("flex_container") if part.proto.id.endswith("-next")]
    return {place: part.key for place, part in row.children.items() if isinstance(part, Button)}


def test_each_sentence_has_its_links_and_other_texts_restore_them() -> None:
    at = open_page(**{**LINK, "cut": "A2-1_B2-1@0.4"})
    assert CHANGE in text(at)
    assert "**Without “flies” → “fruit” in layer 0, head 4:**" in text(at)
    assert data_of(components(at, "cell_map")[1])["cuts"] == {"run": "B", "shown": "A2-1_B2-1@0.4"}
    at = type_texts(at, a="time stands still")
    assert "**Without" not in text(at)
    assert "cut" not in at.query_params


def test_views_of_the_unchanged_run_say_so_and_remove_the_cut() -> None:
    at = go(open_page(**LINK), {**LINK, "view": "why here"})
    assert ELSEWHERE in captions(at)
    assert CHANGE not in text(at)
    at = click(at, "restore_all")
    assert "cut" not in at.query_params
    assert ELSEWHERE not in captions(at)


def test_norms_data_and_predictions_are_of_the_changed_run() -> None:
    changed = run_cache.trace("bundled", A, links=(Link(query=(2,), key=(1,)),))
    at = go(open_page(**LINK), {**LINK, "view": "data"})
    assert at.dataframe[0].value.to_numpy()[2, 1] == 0
    at = go(at, {**LINK, "view": "norms"})
    assert CHANGE in text(at)
    assert_allclose(cells(at), np.linalg.norm(changed.hidden_states, axis=-1), atol=1e-3)  # (L + 1, T)
    at = go(at, {**LINK, "view": "predictions"})
    assert CHANGE in text(at)
    assert changed.prediction is not None
    assert changed.prediction.probabilities is not None
    assert_allclose(figures(at)[0]["data"][0]["x"], changed.prediction.probabilities, atol=1e-4)


def test_the_model_view_silences_a_whole_head_in_the_word_lens() -> None:
    at = click(open_page(view="model view", layer="2", head="7"), "silence")
    assert (at.query_params["view"], at.query_params["silenced"]) == ("word lens", "2.7")


def test_a_saved_page_has_the_changed_weights_and_says_so(offered: Offered) -> None:
    unfold(open_page(**LINK), "export")
    html = offered["heat-map.html"]().decode()
    assert "The attention of “flies” (2) to “time” (1) was cut in all layers." in html
    assert "verb" not in contents_of(html)["headline"]  # by a probe that reads the unchanged embeddings as well
    first = next(run["name"] for run in contents_of(html)["runs"])
    assert all(weights[:, 2, 1].max() == 0 for weights in weights_in(html, f"{first}.attention").values())


def test_a_pair_has_no_cut_links_of_b_alone() -> None:
    at = open_page(**{**LINK, "mode": "pair", "cut": "B2-1"})
    assert "**Without" not in text(at)
    assert "cut" not in at.query_params


def test_links_that_the_text_does_not_have_are_dropped() -> None:
    at = open_page(**{**LINK, "cut": "A99-1_A2-1@0.4_A2-1@77"})
    assert "**Without “flies” → “time” in layer 0, head 4:**" in text(at)
    assert at.query_params["cut"] == "A2-1@0.4"
