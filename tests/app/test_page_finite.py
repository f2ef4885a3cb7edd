"""A model whose runs give no finite numbers: the page says so in one sentence and draws nothing from them."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from encoder.experiments.senses import states
from encoder.runs.arrays import check_finite
from tests.app.app_script import choose, click, components, open_page, sentences_of, unfold
from tests.encoder.random_models import Zoo, scale_tensors
from viz.caches.memo import VALUES

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(Zoo(tmp_path / "zoo").folder("bert"), tmp_path / "bert"))


def test_an_overflow_is_reported_once_and_not_rendered(folder: Path) -> None:
    scale_tensors(folder, {"embeddings.LayerNorm.weight": 1e12, "self.query.weight": 1e12})
    at = click(open_page(model=str(folder)), "load_model")
    for view in ("heat map", "why"):
        choose(at, view=view)
        assert len(at.error) == 1
        assert "the queries of layer 0" in at.error[0].value
        assert not components(at, "cell_map") + components(at, "head_map") + components(at, "token_strip")
        assert [len(at.get(kind)) for kind in ("plotly_chart", "iframe", "dataframe")] == [0, 0, 0]
    choose(at, view="heat map")
    at.selectbox(key="model").set_value("bundled").run()
    assert not at.error
    assert components(at, "cell_map")


def test_a_checkpoint_with_nan_is_reported_and_the_page_continues(folder: Path) -> None:
    scale_tensors(folder, {"layer.1.attention.self.query.weight": float("nan")})
    at = click(open_page(model=str(folder)), "load_model")
    assert len(at.error) == 1
    assert "encoder.layer.1.attention.self.query.weight" in at.error[0].value.replace("\\", "")
    assert "goes on with all-MiniLM-L6-v2" in sentences_of(at)
    assert components(at, "cell_map")


def test_an_overflow_in_a_run_of_one_view_is_reported_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def overflows(*_: object) -> None:
        check_finite("bundled", [("the embedding output", np.array([np.inf], np.float32))])

    monkeypatch.setattr(states, "states_of_rows", overflows)  # of the sentences that the lens compares with
    VALUES.clear()
    at = unfold(open_page(view="word lens"), "lens_divergence")
    assert [error.value.replace("\\", "") for error in at.error] == [
        "This run of bundled cannot be shown, because there are infinite numbers in the embedding output: the model's "
        "weights are damaged or too large, so get its files again or load another model."
    ]
    choose(at, view="heat map")
    assert not at.error
