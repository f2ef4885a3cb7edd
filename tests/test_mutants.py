"""The tool that makes mutants: what it changes, whom it asks, and what it reports of the runs."""

import importlib
import os
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from tests.mutants import running
from tests.mutants.running import Job, Outcome, put_in_place, run_all
from tests.mutants.sources import Mutant, mistakes_in, sampled
from tests.mutants.targets import FOLDERS, FURTHER_TESTS, ROOT, nearest_tests, source_files

SOURCE = """
from functools import cache
from typing import cast

LIMIT = 3


@cache
def within(x: "int" = 1) -> bool:
    return x < 3


def pairs(a, b):
    return list(zip(cast("list", a), b, strict=True))
"""


def diffs(source: str) -> list[str]:
    mistakes = mistakes_in(Path("m.py"), source)
    return [mutant.diff for mutant in sampled(mistakes, len(mistakes), seed=0)]


def test_functions_are_mutated_and_decorated_ones_too() -> None:
    found = "\n".join(diffs(SOURCE))
    assert "+    return x <= 3" in found
    assert "+    return x < 4" in found
    assert '+def within(x: "int" = 2) -> bool:' in found


def test_nothing_is_mutated_that_no_test_could_notice() -> None:
    found = "\n".join(diffs(SOURCE))
    assert "+LIMIT" not in found
    assert "strict=False" not in found
    assert "b, ))" not in found
    assert '"XX' not in found
    assert "cast(None" not in found


def test_each_mutant_is_a_program_with_one_change() -> None:
    for mutant in sampled(mistakes_in(Path("m.py"), SOURCE), 1000, seed=0):
        compile(mutant.source, "m.py", "exec")
        changed = [line for line in mutant.diff.splitlines() if line.startswith("+")]
        assert len(changed) == 1
        assert mutant.source.splitlines()[mutant.line - 1] == changed[0][1:]


def test_a_seed_names_a_sample() -> None:
    mistakes = mistakes_in(Path("m.py"), SOURCE)
    first, again, other = (sampled(mistakes, 4, seed=seed) for seed in (0, 0, 1))
    assert first == again != other
    assert len(first) == len({mutant.source for mutant in first}) == 4


def test_the_tests_of_the_same_name_come_first_and_all_of_them_exist() -> None:
    named = nearest_tests(Path("encoder/measures/similarity.py"))
    assert named[:2] == ("tests/encoder/measures/test_similarity.py", "tests/encoder/measures/test_states.py")
    assert len(named) == len(set(named)) > 5
    assert nearest_tests(Path("encoder/measures/senses/__init__.py"))[0] == "tests/encoder/measures/test_senses.py"
    assert set(FURTHER_TESTS) <= set(FOLDERS)
    for source in source_files():
        assert nearest_tests(source)
        assert all((ROOT / test).is_file() for test in nearest_tests(source))


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="There is no encoder/nowhere to mutate"):
        source_files(["encoder/nowhere"])


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module in a root of its own."""
    (tmp_path / "small_module.py").write_text("def one():\n    return 1\n")
    monkeypatch.setattr(running, "ROOT", tmp_path)
    monkeypatch.setattr(SourceFileLoader, "get_code", SourceFileLoader.get_code)  # put back at the end
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "small_module", raising=False)
    return Path("small_module.py")


def mutant(path: Path, body: str) -> Mutant:
    return Mutant(path, 2, f"def one():\n    {body}\n", "")


def test_the_mutant_is_imported_instead_of_the_file(small: Path) -> None:
    put_in_place(mutant(small, "return 2"))
    assert importlib.import_module("small_module").one() == 2
    with pytest.raises(RuntimeError, match="small_module was imported before"):
        put_in_place(mutant(small, "return 3"))


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_runs_tell_what_was_killed_what_survived_and_what_never_ends(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_test(job: Job) -> int:
        """In place of pytest, which does not run inside itself."""
        if job.mutant is not None:
            put_in_place(job.mutant)
        os.write(1, b"here\n")
        return int(importlib.import_module("small_module").one() != 1)

    monkeypatch.setattr(running, "_run_tests", one_test)
    bodies: dict[str, Outcome] = {
        "return 2": "killed",
        "return 2 - 1": "survived",
        "raise ValueError": "killed",
        "raise SystemExit(0)": "killed",
        "while True: pass": "too slow",
    }
    expected: dict[str | None, Outcome] = {mutant(small, body).source: outcome for body, outcome in bodies.items()}
    jobs = [Job((), 2.0 if "while" in body else 60.0, mutant(small, body)) for body in bodies]
    log = tmp_path / "log"
    runs = list(run_all([Job((), 60.0), *jobs], workers=2, log=log))
    assert {job.mutant and job.mutant.source: outcome for job, outcome, _ in runs} == expected | {None: "survived"}
    assert all(seconds > 2 for job, outcome, seconds in runs if outcome == "too slow")
    assert log.read_text().count("here") == 6
