"""`make quick`: what to run at every step: lint and types of what has changed, the tests next to it, the first page.

What has changed is compared with the branch `main`, or with the last commit where there is no such branch.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.mutants.targets import ROOT, names_of_tests, nearest_tests

FIRST_PAGE = "tests/app/test_page.py::test_the_first_screen_shows_the_two_flies"
BIN = ROOT / ".venv" / "bin"
NODE = str(BIN / "node")
SCRIPTS = (".mjs", ".js", ".ts", ".css")


def git(*words: str) -> list[str]:
    return subprocess.run(["git", *words], cwd=ROOT, check=False, capture_output=True, text=True).stdout.splitlines()


def changed() -> list[Path]:
    """The files that differ from main, as they are now."""
    base = git("merge-base", "HEAD", "main") or ["HEAD"]
    names = [*git("diff", "--name-only", base[0]), *git("ls-files", "--others", "--exclude-standard")]
    return [Path(name) for name in dict.fromkeys(names) if (ROOT / name).is_file()]


def tests_next_to(path: Path) -> Iterator[str]:
    """The tests of a Python file or a script, by its name; a file of tests itself."""
    if path.name.startswith("test_") or path.name.endswith(".test.mjs"):
        yield str(path)
    elif path.suffix == ".py" and path.parts[0] in ("encoder", "viz"):
        yield from (test for test in nearest_tests(path) if Path(test).stem.startswith(names_of_tests(path)))
    elif path.suffix == ".mjs":
        test = Path("tests", path).with_suffix(".test.mjs")
        yield from [str(test)] if (ROOT / test).exists() else []


def commands(files: Sequence[Path]) -> Iterator[Sequence[str | Path]]:
    python = [str(path) for path in files if path.suffix == ".py"]
    scripts = [str(path) for path in files if path.suffix in SCRIPTS]
    tests = list(dict.fromkeys(test for path in files for test in tests_next_to(path)))
    if python:
        yield [BIN / "ruff", "check", *python]
        yield [BIN / "ruff", "format", "--check", *python]
        yield [BIN / "mypy"]
    if scripts:
        yield [NODE, "node_modules/prettier/bin/prettier.cjs", "--check", *scripts]
        yield [NODE, "node_modules/typescript/bin/tsc", "--project", "."]
    if of_node := [test for test in tests if test.endswith(".mjs")]:
        yield [NODE, "--test", *of_node]
    of_python = [test for test in tests if test.endswith(".py") and not test.startswith("tests/browser")]
    yield [BIN / "python", "-m", "pytest", "-q", "-x", "-n", "2", *of_python, FIRST_PAGE]


def main() -> int:
    return max(subprocess.run(command, cwd=ROOT, check=False).returncode for command in commands(changed()))


if __name__ == "__main__":
    sys.exit(main())
