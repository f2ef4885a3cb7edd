"""The app's script as Streamlit's AppTest runs it: what a person clicks, and what they are shown."""

import base64
import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
from safetensors.numpy import load
from streamlit.testing.v1 import AppTest

from encoder.measures.unit_attention import head_or_mean
from encoder.trace import FloatArray
from viz.payloads.layer import STEPS
from viz.state.selection import View

APP = Path(__file__).parents[2] / "app.py"
VIEWS = tuple(view for view in get_args(View) if view != "decoder")  # which has a text and tests of its own


def open_page(**link: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params |= link
    return run(at)


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, at.exception[0].message
    return at


def components(at: AppTest, name: str) -> list[Any]:
    """What was sent to the components of ours with that name."""
    return [part.proto for part in at.get("bidi_component") if part.proto.component_name == f"headlight_{name}"]


def choose(at: AppTest, **values: Any) -> AppTest:
    """Click one of the choices: view, layer, head, mode, level, special."""
    for key, value in values.items():
        at.button_group(key=key).set_value(value)
    return run(at)


def type_texts(at: AppTest, **texts: str) -> AppTest:
    for key, text in texts.items():
        at.text_area(key=key).set_value(text)
    return run(at)


def example_box(at: AppTest) -> Any:
    """The picker of examples; its key changes with the texts."""
    return next(box for box in at.selectbox if box.label == "Example")


def pick_model(at: AppTest, name: str) -> AppTest:
    """Choose a model from the list, or type its name."""
    box = at.selectbox(key="model")
    if box.format_func(name) not in box.options:
        box.options.append(name)
    box.set_value(name)
    return run(at)


def click(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click()
    return run(at)


def strip(at: AppTest, index: int = 0) -> dict[str, Any]:
    """What the token strip is given."""
    return json.loads(components(at, "token_strip")[index].json)


def model_shown(at: AppTest) -> str:
    return at.session_state["model_in_use"]


def figure(at: AppTest, which: int | str = 0) -> dict[str, Any]:
    """A Plotly figure as it was sent: the one at that place of the page, or the one of which that ends the key."""
    if isinstance(which, int):
        return figures(at)[which]
    (found,) = [chart.proto for chart in at.get("plotly_chart") if chart.proto.id.endswith(f"_{which}")]
    return json.loads(found.spec)


def figures(at: AppTest) -> list[dict[str, Any]]:
    """All Plotly figures of the page, from top to bottom."""
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def cells(at: AppTest, index: int = 0) -> FloatArray:
    """The numbers of a figure of the page that is a heat map."""
    return cell_numbers(figure(at, index))


def cell_numbers(figure: dict[str, Any]) -> FloatArray:
    """The numbers of a figure that is a heat map."""
    return numbers(figure["data"][0]["z"])


def numbers(sent: Any) -> FloatArray:
    """An array of a figure, which Plotly sends as a list or as the bytes of its numbers."""
    if not isinstance(sent, dict):
        return np.array(sent)
    shape = tuple(map(int, sent.get("shape", "-1").split(",")))
    return np.frombuffer(base64.b64decode(sent["bdata"]), dtype=sent["dtype"]).reshape(shape)


def told(at: AppTest, index: int = 0) -> dict[str, Any]:
    """What a heat map is told: the selection and the id of its message, which is in a store."""
    return json.loads(components(at, "cell_map")[index].json)


def message(at: AppTest, index: int = 0) -> bytes:
    """The layer that a heat map draws."""
    identity = told(at, index)["id"].encode()
    (sent,) = {store.bytes for store in components(at, "store") if identity in store.bytes}
    return bytes(sent)


def labels(at: AppTest, index: int = 0) -> list[str]:
    """The tokens of a heat map."""
    data = message(at, index)
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return json.loads(header["__metadata__"]["extras"])["labels"]


def matrix(at: AppTest, index: int = 0) -> FloatArray:
    """The numbers of a heat map, to `MAX_ERROR`."""
    weights = (load(message(at, index))["weights"].astype(np.float32) / STEPS) ** 2
    return head_or_mean(weights, told(at, index)["selection"]["head"])


def alerts(at: AppTest) -> list[str]:
    """Errors, warnings and hints."""
    return [element.value for kind in (at.error, at.warning, at.info) for element in kind]


def captions(at: AppTest) -> str:
    """What the page says in small print."""
    return "\n".join(element.value for element in at.caption)


def sentences_of(at: AppTest) -> str:
    """Everything that the page says."""
    said = (at.caption, at.warning, at.error, at.info, at.markdown)
    return "\n".join(element.value for elements in said for element in elements)


def seen(at: AppTest) -> dict[str, Any]:
    """All that a person sees, but for the place where it stands."""
    return {
        "strips": [strip(at, index) for index in range(len(components(at, "token_strip")))],
        "figures": [chart.proto.spec for chart in at.get("plotly_chart")],
        "maps": [matrix(at, index).tolist() for index in range(len(components(at, "cell_map")))],
        "frames": [frame.proto.srcdoc for frame in at.get("iframe")],
        "tables": [table.value.to_csv() for table in at.dataframe],
        "sentences": sentences_of(at),
        "choices": [(group.key, group.value, group.options, group.proto.disabled) for group in at.button_group],
        "texts": [(area.key, area.value) for area in at.text_area],
        "boxes": [(box.label, box.value) for box in at.selectbox],
    }
