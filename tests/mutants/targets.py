"""What is mutated, and which tests are asked to notice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("encoder/transformer", "encoder/measures", "encoder/experiments", "viz/state")
# Tests beside those of the mirrored folder that are about the same code.
FURTHER_TESTS = {
    "encoder/transformer": ("tests/encoder/runs/test_trace.py", "tests/encoder/models/test_device.py"),
    "encoder/measures": ("tests/viz/payloads/test_runs.py",),
    "encoder/experiments": ("tests/viz/answers/test_masked_words.py", "tests/encoder/models/test_device.py"),
    "viz/state": ("tests/app/test_page_state.py",),
}


def source_files(folders: Iterable[str] = FOLDERS, *, root: Path = ROOT) -> list[Path]:
    """The Python files below the folders, or the files that are named, from the root, in their order.

    Raises:
        FileNotFoundError: one of them is not there.
    """
    found: list[Path] = []
    for name in folders:
        path = root / name
        if not path.exists():
            raise FileNotFoundError(f"There is no {name} to mutate.")
        files = [path] if path.is_file() else sorted(path.rglob("*.py"))
        found += [file.relative_to(root) for file in files]
    return found


def names_of_tests(source: Path) -> tuple[str, ...]:
    """How the names of a source file's own tests start: with its name, its package's, or its view's."""
    view = source.parts[2:3] if source.parts[:2] == ("viz", "views") else ()
    name = source.parent.name if source.stem == "__init__" else source.stem
    return tuple(f"test_{each}" for each in (name, *view))


def nearest_tests(source: Path, *, root: Path = ROOT) -> tuple[str, ...]:
    """The test files for a source file, the nearest first, since testing stops at the first failure.

    That is those of `names_of_tests` in the folder of the tests' tree that mirrors the source's, then the other tests
    of that folder, those below it and `FURTHER_TESTS`: those that name the module before the rest. A package without
    tests of its own has those of the one above.
    """
    folder = Path("tests") / source.parent
    while not any((root / folder).glob("test_*.py")) and folder != Path("tests"):
        folder = folder.parent
    further = [test for above, more in FURTHER_TESTS.items() if str(source).startswith(f"{above}/") for test in more]
    tests = [*sorted((root / folder).rglob("test_*.py")), *(root / test for test in further)]
    names = names_of_tests(source)
    module = ".".join(source.with_suffix("").parts).removesuffix(".__init__")

    def distance(test: Path) -> tuple[bool, bool]:
        return not test.stem.startswith(names), module not in test.read_text(encoding="utf-8")

    return tuple(str(test.relative_to(root)) for test in sorted(tests, key=distance))
