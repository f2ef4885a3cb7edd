"""The anatomy on the page without a browser, as its tests use it."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

import encoder
from encoder.experiments.anatomy.our_models import ours
from encoder.experiments.anatomy.record import Record, record
from viz.panels.anatomy.step import RecordedRun

APP = Path(__file__).parents[2] / "app.py"
A = "time flies like an arrow"
LAYER, HEAD = 2, 3
LONG = "the quick brown fox jumps " * 12


def open_anatomy(**link: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params |= {"view": "anatomy", "a": A, "layer": str(LAYER), "head": str(HEAD)} | link
    return run(at)


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, at.exception[0].message
    return at


def go(at: AppTest, to: str) -> AppTest:
    at.button(key=f"anatomy_{to}").click()
    return run(at)


def heading(at: AppTest) -> str:
    return next(each.value for each in at.markdown if each.value.startswith("#### ")).removeprefix("#### ")


def figures(at: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def cells(figure: dict[str, Any]) -> Any:
    z = figure["data"][0]["z"]
    return np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape([int(n) for n in z["shape"].split(",")])


def captions(at: AppTest) -> str:
    return "\n".join(each.value for each in at.caption)


def recorded(model: str = "scratch-bert", a: str = A, layer: int = LAYER) -> RecordedRun:
    backend = ours(encoder.load(model))
    return RecordedRun(backend=backend, record=record(backend.encoder, backend.tokenize(a), layer=layer), head=HEAD)


def seen(model: str = "scratch-bert", a: str = A, layer: int = LAYER) -> Record:
    return recorded(model, a, layer).record
