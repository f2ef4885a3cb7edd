"""What the browser is served: every component that there is, and a name for the version of its code."""

import re
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from viz.components.registered import FOLDER, code_version

ROOT = Path(__file__).parents[3]


def test_every_component_is_registered_with_streamlit() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["tool"]["streamlit"]["component"]["components"]
    folders = [view.parent.name for view in FOLDER.rglob("view.mjs") if (view.parent / "__init__.py").exists()]
    assert [component["name"] for component in listed] == sorted([*folders, "views"])
    assert {ROOT / component["asset_dir"] for component in listed} == {FOLDER}


def test_what_the_browser_loads_has_a_view_of_every_component() -> None:
    views = (FOLDER / "views.mjs").read_text(encoding="utf-8")
    folders = [view.parent.name for view in FOLDER.rglob("view.mjs") if (view.parent / "__init__.py").exists()]
    assert sorted(re.findall(r"^  (\w+)(?:,|: )", views, flags=re.MULTILINE)) == sorted(folders)


Files = st.dictionaries(st.sampled_from(["a.mjs", "b.mjs", "b/a.mjs", "a.css"]), st.binary(max_size=3))


@given(before=Files, after=Files)
def test_versions_differ_where_files_do(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        versions = [code_version(written(files, Path(at))) for files, at in ((before, first), (after, second))]
    assert (versions[0] == versions[1]) == (before == after)


def test_python_files_are_no_part_of_the_version(tmp_path: Path) -> None:
    before = code_version(written({"view.mjs": b""}, tmp_path))
    (tmp_path / "__init__.py").write_text("")
    assert code_version(tmp_path) == before


def written(files: dict[str, bytes], folder: Path) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return folder
