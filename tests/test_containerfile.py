"""The container file, as far as can be told without building it: what it copies is enough, and its command starts."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from viz.launch import Place, free_port, wait_for_server

ROOT = Path(__file__).parents[1]
CONTAINERFILE = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
NOBODY = "http://127.0.0.1:9"  # a proxy at which nobody listens: a request that leaves this machine fails


def copied() -> list[str]:
    """What the container has of the project."""
    lines = re.findall(r"^COPY (.+)$", CONTAINERFILE, flags=re.MULTILINE)
    return [name for line in lines for name in line.split()[:-1]]


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A folder that holds what the container does."""
    for name in copied():
        (tmp_path / Path(name).name).symlink_to(ROOT / name)
    return tmp_path


def test_what_is_copied_exists() -> None:
    assert [name for name in copied() if not (ROOT / name).exists()] == []


def test_pip_finds_all_that_the_package_is_made_of(tmp_path: Path) -> None:
    for name in re.findall(r"^COPY (pyproject.+) \./$", CONTAINERFILE, flags=re.MULTILINE)[0].split():
        (tmp_path / Path(name).name).symlink_to(ROOT / name)
    assert [*WheelBuilder(str(tmp_path)).build(directory=str(tmp_path / "dist"), versions=["editable"])]


def test_every_requirement_has_a_version_that_it_allows() -> None:
    lines = (ROOT / "deploy" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    versions = dict(line.split(";")[0].strip().split("==") for line in lines if "==" in line)
    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    for each in (Requirement(line.partition(" #")[0]) for line in requirements if line and line[0] not in "#-"):
        assert each.specifier.contains(versions[canonicalize_name(each.name)]), each


def test_the_page_needs_no_module_that_is_not_copied(image: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # The project is installed in place, so Python has a path to the whole of it.
    code = f"import sys; sys.path = [path for path in sys.path if path != {str(ROOT)!r}]; "
    code += "import headlight, viz.page.opening, viz.page.body, encoder.catalogue"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=image, env=environment, check=False, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr


def test_the_command_starts_and_asks_no_server_for_the_address(image: Path, tmp_path: Path) -> None:
    (command,) = re.findall(r"^CMD (\[.+\])$", CONTAINERFILE, flags=re.MULTILINE)
    port = free_port()
    words = [word.replace("8501", str(port)) for word in json.loads(command)]
    (check,) = re.findall(r"^HEALTHCHECK .*?CMD (\[.+\])$", CONTAINERFILE, flags=re.MULTILINE)
    checks = [sys.executable, *(word.replace("8501", str(port)) for word in json.loads(check)[1:])]
    below = {"STREAMLIT_SERVER_BASE_URL_PATH": "tools"}
    log = tmp_path / "log.txt"
    with log.open("wb") as written:
        server = subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=image,
            env=os.environ | dict.fromkeys(("http_proxy", "https_proxy"), NOBODY) | below,
            stdout=written,
            stderr=subprocess.STDOUT,
        )
    try:
        place = Place(port=port, base_path="tools")
        assert wait_for_server(place, alive=lambda: server.poll() is None), log.read_text(encoding="utf-8")
        assert subprocess.run(checks, env=os.environ | below, check=False).returncode == 0
    finally:
        server.terminate()
        server.wait()
    assert "external" not in log.read_text(encoding="utf-8").lower()
