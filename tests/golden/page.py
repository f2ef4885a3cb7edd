"""The page in AppTest, as lines: all that the golden file knows of the app's insides is here.

Every part that is folded away is opened, and the page is run until its jobs are done.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

import streamlit
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import encoder
from encoder.catalogue import BUILT_IN
from encoder.shipped.names import BUNDLED
from tests.app.app_script import click, open_page, run, without_definitions
from tests.golden.charts import facts_of_figure
from tests.golden.facts import fact, text
from tests.golden.files import facts_of_file, facts_of_message, facts_of_table
from tests.golden.selections import PageSelection
from viz.caches import run_cache
from viz.page import loading

PATIENCE = 120.0  # seconds for the jobs of a page
PAUSE = 0.1  # seconds between two runs of a page that waits
WORKING = (":material/hourglass_empty:",)
FOLDED = ("_folded", "-settings", "-checks")  # ends of the ids of what is rendered once it is open
WIRES = ("host", "page_watch", "paint_report", "number_keys", "kept_tour", "plot_clicks")

Make = Callable[[], bytes]


@contextmanager
def app() -> Iterator[dict[str, Make]]:
    """Models can be used at once and are checked, and what makes each download is noted by the key of its button."""
    offered: dict[str, Make] = {}
    button = streamlit.download_button
    load = encoder.load

    @cache
    def load_once(name: str) -> encoder.Backend:
        backend = load(name)
        _ = backend.passport
        return backend

    def note(label: str, data: Any, **options: Any) -> bool:
        make = data if callable(data) else lambda: data if isinstance(data, bytes) else str(data).encode()
        offered[f"{options['key']}\0{options['file_name']}"] = make
        return button(label, data, **options)

    loading.MODELS.start()
    loading.MODELS.wait(PATIENCE)
    streamlit.set_option("client.showErrorDetails", "full")
    scan = cache(manifest_scanner.scan_component_manifests)
    with (
        mock.patch.object(streamlit, "download_button", note),
        mock.patch.object(encoder, "load", lambda name: load_once(name) if name in BUILT_IN else load(name)),
        mock.patch.object(manifest_scanner, "scan_component_manifests", scan),
    ):
        run_cache.model(BUNDLED)  # else the first pages may or may not have it
        yield offered


def facts_of_page(selection: PageSelection, offered: dict[str, Make]) -> Iterator[str]:
    """What a page says, shows and offers, from top to bottom."""
    at = settled(open_page(**selection.link))
    for key in selection.clicks:
        at = settled(click(at, key))
    at = unfolded(at)
    offered.clear()
    at = settled(run(at))
    yield from _facts_of_node(at.main, offered, exports=selection.exports)
    if selection.sidebar:
        yield "[sidebar]"
        yield from _facts_of_node(at.sidebar, offered, exports=False)


def settled(at: AppTest) -> AppTest:
    """The page when its jobs are done; long ones are begun."""
    deadline = time.monotonic() + PATIENCE
    while waits := [button for button in at.button if str(button.key).endswith(("_stop", "_cancel", "_begin"))]:
        assert time.monotonic() < deadline, f"The page still waits: {[button.key for button in waits]}"
        for button in waits:
            if str(button.key).endswith("_begin"):
                button.click()
        time.sleep(PAUSE)
        run(at)
    while any(mark in element.value for element in [*at.markdown, *at.caption] for mark in WORKING):
        assert time.monotonic() < deadline, "The claims are not worked out."
        time.sleep(PAUSE)
        run(at)
    return at


def unfolded(at: AppTest) -> AppTest:
    """The page with all parts open, those within others too."""
    opened: set[str] = set()
    while keys := set(_keys_of_folded(at.main)) - opened:
        for key in keys:
            at.session_state[key] = True
        opened |= keys
        at = settled(run(at))
    return at


def _keys_of_folded(node: Any) -> Iterator[str]:
    for child in getattr(node, "children", {}).values():
        if child.type in ("expander", "popover") and child.proto.id.endswith(FOLDED):
            yield child.proto.id.split("-", 2)[2]
        yield from _keys_of_folded(child)


def _facts_of_node(node: Any, offered: dict[str, Make], *, exports: bool) -> Iterator[str]:
    for child in node.children.values():
        if hasattr(child, "children"):
            label = getattr(child.proto, "label", "") or _popover_label(child.proto)
            if label:
                yield f"[{child.type if child.type != 'flex_container' else 'part'} “{text(label)}”]"
            yield from _facts_of_node(child, offered, exports=exports)
        else:
            yield from _facts_of_element(child, offered, exports=exports)


def _popover_label(proto: Any) -> str:
    return proto.popover.label if hasattr(proto, "popover") and proto.HasField("popover") else ""


def _facts_of_element(element: Any, offered: dict[str, Make], *, exports: bool) -> Iterator[str]:
    kind, proto = element.type, element.proto
    if kind == "bidi_component":
        yield from _facts_of_component(proto)
    elif kind == "plotly_chart":
        yield "[chart]"
        yield from facts_of_figure(json.loads(proto.spec))
    elif kind in ("arrow_data_frame", "dataframe", "table"):
        yield "[table]"
        yield from facts_of_table(element.value)
    elif kind == "download_button":
        yield f"[download “{text(proto.label)}”]"
        key = next(key for key in offered if proto.id.endswith(f"-{key.partition(chr(0))[0]}"))
        name = key.partition("\0")[2]
        is_large = not name.endswith(".csv")
        yield from [f"file: {name}"] if is_large and not exports else facts_of_file(name, offered[key]())
    elif kind == "iframe":
        yield "[iframe]"
        yield from fact("srcdoc", proto.srcdoc.split("\n"))
    elif kind == "html":
        return  # style sheets
    else:
        yield from _facts_of_widget(kind, element)


def _facts_of_widget(kind: str, element: Any) -> Iterator[str]:
    """Texts, and widgets with their label, their help and what is chosen."""
    proto = element.proto
    parts = []
    if hasattr(proto, "body"):
        parts.append(text(without_definitions(proto.body)))
    if getattr(proto, "label", ""):
        parts.append(f"“{text(proto.label)}”")
    value = getattr(element, "value", None) if not hasattr(proto, "body") else None
    if value is not None and kind != "button":
        parts.append(f"= {text(str(value))}")
    if options := getattr(element, "options", None):
        parts.append(f"of {text(' | '.join(map(str, options)))}")
    if getattr(proto, "disabled", False):
        parts.append("(disabled)")
    if getattr(proto, "help", ""):
        parts.append(f"({text(proto.help)})")
    yield f"{kind}: {' '.join(parts)}"


def _facts_of_component(proto: Any) -> Iterator[str]:
    name = proto.component_name.removeprefix("headlight.")
    if name in WIRES:
        return
    yield f"[{name}]"
    if proto.bytes:
        yield from facts_of_message(proto.bytes)
    else:
        (data,) = json.loads(proto.json)
        yield from fact("", {key: value for key, value in data.items() if key != "theme"})
