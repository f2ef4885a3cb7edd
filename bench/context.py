"""What every part of the benchmark is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from playwright.sync_api import Browser

from bench.models import save_random_bert
from bench.page import Tab, chromium
from bench.server import ROOT, Server, serve
from bench.texts import Texts
from encoder.models.files import ALL_POSITIONS
from encoder.shipped.bundled import bundled_folder

BERT_SHAPE, BUNDLED = "BERT-base’s shape", "bundled model"


@dataclass
class Context:
    """Texts, models, a browser and servers; `folder` is temporary, `rounds` how many figures a median is of."""

    folder: Path
    texts: Texts
    rounds: int
    stack: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def models(self) -> dict[str, Path]:
        """Both models' folders by the names that the table gives them."""
        return {BERT_SHAPE: save_random_bert(self.folder / "bert-base-shape"), BUNDLED: bundled_folder()}

    def link(self, model: str) -> str:
        """The name under which the app knows one of the models, with all of its positions."""
        return f"{ALL_POSITIONS}bundled" if model == BUNDLED else str(self.models[model])

    @cached_property
    def browser(self) -> Browser:
        return self.stack.enter_context(chromium())

    @property
    def chromium(self) -> str:
        """Its version."""
        return self.browser.version

    @contextmanager
    def app(self, variables: Mapping[str, str] | None = None) -> Iterator[Server]:
        """The app on a server of its own, with these variables in its environment."""
        with serve(ROOT / "app.py", self.folder / "app.log", variables) as server:
            yield server

    @contextmanager
    def page(self, name: str, script: str) -> Iterator[Server]:
        """A small Streamlit page that is written for the purpose."""
        path = self.folder / f"{name}.py"
        path.write_text(script, encoding="utf-8")
        with serve(path, self.folder / f"{name}.log") as server:
            yield server

    def tab(self, server: Server) -> Tab:
        return Tab(self.browser, server.url)
