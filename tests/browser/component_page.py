"""One component of ours on an empty page in Chromium: no server, every request refused."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from tests.browser.offline import Offline
from viz.components import store
from viz.components.source import style
from viz.components.store import Message
from viz.theme import THEMES, ThemeName

COMPONENTS = Path(store.__file__).parents[1]
HOST = """<!doctype html><style>%s :root { %s } body { margin: 0; background: var(--st-background-color); }</style>
<div id="host" style="width: %dpx"></div>
<script type="module">
import mount from "/components/%s/view.mjs";
import receive from "/components/store/view.mjs";
const parentElement = document.getElementById("host");
window.sent = [];
window.receive = (text) => receive({ data: Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)) });
window.show = (data) => {
  if (!parentElement.querySelector(".view")) parentElement.innerHTML = '<div class="view"></div>';
  const setTriggerValue = (name, value) => window.sent.push(value);
  window.cleanup = mount({ data, parentElement, setTriggerValue });
};
window.remove = () => { window.cleanup(); parentElement.replaceChildren(); };
window.load = (path) => import(`/components/${path}`);
window.ready = true;
</script>"""


class ComponentPage:
    """The component `name`, mounted as Streamlit does it; `sent` is what it told Python."""

    def __init__(self, offline: Offline, name: str, *, theme: ThemeName = "light", width: int = 820) -> None:
        self.theme = theme
        self.id = ""
        css = style(COMPONENTS / name / "view.css")
        files = {
            f"components/{path.relative_to(COMPONENTS)}": (path.read_text(encoding="utf-8"), "text/javascript")
            for path in COMPONENTS.rglob("*.mjs")
        }
        self.page: Page = offline.open(HOST % (css, _variables(theme), width, name), **files)
        self.page.wait_for_function("window.ready")

    def receive(self, message: Message) -> None:
        """Put a message into the store, as the store component does."""
        self.id = message.id
        self.page.evaluate("text => receive(text)", base64.b64encode(message.data).decode())

    def show(self, *, answered: Any = None, extra: dict[str, Any] | None = None, **selection: Any) -> None:
        """What Python sends: the whole selection, with these changes, and what this component gets besides."""
        drawn = THEMES[self.theme]
        whole = {"layer": 0, "head": 0, "heads": "", "query": -1, "key": -1, "sentences": "all"} | selection
        data = {
            "id": self.id,
            "selection": whole,
            "pinned_in": "A",
            "answered": answered,
            "theme": {
                "heads": list(drawn.head_colours),
                "sequential": [list(stop) for stop in drawn.sequential],
                "diverging": [list(stop) for stop in drawn.diverging],
                "muted": drawn.muted,
            },
        }
        self.page.evaluate("show", data | (extra or {}))
        self.settle()

    def settle(self) -> None:
        """Two frames: what is asked for in one is painted by the end of the next."""
        self.page.evaluate("new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))")

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The changes of every message to Python."""
        return [message["changes"] for message in self.page.evaluate("sent")]

    @property
    def painted(self) -> str | None:
        return self.page.locator(".view").get_attribute("data-painted")

    def call(self, path: str, name: str, *arguments: Any) -> Any:
        """A function that a module of the components exports."""
        expression = "async ([path, name, values]) => (await load(path))[name](...values)"
        return self.page.evaluate(expression, [path, name, list(arguments)])

    def locator(self, selector: str) -> Locator:
        return self.page.locator(selector)


def _variables(theme: ThemeName) -> str:
    drawn = THEMES[theme]
    named = {"text-color": drawn.text, "background-color": drawn.background, "border-color": drawn.border}
    named |= {"primary-color": drawn.primary, "font": "sans-serif"}
    named |= {"secondary-background-color": drawn.secondary_background}
    return " ".join(f"--st-{name}: {value};" for name, value in named.items())
