"""Make an environment with the lowest or the newest versions, and run the fast tests in it: `make bounds`.

`--quick` runs those few that other versions break first, for CI: every public name, our numbers against those of
`transformers`, a saved run, an atlas, the views of a notebook, charts, and the page.

torch is the build of this environment, because the registry's own builds bring several GB of CUDA libraries.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
RESOLUTIONS: Final = {"lowest": "lowest-direct", "newest": "highest"}
EXTRAS: Final = "app,bertviz,notebook"
# Of tests/requirements.txt: what the fast tests import.
TOOLS: Final = ("pytest", "pytest-rerunfailures", "beartype", "hypothesis", "ipython", "nbconvert", "nbformat", "peft")
FAST: Final = (
    *("tests/test_extras.py", "tests/test_public_names.py", "tests/encoder/test_library.py"),
    *("tests/encoder/transformer", "tests/encoder/text", "tests/encoder/runs", "tests/encoder/atlas/test_reader.py"),
    *("tests/viz/html", "tests/viz/figures", "tests/viz/payloads", "tests/viz/components", "tests/viz/notebooks"),
    "tests/app/test_page.py",
)
QUICK: Final = (
    "tests/test_public_names.py::test_completion_finds_every_name",
    "tests/encoder/transformer/test_parity.py::test_the_models_on_offer_equal_the_pretrained_one",
    *("tests/encoder/runs/test_trace_file.py", "tests/encoder/atlas/test_reader.py"),
    *("tests/viz/notebooks", "tests/viz/figures/test_every_figure.py", "tests/viz/components/test_bertviz.py"),
    *("tests/viz/test_notebook_widget.py", "tests/viz/test_terminal.py"),
    "tests/app/test_streamlit_internals.py::test_the_page_works_without_internals",
    "tests/app/test_page.py::test_the_first_screen_shows_the_two_flies",
    "tests/app/test_page.py::test_the_heat_map_shows_the_models_numbers",
)


def main() -> int:
    """The exit code is that of the tests, or of uv where it could not install what they need."""
    options = argparse.ArgumentParser(prog="python -m tests.bounds", description=__doc__.splitlines()[0])
    options.add_argument("end", choices=RESOLUTIONS)
    options.add_argument("tests", nargs="*", help="default: the fast ones")
    options.add_argument("--quick", action="store_true", help="the few that other versions break first")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="headlight-bounds-") as folder:
        try:
            python = environment(Path(folder), RESOLUTIONS[chosen.end])
        except subprocess.CalledProcessError as error:
            sys.stderr.write(
                f"The {chosen.end} versions were not tested, because they could not be installed: uv says why above. "
                "They come from a package registry, which must be reachable.\n"
            )
            return error.returncode
        tests = chosen.tests or (QUICK if chosen.quick else FAST)
        return subprocess.run([python, "-m", "pytest", "-q", *tests], cwd=ROOT, check=False).returncode


def environment(folder: Path, resolution: str) -> Path:
    """Make an environment in which Headlight is installed in place; returns its Python.

    Raises:
        CalledProcessError: the registry cannot be reached, or has no versions that fit together.
    """
    python, versions = folder / "env" / "bin" / "python", folder / "versions.txt"
    versions.write_text(f"torch=={version('torch')}\n", encoding="utf-8")
    uv("venv", "--python", sys.executable, folder / "env")
    install: list[str | Path] = ["pip", "install", "--python", python, *find_links(), "--constraint", versions]
    uv(*install, "--resolution", resolution, "--editable", f"{ROOT}[{EXTRAS}]")
    versions.write_text(uv("pip", "freeze", "--python", python, "--exclude-editable"), encoding="utf-8")
    sys.stdout.write(versions.read_text(encoding="utf-8"))
    uv(*install, *TOOLS)
    return python


def uv(*arguments: str | Path) -> str:
    """What a command of uv prints; its errors go to the terminal."""
    command = [sys.executable, "-m", "uv", "--quiet", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def find_links() -> list[str]:
    """Folders with builds of torch, which pip takes from the environment and uv does not."""
    return [f"--find-links={place}" for place in os.environ.get("PIP_FIND_LINKS", "").split()]


if __name__ == "__main__":
    sys.exit(main())
