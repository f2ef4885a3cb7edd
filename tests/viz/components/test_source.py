"""Components' scripts: every shared module once, in front of the view that imports it."""

import re
from pathlib import Path

import pytest

from viz.components.source import script

COMPONENTS = Path(__file__).parents[3] / "viz" / "components"
VIEWS = sorted(path for path in COMPONENTS.glob("*/view.mjs"))


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_shared_modules_come_first_and_once(tmp_path: Path) -> None:
    write(tmp_path, "shared/a.mjs", "export const a = 1;\n")
    write(tmp_path, "shared/b.mjs", 'import { a } from "./a.mjs";\n\nexport function b() { return a; }\n')
    view = write(
        tmp_path,
        "view/view.mjs",
        'import { b } from "../shared/b.mjs";\n'
        'import { a } from "../shared/a.mjs";\n'
        "export default function () { b(a); }\n",
    )
    assert script(view) == ("const a = 1;\n\nfunction b() { return a; }\nexport default function () { b(a); }\n")


def test_a_shared_module_that_is_missing_is_an_error(tmp_path: Path) -> None:
    view = write(tmp_path, "view/view.mjs", 'import { a } from "../shared/a.mjs";\n')
    with pytest.raises(FileNotFoundError, match=r"a\.mjs"):
        script(view)


@pytest.mark.parametrize("view", VIEWS, ids=lambda path: path.parent.name)
def test_nothing_is_left_to_import_and_no_name_is_taken_twice(view: Path) -> None:
    text = script(view)
    assert not re.search(r"^import ", text, re.MULTILINE)
    names = re.findall(r"^(?:export )?(?:function|class|const|let) (\w+)", text, re.MULTILINE)
    assert sorted(names) == sorted(set(names))
