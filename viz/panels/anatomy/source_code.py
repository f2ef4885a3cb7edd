"""The code that did a step, read out of its file."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class SourceCode:
    """A piece of our own code: the file, its first line there, and the text."""

    file: str
    line: int
    code: str


def source_of(definition: type | Callable[..., Any]) -> SourceCode:
    """The source of a class or function, read now."""
    plain = inspect.unwrap(definition)  # a decorator of torch would name its own file
    lines, first = inspect.getsourcelines(plain)
    file = inspect.getsourcefile(plain)
    return SourceCode(
        file=Path(file).relative_to(ROOT).as_posix() if file else "",
        line=first,
        code=textwrap.dedent("".join(lines)).rstrip(),
    )
