"""The collections that ship, by name. `shipped/README.md` says what is in them, and under which licence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from encoder.collection.files import UNBOUNDED, read_table
from encoder.collection.table import Collection
from encoder.errors import DataError

FOLDER: Final = Path(__file__).parent / "shipped"


class _Set(NamedTuple):
    title: str
    note: str
    text: str
    text_b: str | None = None
    label: str | None = None


SHIPPED: Final[Mapping[str, _Set]] = {
    "reviews": _Set("Reviews", "240 short reviews with a label, written for Headlight.", "text", label="label"),
    "words": _Set("Ambiguous words", "280 sentences about seven words with several meanings.", "text", label="sense"),
    "passages": _Set(
        "Queries and passages",
        "50 queries with three passages each, one of which answers it.",
        "query",
        text_b="text",
        label="relevant",
    ),
    "swaps": _Set("Templates with swaps", "86 templates in four sets, such as “{He|She} is a nurse.”", "template"),
    "negations": _Set("Negations", "200 sentences, each with its negation.", "text", text_b="text_b"),
}


@lru_cache
def shipped_collection(name: str) -> Collection:
    """A collection that ships. Raises DataError for another name."""
    if name not in SHIPPED:
        raise DataError(f"No collection is called {name!r}; these ship: {', '.join(SHIPPED)}.")
    about = SHIPPED[name]
    table = read_table((FOLDER / f"{name}.tsv").read_bytes(), f"{name}.tsv", bounds=UNBOUNDED).table
    return Collection.of(about.title, table, text=about.text, text_b=about.text_b, label=about.label, note=about.note)
