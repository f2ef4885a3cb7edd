"""README and docs: links resolve, the paths that they name exist, the README stays short, and its Python cells run."""

import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import headlight

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
MAX_WORDS = 900
MAX_FILM = 1_000_000  # bytes
MAX_PICTURES = 800_000  # bytes of all others together
FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|href)=\"([^\"]+)\"")
PATH = re.compile(r"`((?:encoder|viz|tests|bench|deploy|docs)/[\w./-]*)`")
CELL = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    """A page without its code blocks."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    found = [markdown or html for markdown, html in LINK.findall(prose(page))]
    return [link for link in found if not link.startswith(("https://", "http://"))]


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings."""
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    texts = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", text).replace(" ", "-") for text in texts}


def cells(page: Path) -> list[str]:
    return CELL.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_and_their_anchors_resolve(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_in_the_text_exist(page: Path) -> None:
    assert [path for path in PATH.findall(prose(page)) if not (ROOT / path).exists()] == []


def test_every_page_of_the_docs_is_linked_from_the_readme() -> None:
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in links(README)}
    assert [page.name for page in PAGES if page != README and page not in linked] == []


def test_readme_has_at_most_900_words() -> None:
    assert len(README.read_text(encoding="utf-8").split()) <= MAX_WORDS


def test_pictures_are_all_used_and_light() -> None:
    used = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    pictures = set((ROOT / "docs" / "pictures").glob("*"))
    assert pictures - used == set()
    film = ROOT / "docs" / "pictures" / "film.webp"
    assert film.stat().st_size <= MAX_FILM
    assert sum(picture.stat().st_size for picture in pictures - {film}) <= MAX_PICTURES


def test_cells_of_the_readme_run() -> None:
    output = io.StringIO()
    with redirect_stdout(output):
        for cell in cells(README):
            exec(compile(cell, "README.md", "exec"), {})
    assert "0.79" in output.getvalue()  # from the second "flies" to "fruit"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_cells_of_the_docs_compile(page: Path) -> None:
    for cell in cells(page):
        compile(cell, page.name, "exec")


def _short(number: float) -> str:
    return f"{number:.2f}".removeprefix("0")


# Code of docs/texts.md, and the sentence next to it, from what it returns.
FIGURES: dict[str, Callable[[Any], str]] = {
    'headlight.texts("passages").relevant_among(headlight.load("bundled"), (1, 3, 5))': lambda found: (
        f"a relevant passage is first for {100 * found[1]:.0f} %, among the first three for {100 * found[3]:.0f} %, "
        f"and among the first five for {100 * found[5]:.0f} %"
    ),
    'headlight.texts("negations").pairs(headlight.load("bundled"))': lambda found: (
        f"have a cosine of {_short(found.cosine.median())} in the median (texts of different rows: "
        f"{_short(found.other_cosine.median())}), and in {found.nearest.sum()} of {len(found)} rows no other"
    ),
    'headlight.texts("swaps").swaps(headlight.load("bundled-sentiment"))': lambda found: (
        f"of these {'ten' if found['corrected p'].notna().sum() == 10 else 'other'}, "
        + " and, by 1.1 points, ".join(
            f"*{swap['from']}* → *{swap['to']}*" for _, swap in found[found["corrected p"] < 0.05].iterrows()
        )
        + " are told apart"
    ),
}


@pytest.mark.parametrize("code", FIGURES)
def test_figures_are_those_of_the_code_next_to_them(code: str) -> None:
    page = " ".join((ROOT / "docs/texts.md").read_text(encoding="utf-8").split())
    assert f"`{code}`" in page
    assert FIGURES[code](eval(code, {"headlight": headlight})) in page


def test_the_stated_limits_are_those_of_the_code() -> None:
    from encoder.text.tokens import MAX_TOKENS
    from viz.caches import memo
    from viz.computing import job, worker
    from viz.page import direct
    from viz.page.tours import editor
    from viz.panels import jobs

    page = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([^|]+?) \| ([^|]*?) \|", page.partition("## Limits")[2].partition("\n## ")[0], re.MULTILINE
    )
    stated = {
        what: tuple(int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", limit)) for what, limit in rows
    }
    assert stated["models in memory, all visitors"] == (memo.MODELS._num_bytes // 10**6,)
    assert stated["runs, messages and documents in memory, all visitors"] == (memo.VALUES._num_bytes // 10**6,)
    assert stated["jobs and their results in memory, all visitors"] == (memo.JOBS._num_bytes // 10**6,)
    assert stated["jobs at once"] == (1, job.AT_ONCE)
    assert stated["minutes that a job may take"] == (jobs.MOST_MINUTES,)
    assert stated["other computations at once, all visitors"] == (worker._WORKER._max_workers,)
    assert stated["typed texts answered at once; waiting"] == (direct.AT_ONCE, direct.MOST_WAITING, 1)
    assert stated["bytes of such a request"] == (direct.MOST_BYTES,)
    assert stated["tokens of a text"] == (MAX_TOKENS,)
    assert stated["file of a lesson"] == (editor.MOST_MEGABYTES,)
