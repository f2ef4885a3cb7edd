"""The JavaScript of a component: its own module, with the shared ones that it imports put in front.

Streamlit takes a component's code as one text, and a browser cannot import another file beside a text. So the few
`import { … } from "../shared/name.mjs"` lines of a view become the files that they name: there is no build step, every
file stays a plain ES module, and tests import them as they lie.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

IMPORT: Final = re.compile(r'^import \{[^}]*\} from "(\.{1,2}/[\w./]+\.mjs)";\n', re.MULTILINE)
EXPORT: Final = re.compile(r"^export (?!default)", re.MULTILINE)


def script(path: Path) -> str:
    """The text of an ES module with everything that it imports, directly or not, each file once.

    Raises:
        FileNotFoundError: it imports a file that is not there.
    """
    parts: dict[Path, str] = {}
    _collect(path.resolve(), parts)
    own = parts.pop(path.resolve())
    return "".join(EXPORT.sub("", part) for part in parts.values()) + own


def style(path: Path) -> str:
    """A component's style sheet, behind the one that all of them share."""
    shared = Path(__file__).parent / "shared" / "common.css"
    return shared.read_text(encoding="utf-8") + path.read_text(encoding="utf-8")


def _collect(path: Path, parts: dict[Path, str]) -> None:
    if path in parts:
        return
    text = path.read_text(encoding="utf-8")
    for name in IMPORT.findall(text):
        _collect((path.parent / name).resolve(), parts)
    parts[path] = IMPORT.sub("", text)
