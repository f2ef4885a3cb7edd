"""The wheel, installed in an environment of its own: the page, the API and a notebook view, far from the checkout."""

import json
import os
import signal
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.browser.pages.app_page import AppPage
from tests.browser.pages.server import free_port
from tests.browser.pages.watch import assert_none
from tests.browser.pages.window import Window
from viz.launch import Place, wait_for_server
from viz.site.command import main
from viz.site.folder import SUMS

ROOT = Path(__file__).parents[2]
OURS = ("headlight", "_headlight", "viz", "__pycache__")  # what an editable install leaves in site-packages
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
LABORATORY = ("encoder/lab/", "encoder/training/", "encoder/evaluation/")
MOST_BYTES = 28_000_000  # of the wheel
TOP = {"app.py", "headlight.py", "headlight-stubs", "encoder", "viz", ".streamlit"}
NO_HOME, READ_ONLY_HOME = "no home", "a home that cannot be written to"
READ_ONLY = "/proc" if sys.platform == "linux" else "/System"  # to root as well
# The user id of a container often has no entry among the users. Root, as whom tests may run, has one.
NO_SUCH_USER = """
import pwd
def getpwuid(uid):
    raise KeyError(uid)
pwd.getpwuid = getpwuid
"""
USE = """
import json, sys
import encoder, headlight, viz
from importlib.metadata import version
from encoder.errors import HeadlightError
from viz.caches import run_cache
trace = run_cache.trace("bundled", "time flies like an arrow", None)
again = headlight.load("bundled").trace("time flies like an arrow")
try:
    encoder.load("no/such-model")
except HeadlightError as error:
    refused = str(error)
json.dump({
    "files": [encoder.__file__, headlight.__file__, viz.__file__],
    "path": sys.path,
    "difference": float(abs(trace.weights(0) - again.weights(0)).max()),
    "view": headlight.head_view(again).data,
    "versions": [headlight.__version__, version("headlight")],
    "refused": refused,
}, sys.stdout)
"""
BUILD = ("build", "--model", "scratch-bert", "--out")
MODEL_FILES = {f"layer-{number}.onnx": b"" for number in range(6)}
BUILD_SITE = f"""
import sys
from viz.site import build, command
build._model_files = lambda *_: {MODEL_FILES}
sys.exit(command.main([*{BUILD}, sys.argv[1]]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([*PIP, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", folder, ROOT], check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel, and with all packages of this one but the editable Headlight."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for path in (Path(path) for path in sys.path if Path(path).name == "site-packages"):
        for entry in path.iterdir():
            if not entry.name.startswith(OURS) and entry.suffix != ".pth" and not (packages / entry.name).exists():
                (packages / entry.name).symlink_to(entry)
    python = folder / "bin" / "python"
    subprocess.run([*PIP, "--python", python, "install", "--no-index", "--no-deps", wheel], check=True)
    return folder


@pytest.fixture
def variables(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """What the environment variables of a user are, in a folder with a module of the user's own."""
    (tmp_path / "encoder.py").write_text("raise RuntimeError('the user has a module of this name')")
    (tmp_path / "users").mkdir()
    (tmp_path / "users" / "sitecustomize.py").write_text(NO_SUCH_USER)
    changed = {"HOME", "HEADLIGHT_CACHE", "PYTHONPATH"}
    ours = {name: value for name, value in os.environ.items() if name not in changed and "XDG" not in name}
    if request.param == NO_HOME:
        return ours | {"PYTHONPATH": str(tmp_path / "users")}
    return ours | {"HOME": READ_ONLY}


@contextmanager
def served(environment: Path, folder: Path, variables: dict[str, str]) -> Iterator[str]:
    """The address at which the command `headlight` serves the page."""
    port, log = free_port(), folder / "log.txt"
    command = [environment / "bin" / "headlight", "--no-browser", "--port", str(port)]
    with log.open("wb") as written:
        server = subprocess.Popen(command, cwd=folder, env=variables, stdout=written, stderr=subprocess.STDOUT)
    try:
        assert wait_for_server(Place(port=port), alive=lambda: server.poll() is None), log.read_text(encoding="utf-8")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
    assert "Traceback" not in log.read_text(encoding="utf-8")


def test_the_wheel_holds_the_product_and_nothing_else(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    names = ZipFile(wheel).namelist()
    about = next(name.split("/")[0] for name in names if name.endswith("/METADATA"))
    assert {name.split("/")[0] for name in names} == {*TOP, about}
    assert not [name for name in names if name.startswith(LABORATORY)]
    needed = {"viz/pyproject.toml", "encoder/py.typed", "viz/py.typed", "viz/html/ort-wasm-simd-threaded.wasm.zst"}
    assert needed < set(names)
    licences = {"LICENSE", "NOTICE", *(f"docs/licenses/{file.name}" for file in (ROOT / "docs" / "licenses").iterdir())}
    assert {name.partition("/licenses/")[2] for name in names if name.startswith(f"{about}/licenses/")} == licences
    assert [name for name in names if name.endswith(".png") or "__pycache__" in name] == ["viz/icon.png"]


@pytest.mark.parametrize("variables", [NO_HOME], indirect=True)
def test_the_library_runs_outside_the_checkout(environment: Path, tmp_path: Path, variables: dict[str, str]) -> None:
    command = [environment / "bin" / "python", "-P", "-c", USE]
    used = json.loads(subprocess.check_output(command, cwd=tmp_path, env=variables, text=True))
    assert all(file.startswith(str(environment)) for file in used["files"])
    assert str(ROOT) not in used["path"]
    assert used["difference"] < 1e-5
    assert "<iframe" in used["view"]
    assert len(set(used["versions"])) == 1
    assert used["refused"].startswith("no/such-model")


@pytest.mark.parametrize("variables", [NO_HOME], indirect=True)
def test_the_same_page_without_a_server_is_built_outside_the_checkout(
    environment: Path, tmp_path: Path, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the export of the model, which needs no file of the project."""
    here, there = tmp_path / "here", tmp_path / "there"
    monkeypatch.setattr("viz.site.build._model_files", lambda *_: MODEL_FILES)
    assert main([*BUILD, str(here)]) == 0
    command = [environment / "bin" / "python", "-P", "-c", BUILD_SITE, there]
    different = variables | {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "3"}
    subprocess.run(command, cwd=tmp_path, env=different, check=True, stdout=subprocess.DEVNULL)
    assert (there / SUMS).read_text() == (here / SUMS).read_text()


@pytest.mark.parametrize("variables", [READ_ONLY_HOME], indirect=True)
def test_the_page_runs_outside_the_checkout(
    environment: Path, tmp_path: Path, variables: dict[str, str], browser: Window
) -> None:
    with served(environment, tmp_path, variables) as url, browser.tab(viewport={"width": 1440, "height": 900}) as tab:
        page = AppPage(tab, url)
        page.open()
        page.heat_map("L0 H4")
        page.map.click(position={"x": 60, "y": 60})
        page.selected(layer="1")
        page.assert_sound()
        assert_none(page.watch.end())
