"""Files that the page or a command writes, as lines: what is in them, and not the code that draws it."""

from __future__ import annotations

import html
import io
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from safetensors.numpy import load

from tests.golden.charts import facts_of_figure
from tests.golden.facts import digest, fact, text
from viz.html.text_bytes import ALPHABET

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


def facts_of_message(data: bytes, *, deflated: bool = False) -> Iterator[str]:
    """The extras and the tensors of a message to the browser, or of a trace's file."""
    data = zlib.decompress(data) if deflated else data
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
            yield from facts_of_figure(json.loads(zlib.decompress(bytes_of_text(content.strip())))["figure"])
        elif "data-message" in attributes:
            yield f"message: {text(html.unescape(attributes))}"
            yield from facts_of_message(bytes_of_text(content.strip()), deflated=True)


def bytes_of_text(content: str) -> bytes:
    """The bytes that `viz.html.text_bytes` has written as text."""
    digits = np.zeros(128, dtype=np.uint64)
    digits[np.frombuffer(ALPHABET.encode("ascii"), dtype=np.uint8)] = np.arange(len(ALPHABET))
    missing = -len(content) % 5
    letters = np.frombuffer((content + ALPHABET[-1] * missing).encode("ascii"), dtype=np.uint8)
    powers: Any = np.array([85**power for power in (4, 3, 2, 1, 0)], dtype=np.uint64)
    groups = digits[letters].reshape(-1, 5) @ powers
    whole = groups.astype(">u4").tobytes()
    return whole[: len(whole) - missing]
