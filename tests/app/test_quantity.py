"""The choice between weights and other methods, in every view that shows them."""

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from safetensors.numpy import load
from streamlit.testing.v1 import AppTest

from encoder import Backend
from encoder.attribution.methods.facts import Quantity
from encoder.attribution.methods.maps import input_maps, planes
from tests.app.app_script import (
    Offered,
    alerts,
    captions,
    choose,
    components,
    data_of,
    layer_of,
    map_data,
    open_page,
    pick_model,
    selected,
    setting,
    unfold,
)
from tests.viz.html.reading import contents_of, weights_in
from viz.caches.memo import VALUES
from viz.payloads.layer import STEPS
from viz.recipes import attributions
from viz.wording.quantities import MEANINGS, TITLES

A, B = "time flies like an arrow", "fruit flies like a banana"
SAME: dict[str, Any] = {"rtol": 1e-3, "atol": 2e-3}


def sent(at: AppTest, name: str = "cell_map") -> np.ndarray[Any, Any]:
    """The numbers of the selected layer, (P, U, U)."""
    layer = layer_of(at, data_of(components(at, name)[0]))
    shares = (layer.arrays["weights"].astype(np.float32) / STEPS) ** 2
    return shares * layer.extras["quantity"]["largest"]


def map_extras(at: AppTest, large: bool = False) -> dict[str, Any]:
    """The extras of the map's message."""
    identity = next(data["id"] for data in map(data_of, components(at, "head_map")) if data["large"] == large)
    data = next(store.bytes for store in components(at, "store") if identity in _header(store.bytes))
    extras: dict[str, Any] = json.loads(json.loads(_header(data))["__metadata__"]["extras"])
    return extras | {"shape": load(data)["thumbnails"].shape}


def _header(data: bytes) -> str:
    return data[8 : 8 + int.from_bytes(data[:8], "little")].decode()


def test_heat_map_and_head_view_draw_the_numbers_of_the_method(bundled: Backend) -> None:
    trace = bundled.trace(A, B)
    at = open_page(a=A, b=B, layer="3", method="norms")
    assert_allclose(sent(at), list(planes(bundled, trace, Quantity(method="norms")))[3], **SAME)
    assert map_extras(at)["shape"][:2] == (6, 13)
    choose(at, method="globenc")
    assert at.query_params["method"] == "globenc"
    from_input = list(input_maps(bundled, trace, "globenc"))
    assert_allclose(sent(at), from_input[3][None], **SAME)
    choose(at, reach="layer")
    assert_allclose(sent(at), list(planes(bundled, trace, Quantity(method="globenc", reach="layer")))[3], **SAME)
    assert map_extras(at)["quantity"]["heads"] == 0
    choose(at, view="head view", reach="input")
    assert_allclose(sent(at, "head_view"), from_input[3][None], **SAME)
    assert selected(at)["head"] == 4  # is kept for the weights


def test_each_method_has_a_run_and_a_legend_of_its_own() -> None:
    at = open_page(a=A, b=B)
    weights = map_data(at)["id"]
    choose(at, method_group="more")
    choose(at, method="residual")
    lengths = map_data(at)["id"]
    assert "Kobayashi et al. (2021), equation 11" in captions(at)
    assert "rows do not add up to 1" in captions(at)
    largest = layer_of(at, map_data(at)).extras["quantity"]["largest"]
    assert f"Colours run from 0 to {largest:.3g}, the largest number in any layer" in captions(at)
    choose(at, method="rollout")
    assert "Colours run from 0 to 1." in captions(at)
    assert "does not tell heads apart" in captions(at)
    assert len({weights, lengths, map_data(at)["id"]}) == 3


@pytest.mark.parametrize("view", ["head view", "model view"])
def test_decompx_shows_its_biases_and_hidden_tokens(view: str) -> None:
    at = open_page(a=A, b=B, view=view, method="decompx", special="renormalise", level="words")
    assert "The sum of lengths is at least the length of the sum" in captions(at)
    if view == "model view":
        assert "Lengths are not shares" in captions(at)
        assert map_extras(at, large=True)["shape"][:2] == (6, 1)
        return
    layer = layer_of(at, data_of(components(at, view.replace(" ", "_").replace("heat", "cell"))[0]))
    assert layer.arrays["biases"].shape == (1, 10)
    assert layer.arrays["removed"].shape == (1, 10)


