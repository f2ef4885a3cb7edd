"""What the page can be saved as: the file has what the page shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from encoder import Backend, Trace
from tests.app.app_script import Offered, open_page
from tests.viz.html.reading import contents_of, weights_in
from viz.panels import PANELS
from viz.state.selection import View

A, B = "time flies like an arrow", "fruit flies like a banana"
VIEW, ALL, TRACE = "headlight-head-view.html", "headlight-all-views.html", "trace.safetensors"


def test_the_open_view_is_saved_as_it_is_shown(offered: Offered, bundled: Backend) -> None:
    open_page(view="head view", layer="2", head="7", special="hide", level="words", a=A, b=B)
    assert {VIEW, ALL, TRACE} <= set(offered)
    html = offered[VIEW]().decode()
    contents = contents_of(html)
    assert [view["name"] for view in contents["views"]] == ["head view"]
    assert (contents["selection"]["layer"], contents["selection"]["head"]) == (2, 7)
    assert contents["runs"][0]["special"] == "hide"
    assert weights_in(html, "pair.attention")[5].shape == (12, 10, 10)
    every = contents_of(offered[ALL]().decode())
    assert [view["title"] for view in every["views"]] == [
        "Heat map",
        "Head view",
        "Model view",
        "Neuron view",
        "Norms",
    ]
    assert every["view"] == "head view"


def test_the_run_is_saved_to_the_bit(offered: Offered, bundled: Backend, tmp_path: Path) -> None:
    open_page(view="data", a=A, b=B)
    assert VIEW not in offered
    path = tmp_path / "trace.safetensors"
    path.write_bytes(offered[TRACE]())
    kept, run = Trace.load(path), bundled.trace(A, B)
    assert kept.tokens == run.tokens
    np.testing.assert_allclose(kept.weights(3), run.weights(3), atol=1e-5)  # the page may show a run that was stored
    assert kept.to_bytes() == path.read_bytes()


def test_two_runs_are_in_one_page_and_two_files(offered: Offered) -> None:
    open_page(view="heat map", a=A, b=B, mode="separate")
    contents = contents_of(offered["headlight-heat-map.html"]().decode())
    assert [run["heading"] for run in contents["runs"]] == ["Sentence A", "Sentence B"]
    assert {"trace-A.safetensors", "trace-B.safetensors"} <= set(offered)


def test_of_a_long_text_one_layer_is_saved_and_the_page_says_so(offered: Offered) -> None:
    page = open_page(view="heat map", layer="4", a="time " * 200)
    assert any("layer 4 alone" in caption.value for caption in page.caption)
    html = offered["headlight-heat-map.html"]().decode()
    assert list(weights_in(html, "pair.attention")) == [4]


@pytest.mark.parametrize(
    ("view", "charts"),
    [
        ("why here", ["score-terms-query", "score-terms-key"]),
        ("compare", ["compare-heads", "aligned-words"]),
        ("similar because", ["similar-because-pairs", "similar-because-test"]),
    ],
)
def test_an_answer_is_saved_with_its_charts(view: View, charts: list[str], offered: Offered) -> None:
    open_page(view=view, a="a dog barks", b="the puppy barks", layer="1", head="2")
    html = offered[f"headlight-{'-'.join(view.split())}.html"]().decode()
    (slide,) = contents_of(html)["slides"]
    assert slide["title"] == PANELS[view].title
    assert [f'data-plot="{name}"' in html for name in charts] == [True, True]


def test_nothing_is_saved_where_every_token_is_hidden(offered: Offered) -> None:
    open_page(view="heat map", a="[SEP]", special="hide")
    assert not [name for name in offered if name.startswith("headlight")]


def test_the_decoder_is_saved_with_the_attention_that_is_shown(offered: Offered) -> None:
    open_page(view="decoder", kind="decoder", picture="head view")
    contents = contents_of(offered["headlight-all-views-of-the-three-attentions.html"]().decode())
    assert (contents["view"], contents["runs"][0]["parts"][0]["sentences"]) == ("head view", "B→B")
