"""The tours that ship, by the names that an address has for them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from viz.tours.files import parse_tour
from viz.tours.texts import read_title
from viz.tours.tour import Tour

FOLDER = Path(__file__).parent
# In the order in which they are offered.
NAMES = (
    "time-flies",
    "twelve-steps",
    "heads",
    "decoder",
    "explanation",
    "cuts",
    "trust",
    "my-model-is-wrong",
    "search",
)


@cache
def shipped_tour(name: str) -> Tour:
    """A tour of `NAMES`."""
    return parse_tour(path_of(name).read_text(encoding="utf-8"))


@cache
def title_of(name: str) -> str:
    """The title of a tour of `NAMES`, without reading all of it."""
    with path_of(name).open(encoding="utf-8") as file:
        return read_title(file.readline().lstrip("#"))


def path_of(name: str) -> Path:
    """The file of a tour of `NAMES`."""
    return FOLDER / f"{name}.md"
