"""README and docs: links resolve, the paths that they name exist, the README stays short, and its Python cells run."""

import io
import json
import re
import runpy
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import yaml

import headlight
from viz.wording.numbers import percent

pytestmark = pytest.mark.usefixtures("each_text_is_read_once")

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
README = ROOT / "README.md"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
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


def _short(number: float, decimals: int = 2) -> str:
    return f"{number:.{decimals}f}".removeprefix("0")


RELATIONS = ("obj", "case", "cop", "det", "nsubj", "aux", "xcomp", "ccomp", "acl:*", "all")  # of docs/atlas.md


def _of_atlas(printed: str) -> list[str]:
    found = json.loads(printed)
    relations = {row["relation"]: row for row in found["relations"] if row["direction"] == "dependent to head"}
    lifts = sorted((row for row in found["habits"] if row["habit"] == "together"), key=lambda row: -row["mean"])
    before = next(row for row in lifts if (row["layer"], row["head"]) == (0, 2))
    own, offsets = (_short(found["all_relations"][name], 3) for name in ("accuracy", "offset_accuracy"))
    return [
        *(
            f"| {_place(row)} | {_interval(row, 'accuracy')} | {_short(row['offset_accuracy'], 3)} | {row['n']:,} |"
            for row in (relations[name] for name in RELATIONS)
        ),
        f"| all, each relation by its own head | | {own} | {offsets} | {found['all_relations']['n']:,} |",
        f"is largest in {_place(lifts[0])}, {_interval(lifts[0], 'mean')} in {lifts[0]['n']} sentences; next is "
        f"{_place(lifts[1])}, {_interval(lifts[1], 'mean')}. L0 H2, which looks at the word before, has "
        f"{_short(before['mean'], 3)}.",
    ]


def _place(row: dict[str, Any]) -> str:
    return f"L{row['layer']} H{row['head']}"


def _interval(row: dict[str, Any], name: str) -> str:
    return f"{_short(row[name], 3)} [{_short(row['low'], 3)}, {_short(row['high'], 3)}]"


def _of_errors(printed: str) -> list[str]:
    """What errors_in_words prints: a line, the table of words, that of deletions, and two lines."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.splitlines() if line.startswith("|")]
    words, deleted = rows[2:12], dict(zip(rows[12], rows[-1], strict=True))
    wrong, whole = re.findall(r"[\d,]+(?= of| rows)", printed)[:2]
    (gain, low, high), (place, random) = (
        [_short(float(number)) for number in re.findall(r"[.\d]*\.\d+", line)] for line in printed.splitlines()[-2:]
    )
    return [
        f"it is wrong in {wrong} of {whole} sentences.",
        *(
            f"“{word}” ({count} errors, +{adds} log odds on average, p = {p.removeprefix('0')})"
            for word, count, adds, *_, p in words
            if float(p) < 0.05
        ),
        f"from the {deleted['rows']} sentences that have them changes the class of {deleted['flips']}, next to "
        f"{deleted['random_flips']} if as many random words are deleted: {deleted['become_right']} become right, and "
        f"{deleted['become_wrong']} wrong.",
        f"(AOPC +{gain}, 95 % interval {low} to {high})",
        f"at {percent(float(place))} of the way from the worst order to the best (random: {percent(float(random))})",
    ]


# A page, the code or the command on it, and the sentences next to that, from what it returns or prints.
FIGURES: dict[tuple[str, str], Callable[[Any], list[str]]] = {
    ("texts", 'headlight.texts("passages").relevant_among(headlight.load("bundled"), (1, 3, 5))'): lambda found: [
        f"a relevant passage is first for {100 * found[1]:.0f} %, among the first three for {100 * found[3]:.0f} %, "
        f"and among the first five for {100 * found[5]:.0f} %"
    ],
    ("texts", 'headlight.texts("negations").pairs(headlight.load("bundled"))'): lambda found: [
        f"have a cosine of {_short(found.cosine.median())} in the median (texts of different rows: "
        f"{_short(found.other_cosine.median())}), and in {found.nearest.sum()} of {len(found)} rows no other"
    ],
    ("texts", 'headlight.texts("swaps").swaps(headlight.load("bundled-sentiment"))'): lambda found: [
        f"of these {'ten' if found['corrected p'].notna().sum() == 10 else 'other'}, "
        + " and, by 1.1 points, ".join(
            f"*{swap['from']}* → *{swap['to']}*" for _, swap in found[found["corrected p"] < 0.05].iterrows()
        )
        + " clearly change the probability"
    ],
    (
        "texts",
        'headlight.texts("words").one_word(headlight.load("bundled"), "bank").accuracies["sense"]',
    ): lambda found: [
        f'the {len(found.scored)} sentences about "bank", the neighbour has the right sense in '
        f"{percent(float(found.neighbour.max()))} after layer {found.neighbour.argmax() - 1} (shuffled: about "
        f"{percent(float(found.shuffled['neighbour'][:, found.neighbour.argmax()].mean()))};"
    ],
    (
        "texts",
        "python -m encoder.collection.errors_in_words --data sst_dev.tsv.gz --text natural --label label3",
    ): _of_errors,
    ("atlas", "python -m encoder.atlas show encoder/shipped/atlas/bundled --json"): _of_atlas,
}


@pytest.mark.filterwarnings("ignore:.* found in sys.modules:RuntimeWarning")  # a module that other tests imported
@pytest.mark.parametrize(
    ("page", "code"),
    [pytest.param(*each, marks=pytest.mark.figures) if "sst_dev" in each[1] else each for each in FIGURES],
)
def test_figures_are_those_of_the_code_next_to_them(page: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "sst_dev" in code and not DATA.is_dir():
        pytest.skip("the public data are not beside this checkout")
    text = " ".join((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").split())
    assert f"`{code}`" in text
    for sentence in FIGURES[page, code](_result_of(code, monkeypatch)):
        assert sentence in text


def _result_of(code: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What Python code returns, or a command prints."""
    if not code.startswith("python -m "):
        return eval(code, {"headlight": headlight})
    _, _, module, *arguments = [str(DATA / part) if (DATA / part).exists() else part for part in code.split()]
    output = io.StringIO()
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", [module, *arguments])
    with redirect_stdout(output), pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__")
    assert not ended.value.code
    return output.getvalue()


