"""One component of ours on an empty page in Chromium: no server, every request refused; and what it may be shown."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page

from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray
from tests.browser.pages.offline import Offline
from viz.payloads.layer import layers_message
from viz.payloads.message import Message
from viz.theme import THEMES, ThemeName

LAYERS = 24  # of the run that a view is told of
HOST = """<!doctype html><style>:root { %s } body { margin: 0; background: var(--st-background-color); }</style>
<div id="host" style="width: %dpx"></div>
<script type="module">
import mount from "/components/%s/view.mjs";
import receive from "/components/wires/store/view.mjs";
import { selectionOf } from "/components/shared/page_selection.mjs";
const parentElement = document.getElementById("host");
window.sent = [];
window.bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
window.receive = (text) => receive({ data: bytes(text) });
window.selection = selectionOf("encoder");
const change = selection.change.bind(selection);
selection.change = (changes) => {
  sent.push(changes);
  change(changes);
};
window.show = (data, selected, answered) => {
  if (!parentElement.querySelector(".view")) parentElement.innerHTML = '<div class="view %s"></div>';
  window.shown = data;
  window.selected = selected;
  if (selected) selection.confirm(selected, answered);
  const record = (name, value) => sent.push(value);
  window.cleanup = mount({ data, parentElement, setTriggerValue: record, setStateValue: record });
};
/** What Python sends when it has read the last change. */
window.answer = () => show(shown, selection.chosen, selection.unread);
/** Another view takes the place of this one, as when somebody leaves a tab. */
window.remove = () => { window.cleanup(); parentElement.replaceChildren(); };
window.remount = () => { window.remove(); window.show(window.shown, window.selected, null); };
window.load = (path) => import(`/components/${path}`);
window.ready = true;
</script>"""

WATCH = """() => {
    window.written = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        window.written.push(text);
        return fillText.call(this, text, ...place);
    };
}"""


class ComponentPage:
    """The component `name`, mounted as Streamlit does it; `sent` is what it changed."""

    def __init__(
        self, offline: Offline, name: str, *, theme: ThemeName = "light", width: int = 820, classes: str = ""
    ) -> None:
        self.theme: ThemeName = theme
        self.id = ""
        self.layers = None if name == "head_map" else LAYERS
        host = HOST % (_variables(theme), width, name, classes)
        self.page: Page = offline.open(host)
        self.page.wait_for_function("window.ready")

    def globals(self, *paths: str, spread: bool = False) -> None:
        """Modules of the components as globals with the names of their files, or what they export as globals."""
        script = """async ([paths, spread]) => {
            for (const path of paths) {
                const module = await load(path);
                Object.assign(window, spread ? module : { [path.match(/([a-z]+)[.]mjs$/)[1]]: module });
            }
        }"""
        self.page.evaluate(script, [paths, spread])

    def switch(self, theme: ThemeName) -> None:
        """Another theme: its colours are on the page before the component is told."""
        self.theme = theme
        self.page.evaluate("css => document.documentElement.style.cssText = css", _variables(theme))

    def receive(self, message: Message) -> None:
        """Put a message into the store, as the store component does."""
        self.id = message.id
        self.page.evaluate("text => receive(text)", text_of(message))

    def show(self, *, answered: int | None = None, extra: dict[str, Any] | None = None, **selection: Any) -> None:
        """What Python sends: the whole selection, with these changes, and what this component gets besides."""
        drawn = THEMES[self.theme]
        nothing: dict[str, Any] = {"layer": 0, "head": 0, "heads": "", "query": -1, "key": -1}
        whole = nothing | {"pinned_in": "A", "sentences": "all", "scale": "auto"} | selection
        data = {
            "scope": "encoder",
            "id": self.id,
            "layers": self.layers,
            "texts": ["A", "B"],
            "special": "show",
            "theme": {
                "heads": list(drawn.head_colours),
                "sequential": [list(stop) for stop in drawn.sequential],
                "diverging": [list(stop) for stop in drawn.diverging],
                "muted": drawn.muted,
            },
        }
        self.page.evaluate(
            "([data, whole, answered]) => show(data, whole, answered)", [data | (extra or {}), whole, answered]
        )
        self.settle()

    def name_painted(self, layer: int, head: int) -> str:
        """What `data-painted` is when a layer and a head are drawn."""
        return f"{self.id}{f'-L{layer}' if self.layers else ''}|L{layer}|H{head}"

    def settle(self) -> None:
        """Two frames: what is asked for in one is painted by the end of the next."""
        self.page.evaluate("new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))")

    def watch(self) -> None:
        """From now on every text that is drawn is noted."""
        self.page.evaluate(WATCH)

    def written(self) -> list[str]:
        """The texts that were drawn since the last time."""
        texts: list[str] = self.page.evaluate("() => { const texts = written; written = []; return texts; }")
        return texts

    @property
    def sent(self) -> list[dict[str, Any]]:
        """Every change of the selection."""
        changes: list[dict[str, Any]] = self.page.evaluate("sent")
        return changes

    @property
    def painted(self) -> str | None:
        return self.page.locator(".view").get_attribute("data-painted")

    def call(self, path: str, name: str, *arguments: Any) -> Any:
        """A function that a module of the components exports."""
        expression = "async ([path, name, values]) => (await load(path))[name](...values)"
        return self.page.evaluate(expression, [path, name, list(arguments)])

    def locator(self, selector: str) -> Locator:
        return self.page.locator(selector)


def text_of(message: Message) -> str:
    """A message as `bytes` of the page reads it."""
    return base64.b64encode(message.data).decode()


def layer_message(weights: FloatArray, units: Units, *, layer: int = 3, **options: Any) -> Message:
    """One layer of a run; other weights, units or numbers are of another run.

    Args:
        options: of `layers_message`.
    """
    told = f"{units} {options}".encode()
    run = hashlib.blake2b(weights.tobytes() + told, digest_size=12).hexdigest()
    return layers_message(weights[None], units, run=run, layers=[layer], **options)


def units_of(labels: Sequence[str], b_start: int | None = None) -> Units:
    """Tokens with these labels, one each."""
    count = len(labels)
    return Units(
        labels=tuple(labels),
        members=tuple((position,) for position in range(count)),
        special=tuple(label in ("[CLS]", "[SEP]") for label in labels),
        sentence_b_start=b_start,
        length=count,
    )


def attention(heads: int, units: int) -> FloatArray:
    """(H, U, U) random rows that sum to 1, always the same."""
    scores = np.exp(3 * np.random.default_rng(0).normal(size=(heads, units, units)))
    return (scores / scores.sum(-1, keepdims=True)).astype(np.float32)


def _variables(theme: ThemeName) -> str:
    drawn = THEMES[theme]
    named = {"text-color": drawn.text, "background-color": drawn.background, "border-color": drawn.border}
    named |= {"primary-color": drawn.primary, "font": "sans-serif"}
    named |= {"secondary-background-color": drawn.secondary_background}
    return " ".join(f"--st-{name}: {value};" for name, value in named.items())
