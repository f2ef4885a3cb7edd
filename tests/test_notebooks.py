"""The notebooks of the docs and the snippets of the cookbook run from top to bottom."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from tests.test_docs import cells
from viz import frames

pytestmark = pytest.mark.usefixtures("each_text_is_read_once")

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
COOKBOOK = DOCS / "cookbook.md"
SNIPPETS = cells(COOKBOOK)


def run_all(sources: list[str]) -> None:
    """Run cells in a session of its own. Raises the first error."""
    shell = InteractiveShell()
    shell.cache_size = 0
    try:
        for source in sources:
            shell.run_cell(source, store_history=False).raise_error()
    finally:
        shell.reset(new_session=False)  # Python's exit holds the session, and the models of its cells


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs_and_ships_without_outputs(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    run_all(["".join(cell["source"]) for cell in code])


def test_every_heading_of_the_cookbook_has_a_snippet() -> None:
    assert len(SNIPPETS) == COOKBOOK.read_text(encoding="utf-8").count("\n## ") > 0


def first_rows(name: str) -> Collection:
    """Of the long tables that ship, enough rows for every snippet; all of the others."""
    found = shipped_collection(name)
    return found.select(range(30)) if name in ("reviews", "passages") else found


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_the_snippet_runs_as_it_stands(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "shipped_collection", first_rows)
    run_all([SNIPPETS[number]])
