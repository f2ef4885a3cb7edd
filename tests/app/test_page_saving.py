"""What the page can be saved as: the file has what the page shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from encoder import Backend, Trace
from tests.app.app_script import Offered, click, open_page, sentences_of, unfold
from tests.app.jobs import settled
from tests.viz.html.reading import contents_of, weights_in
from viz.caches.steps import known_result
from viz.recipes.runner import StepRunner
from viz.recipes.step import AnyStep
from viz.state.selection import View
from viz.views.registered import PANELS

A, B = "time flies like an arrow", "fruit flies like a banana"
VIEW, ALL, RUN = "head-view.html", "all-views.html", "run.safetensors"


def open_exports(**link: str) -> AppTest:
    """The page with its export menu open."""
    return unfold(open_page(**link), "export")


def test_a_closed_menu_has_no_files(offered: Offered) -> None:
    open_page(view="heat map", a=A, b=B)
    assert not offered


def test_the_open_view_is_saved_as_it_is_shown(offered: Offered, bundled: Backend) -> None:
    open_exports(view="head view", layer="2", head="7", special="hide", level="words", a=A, b=B)
    assert {VIEW, ALL, RUN} <= set(offered)
    html = offered[VIEW]().decode()
    contents = contents_of(html)
    assert [view["name"] for view in contents["views"]] == ["head view"]
    assert (contents["selection"]["layer"], contents["selection"]["head"]) == (2, 7)
    assert contents["runs"][0]["special"] == "hide"
    assert weights_in(html, "pair.attention")[5].shape == (12, 10, 10)
    every = contents_of(offered[ALL]().decode())
    assert [view["title"] for view in every["views"]] == [
        "Tokens",
        "Heat map",
        "Head view",
        "Model view",
        "Neuron view",
        "Norms",
    ]
    assert every["view"] == "head view"


def test_the_run_is_saved_to_the_bit(offered: Offered, bundled: Backend, tmp_path: Path) -> None:
    open_exports(view="data", a=A, b=B)
    assert VIEW not in offered
    path = tmp_path / "trace.safetensors"
    path.write_bytes(offered[RUN]())
    kept, run = Trace.load(path), bundled.trace(A, B)
    assert kept.tokens == run.tokens
    np.testing.assert_allclose(kept.weights(3), run.weights(3), atol=1e-5)  # the page may show a run that was stored
    assert kept.to_bytes() == path.read_bytes()


def test_two_runs_are_in_one_page_and_two_files(offered: Offered) -> None:
    open_exports(view="heat map", a=A, b=B, mode="separate")
    contents = contents_of(offered["heat-map.html"]().decode())
    assert [run["heading"] for run in contents["runs"]] == ["Sentence A", "Sentence B"]
    assert contents["headline"] == "The model reads “flies” as a verb in A (80 %) and as a noun in B (91 %)."
    assert {"run-A.safetensors", "run-B.safetensors"} <= set(offered)


def test_of_a_long_text_one_layer_is_saved_and_the_page_says_so(offered: Offered) -> None:
    page = open_exports(view="heat map", layer="4", a="time " * 200)
    assert any("layer 4 only" in caption.value for caption in page.caption)
    html = offered["heat-map.html"]().decode()
    assert list(weights_in(html, "pair.attention")) == [4]


def test_an_answer_is_saved_with_its_charts(offered: Offered) -> None:
    open_exports(view="compare", model="scratch", a="a dog barks", b="the puppy barks", layer="1", head="2")
    html = offered["compare.html"]().decode()
    assert all(f'data-plot="{name}"' in html for name in ("compare-heads", "aligned-words"))


@pytest.mark.usefixtures("jobs_begin_at_once")
@pytest.mark.parametrize(
    ("view", "folds", "more"),
    [
        ("why here", [], {}),
        ("similar because", [], {}),
        ("routes", [], {}),
        ("compare", ["compare_heads", "compare_all_heads", "compare_carriers"], {"layer": "1", "head": "2"}),
        ("word lens", [], {}),
        ("swaps", [], {"collection": "swaps", "model": "bundled-sentiment"}),
    ],
)
def test_what_the_page_shows_is_not_worked_out_again(
    view: View, folds: list[str], more: dict[str, str], offered: Offered, monkeypatch: pytest.MonkeyPatch
) -> None:
    def known(steps: StepRunner, step: AnyStep, model_name: str) -> Any:
        found = known_result(step, model_name)
        assert found is not None, step
        return found

    at = open_exports(view=view, **{"model": "scratch", "a": "dogs bark", "b": "puppies bark"} | more)
    settled(unfold(at, *folds))
    monkeypatch.setattr(StepRunner, "run", known)
    [save] = [make for name, make in offered.items() if name.endswith(f"{'-'.join(view.split())}.html")]
    assert contents_of(save().decode())["slides"][0]["title"] == PANELS[view].title


def test_nothing_is_saved_where_every_token_is_hidden(offered: Offered) -> None:
    open_exports(view="heat map", a="[SEP]", special="hide")
    assert not offered


def test_the_decoder_is_saved_with_the_attention_that_is_shown(offered: Offered) -> None:
    open_exports(view="decoder", kind="decoder", picture="head view")
    contents = contents_of(offered["all-views.html"]().decode())
    assert (contents["view"], contents["runs"][0]["parts"][0]["sentences"]) == ("head view", "B→B")


def test_the_menu_has_the_pages_address_and_the_size_of_a_run() -> None:
    at = open_exports(view="heat map", a=A, b=B, mode="pair", head="4")
    assert at.code[0].value.endswith("?mode=pair")
    assert at.get("download_button")[-1].proto.label == "Whole run (.safetensors, 0.6 MB)"


@pytest.mark.parametrize("view", ["bertviz", "data"])
def test_the_menu_opens_the_views_that_are_exports(view: View) -> None:
    at = click(open_exports(view="heat map", a=A, b=B), f"export_{view}")
    assert at.query_params["view"] == view
    assert "Link to this page" not in sentences_of(at)  # the menu closed
