"""Texts of more than 512 tokens: the model reads them whole, and each view shows what it can or says so."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import alerts, captions, choose, click, matrix, open_page, strip
from tests.encoder.random_models import LONG, MODERNBERT, build, save, wordpiece_tokenizer
from viz.caches import run_cache
from viz.panels import PANELS, EncoderPanel

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")

TEXT = " ".join([LONG] * 25)  # 652 tokens
WHOLE = "The model reads 652 tokens. Views of tokens show the first 512"


@pytest.fixture
def at(tmp_path: Path) -> AppTest:
    """The page with a small random ModernBERT for classes of texts of up to 1,024 tokens."""
    tokenizer = wordpiece_tokenizer()
    settings = MODERNBERT | {"vocab_size": len(tokenizer), "max_position_embeddings": 1024}
    model = build("ModernBertForSequenceClassification", "ModernBertConfig", **settings)
    link = {"model": str(save(model, tmp_path, tokenizer)), "a": TEXT, "layer": "0", "head": "0"}
    return click(open_page(**link, view="heat map"), "load_model")


def test_a_long_text_is_read_whole_and_each_view_shows_it_or_says_so(at: AppTest, tmp_path: Path) -> None:
    trace = run_cache.trace(str(tmp_path), TEXT)
    np.testing.assert_allclose(matrix(at), trace.weights(0)[0, :512, :512], atol=2e-5)
    assert WHOLE in captions(at)
    assert len(strip(at)["tokens"]) == 512
    for view, panel in PANELS.items():
        if not isinstance(panel, EncoderPanel):
            continue
        choose(at, view=view)
        assert not at.exception
        assert WHOLE in captions(at)
        too_long = f"{panel.title} is for texts of up to 512 tokens, and this one has 652."
        assert any(too_long in alert for alert in alerts(at)) is not panel.shows_long_texts
