"""The room that an answer has: on the page, which scrolls, or at a stop of a tour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much an answer may show.

    Attributes:
        rows: dots, words, maps or rows of a table, at most; None for as many as the page shows.
        characters: of a text in a table; None for all.
    """

    rows: int | None = None
    characters: int | None = None


PAGE: Final = Room()
STOP: Final = Room(rows=7, characters=54)
