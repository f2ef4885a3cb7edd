"""Make an environment with the lowest or the newest versions, and run the fast tests in it: `make bounds`.

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
EXTRAS: Final = "app,bertviz"
# Of tests/requirements.txt: what the fast tests import.
TOOLS: Final = ("pytest", "pytest-rerunfailures", "beartype", "hypothesis", "peft", "playwright")
FAST: Final = (
    *("tests/test_extras.py", "tests/test_public_names.py", "tests/encoder/test_library.py"),
    *("tests/encoder/transformer", "tests/encoder/text", "tests/encoder/runs"),
    *("tests/viz/html", "tests/viz/figures", "tests/viz/payloads", "tests/viz/components"),
    "tests/app/test_page.py",
)


def main() -> int:
    """The exit code is that of the tests."""
    options = argparse.ArgumentParser(prog="python -m tests.bounds", description=__doc__.splitlines()[0])
    options.add_argument("end", choices=RESOLUTIONS)
    options.add_argument("tests", nargs="*", default=FAST, help="default: the fast ones")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="headlight-bounds-") as folder:
        python = environment(Path(folder), RESOLUTIONS[chosen.end])
        return subprocess.run([python, "-m", "pytest", "-q", *chosen.tests], cwd=ROOT, check=False).returncode


def environment(folder: Path, resolution: str) -> Path:
    """Make an environment in which Headlight is installed in place; returns its Python."""
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
