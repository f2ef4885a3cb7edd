"""Routes on the page: the fewest links, the picture's numbers, other orders, and what does not apply."""

import json
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from safetensors.numpy import load
from streamlit.testing.v1 import AppTest

from encoder import Backend
from encoder.attribution.carriers import carriers
from encoder.attribution.questions import Question
from tests.app.app_script import alerts, components, data_of, figure, numbers, open_page, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled
from viz.views.routes.answer import MOST_TOKENS

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

FILM = {"view": "routes", "model": "scratch", "a": "bad film", "b": ""}


def routes_of(at: AppTest) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """The arrays of the picture's message, and its extras."""
    identity = data_of(components(at, "routes")[0])["id"]
    for store in components(at, "store"):
        header = json.loads(store.bytes[8 : 8 + int.from_bytes(store.bytes[:8], "little")])
        extras = json.loads(header["__metadata__"]["extras"])
        if extras["id"] == identity:
            return load(store.bytes), extras
    raise AssertionError("The routes were not sent.")


def test_the_page_has_the_numbers_of_the_python_api(scratch: Backend) -> None:
    at = open_settled(**FILM)
    found = carriers(scratch, FILM["a"])
    count = found.smallest()
    assert f"**{count:,} of {found.size:,} links" in text(at)
    assert f"{100 * found.kept(count):.0f} % with these alone" in text(at)
    tensors, extras = routes_of(at)
    assert extras["opens"] == count
    assert extras["kept"][extras["counts"].index(count)] == pytest.approx(found.kept(count), abs=1e-4)
    order = found.order[: len(tensors["links"])]
    assert_allclose(tensors["values"], found.values.ravel()[order], atol=1e-5)
    assert extras["read"]
    strongest = figure(at, "links")["data"][3]
    assert strongest["name"] == "the strongest links alone"
    assert_allclose(numbers(strongest["y"]), found.curve(extras["counts"][1:]), atol=1e-4)
    assert "with a rank correlation of 0." in text(unfold(at, "routes_routes_table"))
    assert "without as many random ones" in text(at)
    assert "With heads shuffled" in text(settled(unfold(at, "routes_wordings")))
    assert "links, each cut by itself, “" in text(settled(unfold(at, "routes_every")))


def test_an_output_that_needs_no_attention_opens_with_what_it_needs(bundled: Backend) -> None:
    question = {"why": "part of speech", "mode": "separate"}
    at = open_settled(view="routes", a="time flies like an arrow", b="fruit flies like a banana", **question)
    assert "No set of links can be called enough for “verb”" in text(at)
    asked = Question(kind="part of speech", texts=("time flies like an arrow", None), word=1, layer=5)
    found = carriers(bundled, asked)
    tensors, extras = routes_of(at)
    whole = extras["kept"][-1]
    assert found.curve([extras["opens"]], cut=True)[0] < whole / 2 <= found.curve([extras["opens"] - 1], cut=True)[0]
    opened = np.unravel_index(tensors["links"][: extras["opens"]].astype(int), found.values.shape)
    assert (0, 4, 2, 1) in set(zip(*map(np.ndarray.tolist, opened), strict=True))  # L0 H4, “flies” to “time”


def test_one_sentence_says_what_cannot_be_shown() -> None:
    at = open_page(**{**FILM, "a": "word " * (MOST_TOKENS + 1)})
    assert f"up to {MOST_TOKENS} tokens" in alerts(at)[0]
    assert not components(at, "routes")
