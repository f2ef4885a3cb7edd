"""Which part of a large tensor is drawn: the one around the chosen cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from viz.panels.anatomy.shown import Shown

MOST_TOKENS = 40  # rows that the page names in full
MOST_COLUMNS = 384
TOKENS = ("token", "query", "key")
ALIKE = {"query": "token"}  # a token that looks; one that is looked at is another
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Window:
    """Positions `start` to `stop` - 1 of `count`."""

    start: int
    stop: int
    count: int

    @property
    def part(self) -> slice:
        """The same as a slice."""
        return slice(self.start, self.stop)

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self.stop - self.start == self.count


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """The tensor of a step whose cells are worked out, and the cell that is."""

    shown: Shown
    cell: Cell

    def same_axes(self, other: Shown) -> tuple[bool, bool]:
        """Whether another tensor's rows, and its columns, count the same things as those of this one."""
        (rows, columns), (other_rows, other_columns) = self.shown.array.shape, other.array.shape
        return (
            rows == other_rows and ALIKE.get(self.shown.rows, self.shown.rows) == ALIKE.get(other.rows, other.rows),
            columns == other_columns and self.shown.columns == other.columns,
        )

    def mark(self, other: Shown) -> tuple[int | None, int | None]:
        """The row and the column of another tensor that the chosen cell lies in."""
        rows, columns = self.same_axes(other)
        return self.cell[0] if rows else None, self.cell[1] if columns else None


def window(position: int, count: int, most: int) -> Window:
    """The part of `most` positions that holds one.

    It moves in steps of half its size, so that it stays where it is while somebody chooses near its middle.
    """
    half = most // 2
    step = max(0, position - half // 2) // half * half
    start = max(0, min(step, count - most))
    return Window(start, min(start + most, count), count)


def windows(shown: Shown, opened: Opened | None, *, most_tokens: int = MOST_TOKENS) -> tuple[Window, Window]:
    """Which rows and columns of a tensor are drawn.

    Tokens are always those around the chosen row, also where the axis counts others than it does.

    Args:
        most_tokens: rows, and columns that are tokens, which are drawn at once.
    """
    rows, columns = shown.array.shape
    row, column = opened.mark(shown) if opened else (None, None)
    near = opened.cell[0] if opened and opened.shown.rows in TOKENS else 0
    by_token = shown.columns in TOKENS
    return (
        window(row if row is not None else near if shown.rows in TOKENS else 0, rows, most_tokens),
        window(
            column if column is not None else near if by_token else 0,
            columns,
            most_tokens if by_token else MOST_COLUMNS,
        ),
    )


def token_window(opened: Opened | None, count: int) -> Window:
    """The part of `count` tokens that holds the row of the chosen cell."""
    return window(opened.cell[0] if opened else 0, count, MOST_TOKENS)


def ranges_in_words(drawn: Iterable[tuple[Window, Window]]) -> str:
    """Which rows and columns of some pictures are drawn, in a sentence; "" where all are."""
    pairs = list(drawn)
    axes = {"rows": [rows for rows, _ in pairs], "columns": [columns for _, columns in pairs]}
    ranges = []
    for name, axis in axes.items():
        cut = dict.fromkeys(_range(window) for window in axis if not window.whole)
        if cut:
            ranges.append(f"{name} {' and '.join(cut)}")
    if not ranges:
        return ""
    both = " and ".join(ranges)
    return f"{both[0].upper()}{both[1:]} are drawn, those around the chosen cell; choose another, and they follow."


def _range(window: Window) -> str:
    return f"{window.start:,} to {window.stop - 1:,} of {window.count:,}"