def test_attention_comes_first_and_the_other_measures_are_for_researchers() -> None:
    at = open_page(a=A, b=B)
    measure = setting(at, "method_group")
    assert (measure.label, measure.value) == ("Measure", "weights")
    assert measure.options == ["Attention weights", "More, for researchers"]
    assert not [box for box in at.selectbox if box.key == "method"]
    choose(at, method_group="more")
    assert at.query_params["method"] == "norms"
    assert setting(at, "method").options == [TITLES[method] for method in TITLES if method != "weights"]
    assert MEANINGS["norms"] in captions(at)
    choose(at, method_group="weights")
    assert "method" not in at.query_params


def test_an_undecomposable_model_is_reported_and_the_choice_stays() -> None:
    at = open_page(a=A, b=B, method="alti", model="scratch")
    assert not alerts(at)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("encoder.models.layer_module_names.ScratchBackend", type("Another", (), {}))
        VALUES.clear()
        pick_model(at, "bundled")
        (said,) = alerts(at)
        assert said.startswith("“ALTI” does not apply here: ")
        assert "cannot be decomposed" in said
        assert not components(at, "cell_map")
        assert "quantity" not in map_extras(at)
        assert at.query_params["method"] == "alti"
        choose(at, method_group="weights")
        assert not alerts(at)
        assert components(at, "cell_map")
    VALUES.clear()


def test_a_long_text_is_refused_by_decompx_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attributions, "DECOMPX_TOKENS", 12)
    VALUES.clear()
    at = open_page(a=A, b=B, method="decompx")
    (said,) = alerts(at)
    assert "13 tokens" in said
    assert "up to 12 tokens" in said
    choose(at, method="globenc")
    assert not alerts(at)


def test_views_that_draw_weights_alone_say_so_and_keep_the_choice() -> None:
    at = open_page(a=A, b=B, view="neuron view", method="globenc")
    assert "GlobEnc is chosen for the views that can draw it. This one shows attention weights." in captions(at)
    assert "quantity" not in map_extras(at)
    choose(at, view="decoder")
    assert "This one shows attention weights." in captions(at)
    assert at.query_params["method"] == "globenc"
    choose(at, view="model view")
    assert map_extras(at, large=True)["quantity"]["name"] == "GlobEnc"


def test_the_stage_keeps_the_switch_and_names_what_is_drawn() -> None:
    at = open_page(a=A, b=B, method="rollout", stage="1")
    (stage,) = components(at, "stage")
    assert data_of(stage)["seen"]["quantity"] == {"name": "Rollout", "heads": False, "from_input": True}
    assert data_of(stage)["seen"]["shows"] == "row takes from column"
    assert layer_of(at, map_data(at)).extras["quantity"]["name"] == "Rollout"


def test_files_have_the_numbers_and_the_name_of_the_method(offered: Offered, bundled: Backend) -> None:
    trace = bundled.trace(A, B)
    expected = list(input_maps(bundled, trace, "decompx"))
    at = open_page(a=A, b=B, view="data", layer="2", method="decompx")
    table = pd.read_csv(io.BytesIO(offered["DecompX,-input-to-L2.csv"]()), index_col=0)
    assert table.columns[-1] == "biases of the model"
    assert_allclose(table.to_numpy(), expected[2], **SAME)
    assert "Each number is the ‖x̃‖" in captions(at)
    choose(at, view="model view")
    unfold(at, "export")
    table = pd.read_csv(io.BytesIO(offered["model-view-decompx-from-input.csv"]()))
    assert set(table["head"]) == {-1}
    assert_allclose(table[table["layer"] == 5].iloc[:, 3:], expected[5][:, :-1], **SAME)


def test_a_saved_page_has_what_is_drawn_with_its_formula_and_unit(offered: Offered, bundled: Backend) -> None:
    unfold(open_page(a=A, b=B, view="head view", layer="2", method="norms"), "export")
    html = offered["all-views.html"]().decode()
    contents = contents_of(html)
    assert [view["name"] for view in contents["views"]] == ["tokens", "heat map", "head view", "model view", "norms"]
    assert any("‖α f(x)‖" in note and "Kobayashi et al. (2020)" in note for note in contents["about"])
    assert not any("weights are rounded" in note for note in contents["notes"])
    weights = weights_in(html, "pair.attention")
    of_layers = list(planes(bundled, bundled.trace(A, B), Quantity(method="norms")))  # (H + 1, T, T) each
    norms, wholes = [maps[:-1] for maps in of_layers], [maps[-1] for maps in of_layers]
    largest = max(layer.max() for layer in wholes)
    assert_allclose(weights[2][:12] * largest, norms[2], atol=largest / 10_000)
