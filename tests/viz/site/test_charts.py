"""Answers that the browser fills in are those that Python makes of the same text."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import encoder
from encoder import Trace
from encoder.measures.similarity import l2_norms, successive_cosines
from encoder.measures.units import units_of
from viz.answers.answer import Sentence
from viz.answers.norms import norms
from viz.html.answers import contents_of_chart, figures_of_chart
from viz.html.markdown import plain_text_of_markdown
from viz.site.charts import SENTENCE_OF_NORMS, answers_of

NODE = Path(".venv/bin/node")
TEXTS = (
    "flies",
    "time flies like an arrow",
    "<b>$x$ 100% of the \u05d0\u05d1\u05d2 unbelievable electroencephalographically 日本語",
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
    "to be or not to be that is the question " * 3,
    "to be or not to be that is the question " * 6,
    "to be or not to be that is the question " * 12,
)


@pytest.fixture(scope="module")
def model() -> Any:
    return encoder.load("bundled")


def run_node(script: str, folder: Path, *given: object) -> Any:
    paths = [folder / f"{index}.json" for index in range(len(given))]
    for path, value in zip(paths, given, strict=True):
        path.write_text(json.dumps(value), encoding="utf-8")
    command = [NODE, Path(__file__).with_name(script), *paths]
    return json.loads(subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout)


def measured(trace: Trace) -> dict[str, Any]:
    """What the worker sends of a run."""
    return {
        "labels": list(units_of(trace.tokens).labels),
        "types": [0] * len(trace.tokens),
        "words": l2_norms(trace.embedding_parts["word"]).tolist(),
        "norms": l2_norms(trace.hidden_states).tolist(),
        "cosines": successive_cosines(trace.hidden_states).tolist(),
    }


def plain(value: Any) -> Any:
    """Numbers as lists, without Plotly's encoding."""
    if isinstance(value, Mapping) and "bdata" in value:
        array = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
        shape = value.get("shape")
        return (array.reshape([int(side) for side in shape.split(",")]) if shape else array).tolist()
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def in_dark(contents: Mapping[str, Any]) -> Any:
    """The figure with what is different in the dark theme."""
    figure = json.loads(json.dumps(contents["figure"]))
    for (*places, last), value in contents["dark"]:
        inner = figure
        for place in places:
            inner = inner[place]
        inner[last] = value
    return plain(figure)


def assert_equal(mine: Any, wanted: Any, path: str = "") -> None:
    if isinstance(wanted, Mapping):
        assert mine.keys() == wanted.keys(), path
        for key, value in wanted.items():
            assert_equal(mine[key], value, f"{path}.{key}")
    elif isinstance(wanted, list):
        assert len(mine) == len(wanted), path
        for index, value in enumerate(wanted):
            assert_equal(mine[index], value, f"{path}.{index}")
    elif isinstance(wanted, float) or isinstance(mine, float):
        assert mine == pytest.approx(wanted, rel=1e-5, abs=1e-6), path
    else:
        assert mine == wanted, path


def test_norms_filled_in_by_the_browser_are_those_of_python(model: Any, tmp_path: Path) -> None:
    traces = [model.trace(text) for text in TEXTS]
    found = run_node("norms.mjs", tmp_path, answers_of(model), [measured(trace) for trace in traces])
    for trace, mine in zip(traces, found, strict=True):
        answer = norms(trace, units_of(trace.tokens), "wordpieces")
        sentence = next(part.text for part in answer.parts if isinstance(part, Sentence))
        assert plain_text_of_markdown(sentence) == SENTENCE_OF_NORMS.format(**mine["words"])
        for chart in answer.charts:
            wanted = contents_of_chart(chart, figures_of_chart(chart)[0])
            filled = mine["charts"][chart.name]
            assert_equal(plain(filled["figure"]), plain(wanted["figure"]), f"{len(trace.tokens)} {chart.name}")
            assert_equal(in_dark(filled), in_dark(wanted), f"{len(trace.tokens)} {chart.name}, dark")
            assert filled["config"] == wanted["config"]