MEASURED = json.loads((ROOT / "bench" / "results" / "results.json").read_text(encoding="utf-8"))
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")


def _figures_of(part: str) -> list[float]:
    """All figures, ratios and targets of a part of `make bench`, of every instruction set."""
    found = []
    for row in (row for name, part_of in MEASURED.items() if name.partition(",")[0] == part for row in part_of["rows"]):
        found += [row[name] for name in ("ours", "other", "value") if row[name] is not None]
        found += [row["ours"] / row["other"]] if row["ours"] and row["other"] else []
        found += [float(row["target"].split()[-1])] if row["target"] else []
    return found


def test_figures_of_performance_are_measured_by_the_part_beside_them() -> None:
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\| *(.*?) *\| (.*) \| (.*) \|$", text, flags=re.MULTILINE)
    assert {part for *_, part in tables if not part.startswith("`")} == {"part"}
    for what, figures, part in tables:
        measured = _figures_of(part.strip("`"))
        for figure in NUMBER.findall(figures if part != "part" else ""):
            digits, number = len(figure.partition(".")[2]), float(figure.replace(",", ""))
            assert any(round(value, digits) == number for value in measured), (what, figure)


def test_visits_of_a_site_follow_from_its_measured_bytes() -> None:
    page = (ROOT / "docs" / "site.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| ([\d.]+) MB \| ([\d,]+) \|$", page, flags=re.MULTILINE)
    measured = [row["ours"] for row in MEASURED["site, AVX512"]["rows"] if row["what"].startswith("bytes: ")]
    assert [float(size) for size, _ in rows] == [float(f"{size:.2g}") for size in measured]
    assert [int(visits.replace(",", "")) for _, visits in rows] == [float(f"{100_000 / size:.3g}") for size in measured]


def test_the_stated_limits_are_those_of_the_code() -> None:
    from encoder.text.tokens import MAX_TOKENS
    from viz.caches import memo
    from viz.computing import job, worker
    from viz.page import direct
    from viz.page.tours import editor
    from viz.widgets import jobs

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


def test_a_citation_names_the_version() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == headlight.__version__


def test_workflows_run_targets_that_there_are() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    commands = [
        step["run"]
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]
    assert len(commands) == 3
    for command in commands:
        assert command == ".ci/run" or command.removeprefix("make ") in targets
