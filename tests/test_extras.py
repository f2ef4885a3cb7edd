"""The packages of the extras: the base install needs none of them, and a missing one is named with its extra."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.abc import MetaPathFinder
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import headlight
from encoder import extras
from encoder.errors import InstallationError

ROOT = Path(__file__).parents[1]
OF_OTHERS = {"uvloop", "boto3", "argcomplete"}  # which Streamlit, BertViz and a shell ask for
# Python with the packages of the base install alone.
BASE = """
import sys
from importlib.machinery import PathFinder
INSTALLED = {*sys.stdlib_module_names, "numpy", "safetensors", "encoder", "viz", "headlight"}
class Base(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if path is None and name not in INSTALLED else super().find_spec(name, path, target)
sys.meta_path = [Base if finder is PathFinder else finder for finder in sys.meta_path]
"""
ARRAYS = """
import numpy as np
from headlight import Trace, head_view, heat_map, model_view
attention = [np.full((1, 2, 3, 3), 1 / 3)] * 2
pages = [view(attention, ["a", "b", "c"]).html for view in (head_view, model_view, heat_map)]
print(all("<main>" in page for page in pages), len(pages))
"""
TRACE = """
import sys, numpy as np
import headlight
trace = headlight.Trace.load(sys.argv[1])
print(trace.weights(0).shape, trace.tokens.words)
views = (headlight.head_view, headlight.heat_map, headlight.model_view, headlight.neuron_view)
print(all("<main>" in view(trace).html for view in views), headlight.Trace.load(sys.argv[1]) == trace)
for use in (lambda: headlight.load, lambda: headlight.explain, lambda: headlight.texts):
    try:
        use()
    except headlight.HeadlightError as error:
        print(error)
headlight.main([])
"""


def in_base(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a script does with the base install alone."""
    command = [sys.executable, "-c", BASE + code, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def requirements(extra: str) -> set[str]:
    """The distributions of an extra, by their normalised names, without Headlight itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return {normalised(re.match(r"[\w.-]+", line)[0]) for line in lines} - {"headlight"}  # type: ignore[index]


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_views_of_arrays_need_numpy_alone() -> None:
    ran = in_base(ARRAYS)
    assert (ran.stdout.split(), ran.stderr) == (["True", "3"], "")


def test_what_the_base_install_lacks_is_named_with_its_extra(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    headlight.load("scratch-untrained").trace("time flies").save(path)
    ran = in_base(TRACE, str(path))
    opened, shown, *refused = ran.stdout.splitlines()
    assert shown == "True True"
    assert opened == "(4, 4, 4) ('time', 'flies')"
    assert len(refused) == 3
    for sentence in refused:
        assert re.fullmatch(r'This needs the package \w+, .*: pip install "headlight\[models\]"\.', sentence)
    assert ran.returncode == 1
    assert re.fullmatch(r'headlight: This needs the package \w+, .*: pip install "headlight\[app\]"\.\n', ran.stderr)


TABLES = """
import sys
from encoder.extras import PACKAGES
sys.modules.update(dict.fromkeys(name for extra in ("app", "bertviz", "desktop") for name in PACKAGES[extra]))
import headlight
model = headlight.load("bundled-sentiment")
rows = headlight.texts({"text": ["good film", "bad"], "label": ["positive", "negative"]})
print(len(rows.run(model)), len(rows.search(model, "bad")), len(rows.words(model)), len(rows.errors(model).rows))
print(len(headlight.similar_because(model, "a film", "a movie")))
headlight.explain(model, "a film"), headlight.Widget
print("transformers.modeling_utils" in sys.modules)
"""


def test_tables_need_the_extra_models_alone_and_our_own_models_import_none_of_transformers() -> None:
    ran = subprocess.run([sys.executable, "-c", TABLES], cwd=ROOT, capture_output=True, text=True, check=False)
    said = ran.stdout.split()
    assert (said[:2], said[-1], ran.returncode) == (["2", "2"], "False", 0), ran.stderr


OLD = """
class PreTrainedModel: pass
"""
USES = """
import headlight
for name in ("explain", "wrap", "StepsCallback", "Patch"):
    try:
        getattr(headlight, name)
        print("taken")
    except headlight.InstallationError as error:
        print(error)
"""


def test_a_package_of_another_version_is_named_with_the_one_that_is_needed(tmp_path: Path) -> None:
    (tmp_path / "transformers.py").write_text(OLD)
    about = tmp_path / "transformers-4.57.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: transformers\nVersion: 4.57.1\n")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", USES]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    sentence = 'transformers 4.57.1 is installed, and this needs transformers<6,>=5.0: pip install "headlight[models]".'
    assert (ran.stdout.splitlines(), ran.stderr) == (["taken", sentence, sentence, "taken"], "")


@pytest.mark.parametrize("extra", extras.PACKAGES)
def test_the_packages_of_an_extra_are_those_that_it_installs(extra: extras.Extra) -> None:
    owners = packages_distributions()
    if extra == "desktop" and "webview" not in owners:
        assert requirements(extra) == {"pywebview"}
        return
    imported = {normalised(name) for package in extras.PACKAGES[extra] for name in owners[package]}
    assert imported == requirements(extra) - OF_OTHERS


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refuse(MetaPathFinder):
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name in ("bertviz", "a_module_of_nobody"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(sys, "meta_path", [Refuse(), *sys.meta_path])
    for name in [name for name in sys.modules if name.partition(".")[0] == "bertviz"]:
        monkeypatch.delitem(sys.modules, name)  # imported by an earlier test


def test_other_missing_modules_are_left_as_they_are(refusing: None) -> None:
    with pytest.raises(ModuleNotFoundError, match="a_module_of_nobody"), extras.name_missing_extra():
        __import__("a_module_of_nobody")
    with (
        pytest.raises(InstallationError, match=r'the package bertviz, .*headlight\[bertviz\]"'),
        extras.name_missing_extra(),
    ):
        __import__("bertviz.head_view")
