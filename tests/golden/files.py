"""Files that the page or a command writes, as lines: what is in them, and not the code that draws it."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterator

import pandas as pd
from safetensors.numpy import load

from tests.golden.charts import facts_of_figure
from tests.golden.facts import digest, fact, text
from tests.viz.html.reading import inflated

SCRIPT = re.compile(r"<script ([^>]*)>(.*?)</script>", re.DOTALL)
STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")


def facts_of_file(name: str, data: bytes) -> Iterator[str]:
    """What is in a file, by the ending of its name."""
    yield f"file: {name}"
    if name.endswith(".html"):
        yield from facts_of_html(data.decode())
    elif name.endswith(".csv"):
        yield from facts_of_table(pd.read_csv(io.BytesIO(data)))
    elif name.endswith(".safetensors"):
        yield from facts_of_message(data)
    else:
        yield f"text: {digest(data.decode())}, {len(data)} bytes"


def facts_of_table(table: pd.DataFrame) -> Iterator[str]:
    """A line for each column."""
    yield f"rows: {len(table)}"
    if not isinstance(table.index, pd.RangeIndex):
        yield from fact("index", [str(label) for label in table.index])
    for name, column in table.items():
        values = [None if pd.isna(value) else value for value in column.tolist()]
        if column.dtype.kind not in "iuf":
            values = ["" if value is None else str(value) for value in values]
        yield from fact(f"column {text(str(name))}", values)


def facts_of_message(data: bytes) -> Iterator[str]:
    """The extras and the tensors of a message to the browser, or of a trace's file."""
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    for key, value in header.get("__metadata__", {}).items():
        yield from fact(key, json.loads(value) if value[:1] in ("{", "[") else value)
    arrays = load(data)
    for name in sorted(arrays):
        yield from fact(f"tensor {name} {arrays[name].dtype}", arrays[name])


def facts_of_html(page: str) -> Iterator[str]:
    """A saved page or slides: the words that stand in it, its contents and its messages."""
    title = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    yield f"title: {text(html.unescape(title[1])) if title else ''}"
    body = STYLE.sub("", SCRIPT.sub("", page)).partition("<body")[2].partition(">")[2]
    for line in TAG.sub("\n", body).splitlines():
        if line.strip():
            yield f"words: {text(html.unescape(line.strip()))}"
    for attributes, content in SCRIPT.findall(page):
        if "data-contents" in attributes:
            contents = {key: value for key, value in json.loads(content).items() if key != "themes"}
            yield from fact("contents", contents)
        elif "data-plot=" in attributes:
            yield f"plot: {text(html.unescape(attributes))}"
            yield from facts_of_figure(json.loads(inflated(content.strip()))["figure"])
        elif "data-message" in attributes:
            yield f"message: {text(html.unescape(attributes))}"
            yield from facts_of_message(inflated(content.strip()))
