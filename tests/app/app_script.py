"""The page in Streamlit's AppTest: what the user does, and what the page shows and sends to the browser."""

import base64
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, get_args
from unittest import mock

import numpy as np
from safetensors.numpy import load
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.testing.v1 import AppTest

from encoder.measures.unit_attention import MEAN, head_or_mean
from encoder.runs.arrays import FloatArray
from viz.components.wires.host import KEY as HOST
from viz.components.wires.host import TEXTS_KEY as TEXTS_HOST
from viz.payloads.layer import STEPS
from viz.state import session
from viz.state.selection import COLLECTION_VIEWS, DEFAULT, View
from viz.views.registered import PANELS, views_of

APP = Path(__file__).parents[2] / "viz" / "page" / "script.py"
NUMBERS = count(1)  # of messages with typed text
# The decoder, and views of tables, have texts and tests of their own.
VIEWS = tuple(view for view in get_args(View) if view not in ("decoder", *COLLECTION_VIEWS))

Offered = dict[str, Callable[[], bytes]]  # the function that makes each downloadable file, by file name


def open_page(**link: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params |= link
    return run(at)


def go(at: AppTest, link: Mapping[str, str]) -> AppTest:
    """Go back or forward to an address."""
    at.query_params = dict(link)
    with mock.patch.object(session, "went_through_history", return_value=True):
        return run(at)


def titles_of_folds(at: AppTest) -> list[str]:
    """The titles of the view's expanders, without that of the settings."""
    return [part.label for part in at.expander if part.label != "What do the terms mean?"]


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, at.exception[0].message
    return at


def unfold(at: AppTest, *keys: str) -> AppTest:
    """Unfold expanders, by the keys of their contents."""
    for key in keys:
        at.session_state[f"{key}_folded"] = True
    return run(at)


def open_folds(at: AppTest) -> list[str]:
    """The keys of the expanders that have contents."""
    opened = [part for part in at.expander if part.children and part.proto.id.endswith("_folded")]
    return [part.proto.id.rpartition("-")[2].removesuffix("_folded") for part in opened]


def components(at: AppTest, name: str) -> list[Any]:
    """The protobufs of our components of a name."""
    return [part.proto for part in at.get("bidi_component") if part.proto.component_name == f"headlight.{name}"]


def data_of(component: Any) -> Any:
    """The JSON data of one of our components."""
    (data,) = json.loads(component.json)
    return data


def choose(at: AppTest, **values: Any) -> AppTest:
    """Make some of the choices: view, mode, level, special, or, in the browser, layer, head and sentences."""
    in_browser = {key: values.pop(key) for key in ("layer", "head", "sentences") if key in values}
    if in_browser:
        chosen: dict[str, Any] = {key: "mean" if value == MEAN else str(value) for key, value in in_browser.items()}
        opening: dict[str, Any] = {"mode": DEFAULT.texts.mode}  # what an empty address stands for
        go(at, (at.query_params or opening) | chosen)
    if values.get("view") in views_of("export"):  # which the list of views omits
        go(at, at.query_params | {"view": values.pop("view")})
        if not values:
            return at
    for key, value in values.items():
        widget = at.menu_button(key=key) if key == "view" else setting(at, key)
        widget.set_value(value)
    return run(at)


def open_settings(at: AppTest) -> AppTest:
    """Open the menu of the settings."""
    at.session_state["settings"] = True
    return run(at)


def setting(at: AppTest, key: str) -> Any:
    """A widget of the settings by its key; opens them."""
    opened = at if at.session_state["settings"] else open_settings(at)
    return next(one for one in (*opened.button_group, *opened.selectbox, *opened.toggle) if one.key == key)


def shown_view(at: AppTest) -> View:
    """The view that the page names as the open one."""
    title = at.menu_button(key="view").label.removeprefix("View: ")
    return next(view for view in PANELS if PANELS[view].title == title)


def selected(at: AppTest) -> dict[str, Any]:
    """The selection that the browser is sent."""
    return data_of(host(at))["selection"]


def host(at: AppTest, key: str = HOST) -> Any:
    """The component that connects the selection with the browser, or that of the texts' runs; None if it is missing."""
    return next((host for host in components(at, "host") if user_key_from_element_id(host.id) == key), None)


def chosen(at: AppTest) -> tuple[int, int]:
    """The chosen layer and head."""
    return selected(at)["layer"], selected(at)["head"]


def type_texts(
    at: AppTest, *, held: bool = False, number: int | None = None, alone: bool = False, **texts: str
) -> AppTest:
    """Type into the text fields, which send all their texts; `held` while another key may follow.

    Args:
        number: of the message; None for one that is newer than all others.
        alone: whether only the part that shows their runs gets them.
    """
    scope = sent_fields(at)["scope"]
    number = number or next(NUMBERS)
    changes = texts_of(at) | texts
    message = {"scope": scope, "number": number, "changes": changes, "typed": number, "held": held, "waiting": False}
    (fields,) = components(at, "text_fields")
    return _send_from(at, host(at, TEXTS_HOST) if alone else fields, selection=message)


def send(at: AppTest, name: str, **values: Any) -> AppTest:
    """A message from a component that is on the page once; AppTest itself cannot send one."""
    component = host(at) if name == "host" else components(at, name)[0]
    return _send_from(at, component, **values)


def _send_from(at: AppTest, component: Any, **values: Any) -> AppTest:
    states = at._tree.get_widget_states()
    states.widgets.add(id=component.id, json_value=json.dumps(values))
    at._run(states)
    assert not at.exception, at.exception[0].message
    return at


def texts_of(at: AppTest) -> dict[str, str]:
    """The texts that the fields show, by name."""
    return sent_fields(at)["texts"]


def sent_fields(at: AppTest) -> dict[str, Any]:
    """The data of the text fields."""
    (fields,) = components(at, "text_fields")
    return data_of(fields)


def sent_runs(at: AppTest) -> dict[str, Any]:
    """What the text fields are sent after the run."""
    return data_of(host(at, TEXTS_HOST))


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
    """The data of a token strip."""
    return data_of(components(at, "token_strip")[index])


def model_shown(at: AppTest) -> str:
    return at.session_state["model_in_use"]


def figure(at: AppTest, which: int | str = 0) -> dict[str, Any]:
    """A Plotly figure as it was sent: by its index on the page, or by the end of its key."""
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


def numbers(sent: Any) -> Any:
    """An array of a figure, which Plotly sends as a list or as the bytes of its numbers."""
    if not isinstance(sent, dict):
        return np.asarray(sent)
    shape = tuple(map(int, sent.get("shape", "-1").split(",")))
    return np.frombuffer(base64.b64decode(sent["bdata"]), dtype=sent["dtype"]).reshape(shape)


def map_data(at: AppTest, index: int = 0) -> dict[str, Any]:
    """The data of a heat map, with the id of the run whose layers are in a store."""
    return data_of(components(at, "cell_map")[index])


@dataclass(frozen=True)
class Layer:
    """One layer of a message: what the views read of it."""

    extras: dict[str, Any]
    arrays: dict[str, FloatArray]


def layer_of(at: AppTest, view: dict[str, Any]) -> Layer:
    """The selected layer of a view's run, from the first message that has it."""
    number = selected(at)["layer"]
    for store in components(at, "store"):
        header = json.loads(store.bytes[8 : 8 + int.from_bytes(store.bytes[:8], "little")])
        extras = json.loads(header["__metadata__"]["extras"])
        if extras["id"] == view["id"] and number in extras["layers"]:
            place = extras["layers"].index(number)
            return Layer(extras, {name: array[place] for name, array in load(store.bytes).items()})
    raise AssertionError(f"Layer {number} of {view['id']} was not sent.")


def labels(at: AppTest, index: int = 0) -> list[str]:
    """The tokens of a heat map."""
    return layer_of(at, map_data(at, index)).extras["labels"]


def matrix(at: AppTest, index: int = 0) -> FloatArray:
    """The numbers of a heat map, to `MAX_ERROR`."""
    roots = layer_of(at, map_data(at, index)).arrays["weights"].astype(np.float32) / STEPS
    return head_or_mean(np.square(roots), selected(at)["head"])


def alerts(at: AppTest) -> list[str]:
    """Errors, warnings and hints."""
    return [element.value for kind in (at.error, at.warning, at.info) for element in kind]


def captions(at: AppTest) -> str:
    """The captions of the page, without definitions of terms."""
    return without_definitions("\n".join(element.value for element in at.caption))


def sentences_of(at: AppTest) -> str:
    """All text of the page with its help, without definitions of terms."""
    said = [element.value for element in (*at.caption, *at.warning, *at.error, *at.info, *at.markdown)]
    helps = [element.proto.help for element in (*at.caption, *at.markdown)]
    return without_definitions("\n".join(text for text in (*said, *helps) if text))


def without_definitions(markdown: str) -> str:
    """The text in which `viz.html.terms` has marked terms."""
    return re.sub(r'<span popover id="term-.*?</span>|</?(button|span)[^>]*>', "", markdown)


def seen(at: AppTest) -> dict[str, Any]:
    """All that the page shows, without its layout."""
    return {
        "strips": [strip(at, index) for index in range(len(components(at, "token_strip")))],
        "figures": [chart.proto.spec for chart in at.get("plotly_chart")],
        "maps": [matrix(at, index).tolist() for index in range(len(components(at, "cell_map")))],
        "frames": [frame.proto.srcdoc for frame in at.get("iframe")],
        "tables": [table.value.to_csv() for table in at.dataframe],
        "sentences": sentences_of(at),
        "selected": selected(at) if host(at) else {},
        "choices": [(group.key, group.value, group.options, group.proto.disabled) for group in at.button_group],
        "texts": (texts_of(at), [(area.key, area.value) for area in at.text_area]),
        "boxes": [(box.label, box.value) for box in at.selectbox],
    }
