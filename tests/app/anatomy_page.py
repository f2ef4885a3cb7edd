"""The anatomy on the page without a browser, as its tests use it."""

from streamlit.testing.v1 import AppTest

import encoder
from encoder.experiments.anatomy.record import Record, ours, record
from tests.app.app_script import click, open_page
from viz.answers.anatomy.step import RecordedRun

A = "time flies like an arrow"
LAYER, HEAD = 2, 3
LONG = "the quick brown fox jumps " * 12


def open_anatomy(**link: str) -> AppTest:
    return open_page(**({"view": "anatomy", "a": A, "layer": str(LAYER), "head": str(HEAD)} | link))


def go(at: AppTest, to: str) -> AppTest:
    return click(at, f"anatomy_{to}")


def heading(at: AppTest) -> str:
    return next(each.value for each in at.markdown if each.value.startswith("### ")).removeprefix("### ")


def recorded(model: str = "bundled", a: str = A, layer: int = LAYER) -> RecordedRun:
    backend = ours(encoder.load(model))
    return RecordedRun(backend=backend, record=record(backend.encoder, backend.tokenize(a), layer=layer), head=HEAD)


def seen(model: str = "bundled", a: str = A, layer: int = LAYER) -> Record:
    return recorded(model, a, layer).record


def chosen(at: AppTest) -> tuple[int, ...]:
    """The positions of the tokens that the boxes show for row and column."""
    boxes = [at.selectbox(key=name) for name in ("row", "column") if name in {box.key for box in at.selectbox}]
    return tuple(int(str(box.value).partition(" ")[0]) for box in boxes)
