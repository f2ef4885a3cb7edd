"""Reads a saved page as a browser does: its policy, its contents, and the arrays in its blocks."""

from __future__ import annotations

import base64
import json
import re
import string
import zlib
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load

OF_PYTHON = string.digits + string.ascii_letters.swapcase() + "!#$%&()*+-;<=>?@^_`{|}~"  # the alphabet of b85decode


@dataclass
class Element:
    """An element of a page, with its attributes and the text that it holds."""

    name: str
    attributes: dict[str, str | None]
    text: str = ""


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Element] = []
        self.is_open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(Element(tag, dict(attrs)))
        self.is_open = True

    def handle_endtag(self, tag: str) -> None:
        self.is_open = False

    def handle_data(self, data: str) -> None:
        if self.is_open:
            self.found[-1].text += data


def elements_of(html: str, name: str | None = None) -> list[Element]:
    """The elements of a name, or all of them, in their order."""
    parser = _Elements()
    parser.feed(html)
    return [element for element in parser.found if name in (None, element.name)]


def contents_of(html: str) -> dict[str, Any]:
    """The JSON that the page is drawn from."""
    [script] = [one for one in elements_of(html, "script") if "data-contents" in one.attributes]
    contents: dict[str, Any] = json.loads(script.text)
    return contents


def inflated(text: str) -> bytes:
    """The bytes that a block's text stands for: base 85 in the order of ASCII, without what HTML and JSON escape."""
    ours = "".join(chr(code) for code in range(33, 127) if chr(code) not in "\"&'<>\\`$-")
    return zlib.decompress(base64.b85decode(text.translate(str.maketrans(ours, OF_PYTHON))))


def plots_in(html: str) -> list[dict[str, Any]]:
    """Plotly's figures in light colours, in their order."""
    packed = [one.text for one in elements_of(html, "script") if "data-plot" in one.attributes]
    return [json.loads(inflated(text))["figure"] for text in packed]


def labels_in(html: str) -> list[str]:
    """The labels of the units, as the first block of attention has them."""
    block = next(
        one for one in elements_of(html, "script") if (one.attributes.get("data-message") or "").endswith("attention")
    )
    data = inflated(block.text)
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    labels: list[str] = json.loads(header["__metadata__"]["extras"])["labels"]
    return labels


def blocks_of(html: str) -> list[tuple[str, list[int], dict[str, NDArray[Any]]]]:
    """Message, layers and arrays of every block."""
    found = []
    for script in elements_of(html, "script"):
        message = script.attributes.get("data-message")
        if message is not None:
            layers = [int(layer) for layer in (script.attributes["data-layers"] or "").split()]
            found.append((message, layers, load(inflated(script.text))))
    return found


def weights_in(html: str, message: str) -> dict[int, NDArray[np.float64]]:
    """(H, U, U) of every layer, as the page holds them."""
    layers = {}
    for name, numbers, arrays in blocks_of(html):
        if name == message:
            high, low = arrays["weights"].astype(np.float64)
            layers |= dict(zip(numbers, (256 * high + low) / 10_000, strict=True))
    return layers


def policy_of(html: str) -> str:
    """The content security policy."""
    [meta] = [one for one in elements_of(html, "meta") if one.attributes.get("http-equiv")]
    return meta.attributes["content"] or ""


def framed(data: str) -> str:
    """The page in the frame that a notebook shows."""
    match = re.fullmatch(r"<iframe [^>]*? srcdoc='([^']*)'>[^<]*</iframe>", data)
    assert match, data[:200]
    return unescape(match[1])
