"""The anatomy on the page without a browser, as its tests use it."""

from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

import encoder
from encoder.experiments.anatomy.record import Record, ours, record
from encoder.runs.arrays import FloatArray
from tests.app.app_script import cell_numbers, click, open_page
from viz.views.anatomy.answer.step import RecordedRun
from viz.views.anatomy.answer.steps import STEPS

A = "time flies like an arrow"
LAYER, HEAD = 2, 3
LONG = "the quick brown fox jumps " * 12


def open_anatomy(**link: str) -> AppTest:
    return open_page(**({"view": "anatomy", "a": A, "layer": str(LAYER), "head": str(HEAD)} | link))


def go(at: AppTest, to: str) -> AppTest:
    return click(at, f"anatomy_{to}")


def heading(at: AppTest) -> str:
    """The title of the step; charts of its picture may have headings before it."""
    titles = {step.title for step in STEPS.values()}
    headings = [each.value.removeprefix("### ") for each in at.markdown if each.value.startswith("### ")]
    return next(each for each in headings if each in titles)


def recorded(model: str = "bundled", a: str = A, layer: int = LAYER) -> RecordedRun:
    backend = ours(encoder.load(model))
    return RecordedRun(backend=backend, record=record(backend.encoder, backend.tokenize(a), layer=layer), head=HEAD)


def seen(model: str = "bundled", a: str = A, layer: int = LAYER) -> Record:
    return recorded(model, a, layer).record


def assert_drawn(figure: dict[str, Any], array: FloatArray, shown: str = "") -> None:
    """A figure has the numbers of an array.

    The page and the test each run the model. Busy cores may split the sums otherwise: 3e-7 was seen.
    """
    np.testing.assert_allclose(cell_numbers(figure), array, rtol=1e-5, atol=1e-6, err_msg=shown)


def chosen(at: AppTest) -> tuple[int, ...]:
    """The positions of the tokens that the boxes show for row and column."""
    boxes = [at.selectbox(key=name) for name in ("row", "column") if name in {box.key for box in at.selectbox}]
    return tuple(int(str(box.value).partition(" ")[0]) for box in boxes)


def html_of(at: AppTest) -> str:
    """The HTML of the page, which has the code."""
    return "\n".join(each.proto.body for each in at.get("html"))
