"""The JavaScript of a component as one text: its own module, behind the modules that it imports.

Streamlit takes a component's code as one text, in which a browser cannot import another file. Each imported module
therefore becomes a function that runs once and returns its exports, and its importers read them from there. Every
module keeps its own scope, as it has in a browser, so equal names in two files do not clash.

Imports and exports are recognised by the way their lines begin, which is where Prettier puts them (`make lint`). The
forms that are accepted are `_IMPORT`, `_EXPORT` and, in the component's own module, one default export. Everything else
is refused with file and line. Comment lines and indentation are left out, so that browsers are not sent them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_COMMENT: Final = re.compile(r"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)$", re.MULTILINE)
_IMPORT: Final = re.compile(r'^import \{([^{}]*)\} from "(\.{1,2}/[\w./-]+\.mjs)";$', re.MULTILINE)
_IMPORTED: Final = re.compile(r"(\w+)(?: as (\w+))?")
_EXPORT: Final = re.compile(r"^export (?=(?:(?:async )?function\*?|class|const) (\w+))", re.MULTILINE)
_DEFAULT: Final = re.compile(r"^export default\b", re.MULTILINE)
_REFUSED: Final = re.compile(r"^[ \t]*(?:import|export)\b(?! default\b).*|^.*\bimport\s*\(.*", re.MULTILINE)


class SourceError(ValueError):
    """A module that cannot become part of one text; the message names file and line."""


@dataclass(frozen=True, slots=True)
class _Module:
    """One file without its import statements and without the word `export`."""

    imports: tuple[tuple[Path, Mapping[str, str]], ...]  # file, and its names to those that they have here
    exports: tuple[str, ...]
    body: str
    has_default: bool


def script(path: Path) -> str:
    """The text of an ES module with everything that it imports, directly or not, each file once.

    Args:
        path: a component's own module, which has the default export.
    Raises:
        SourceError: a file has a form of import or export that is not accepted, imports what is not exported, or
            imports itself through others.
        FileNotFoundError: a file that is imported is not there.
    """
    entry = path.resolve()
    modules: dict[Path, _Module] = {}
    _collect(entry, modules, ())
    variables = {file: f"${index}_{file.stem}" for index, file in enumerate(modules) if file != entry}
    own = modules.pop(entry)
    functions = [_function(variables[file], module, variables) for file, module in modules.items()]
    return "".join(functions) + _imports(own, variables) + own.body


def style(path: Path) -> str:
    """A component's style sheet, behind the one that all of them share."""
    shared = Path(__file__).parent / "shared" / "common.css"
    return shared.read_text(encoding="utf-8") + path.read_text(encoding="utf-8")


def _collect(path: Path, modules: dict[Path, _Module], importers: tuple[Path, ...]) -> None:
    """Add a file to `modules`, behind everything that it imports."""
    if path in modules:
        return
    if path in importers:
        circle = " → ".join(file.name for file in (*importers[importers.index(path) :], path))
        raise SourceError(f"{path}: the file imports itself ({circle}); move what both need into a third one")
    module = _read(path)
    if importers and module.has_default:
        raise SourceError(f"{path}: a default export is only for a component's own module; export it by name")
    for file, names in module.imports:
        _collect(file, modules, (*importers, path))
        missing = sorted(set(names) - set(modules[file].exports))
        if missing:
            raise SourceError(f"{path} imports {', '.join(missing)} from {file}, which does not export that")
    modules[path] = module


def _read(path: Path) -> _Module:
    code = _without_comment_lines(path)
    imports = tuple(
        ((path.parent / match[2]).resolve(), {name: local or name for name, local in _IMPORTED.findall(match[1])})
        for match in _IMPORT.finditer(code)
    )
    body = _IMPORT.sub(_empty_lines, code)
    exports = tuple(_EXPORT.findall(body))
    body = _EXPORT.sub("", body)
    refused = _REFUSED.search(body)
    if refused:
        raise SourceError(f"{_place(path, body, refused.start())}: this form is not accepted: {refused[0].strip()}")
    body = "".join(f"{line.strip()}\n" for line in body.splitlines() if line)
    return _Module(imports, exports, body, _DEFAULT.search(body) is not None)


def _without_comment_lines(path: Path) -> str:
    """A file's text with empty lines in place of those that are nothing but a comment.

    Raises:
        SourceError: a comment or a text begins after code and ends on another line. What looks like a comment, an
            import or indentation could be a part of it.
    """
    code = _COMMENT.sub(_empty_lines, path.read_text(encoding="utf-8"))
    for number, line in enumerate(code.splitlines(), start=1):
        if line.count("`") % 2 or line.rfind("/*") > line.rfind("*/") or line.endswith("\\"):
            raise SourceError(f"{path}, line {number}: a text or a comment goes on in another line: {line.strip()}")
    return code


def _empty_lines(match: re.Match[str]) -> str:
    """As many lines as were matched, so that a later message names the right one."""
    return "\n" * match[0].count("\n")


def _function(variable: str, module: _Module, variables: Mapping[Path, str]) -> str:
    """A module as a constant that holds its exports."""
    returned = f"return {{ {', '.join(module.exports)} }};\n"
    return f"const {variable} = (() => {{\n{_imports(module, variables)}{module.body}{returned}}})();\n"


def _imports(module: _Module, variables: Mapping[Path, str]) -> str:
    return "".join(
        f"const {{ {', '.join(f'{name}: {local}' for name, local in names.items())} }} = {variables[file]};\n"
        for file, names in module.imports
    )


def _place(path: Path, text: str, start: int) -> str:
    return f"{path}, line {text.count(chr(10), 0, start) + 1}"
