"""Results that are tables: a line in a console, a table in a notebook, and a pandas frame, all made of columns."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from reprlib import Repr
from typing import Any, Final

import numpy as np

from encoder.extras import name_missing_extra

MOST_ROWS: Final = 20  # of the table in a notebook
MOST_NAMES: Final = 6  # of columns in the line
SHORT: Final = Repr()
SHORT.maxstring = 60  # characters of a text


class Columns(ABC):
    """A result with columns."""

    __slots__ = ()

    @property
    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """Columns with a value for each row, for `pandas.DataFrame`."""

    @property
    def about(self) -> str:
        """What the table is of, in a few words; "" if its columns say so."""
        return ""

    @property
    def rest(self) -> dict[str, Any]:
        """What the rows are a part of, and what else belongs to it, by name."""
        return {}

    def frame(self) -> Any:
        """The columns as a pandas frame, whose `attrs` are the `rest`.

        Raises:
            InstallationError: pandas is not installed.
        """
        with name_missing_extra():
            import pandas as pd

        frame = pd.DataFrame(self.columns)
        frame.attrs = self.rest
        return frame

    def __repr__(self) -> str:
        columns = self.columns
        names = ", ".join([*columns][:MOST_NAMES]) + (", …" if len(columns) > MOST_NAMES else "")
        named = f"{type(self).__name__} {self.about}".strip()
        return f"<{named}: {_count(columns)} rows of {names}; .frame()>"

    def _repr_html_(self) -> str:
        columns = self.columns
        rows = zip(*(list(column[:MOST_ROWS]) for column in columns.values()), strict=True)
        lines = [_line("th", columns), *(_line("td", row) for row in rows)]
        rest = _count(columns) - MOST_ROWS
        more = f"<p>{rest:,} more rows: <code>.frame()</code> has all.</p>" if rest > 0 else ""
        return f"<p>{html.escape(repr(self))}</p><table>{''.join(lines)}</table>{more}"


def _count(columns: dict[str, Any]) -> int:
    return len(next(iter(columns.values()), ()))


def _line(tag: str, cells: Any) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(_text(cell))}</{tag}>' for cell in cells)}</tr>"


def _text(cell: Any) -> str:
    return f"{cell:.4g}" if isinstance(cell, float | np.floating) else str(cell)
