"""The notebooks of the docs and the snippets of the cookbook run from top to bottom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from tests.test_docs import cells

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
COOKBOOK = DOCS / "cookbook.md"
SNIPPETS = cells(COOKBOOK)


def run_all(sources: list[str]) -> list[Any]:
    """What each cell returns, in a session of its own. Raises the first error."""
    shell = InteractiveShell()
    shell.cache_size = 0
    results = []
    for source in sources:
        result = shell.run_cell(source, store_history=False)
        result.raise_error()
        results.append(result.result)
    return results


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs_and_ships_without_outputs(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    run_all(["".join(cell["source"]) for cell in code])


def test_every_heading_of_the_cookbook_has_a_snippet() -> None:
    assert len(SNIPPETS) == COOKBOOK.read_text(encoding="utf-8").count("\n## ") > 0


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_the_snippet_runs_as_it_stands(number: int) -> None:
    run_all([SNIPPETS[number]])
