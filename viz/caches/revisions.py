"""A model's name with the revision of its files, as in "/models/mine@3f2a91c07d5e": the key of all caches.

A checkpoint that is trained further keeps its name. The revision separates its runs, messages and jobs from those of
the earlier files, and a page that is being rendered continues with the files that it began with. Names of shipped
models have no revision.
"""

from __future__ import annotations

from encoder.models.files import revision_of
from viz import permitted

SEPARATOR = "@"
_REVISED: dict[str, str] = {}  # names without revision, by the name with it


def current(name: str) -> str:
    """The name with the current revision of its files.

    A name that has one, and one that a visitor may not open, is returned unchanged.
    """
    folder = None if name in _REVISED else permitted.folder_of(name)
    if folder is None:
        return name
    revised = f"{name}{SEPARATOR}{revision_of(folder)}"
    _REVISED[revised] = name
    return revised


def unrevised(name: str) -> str:
    """The name without its revision."""
    return _REVISED.get(name, name)


def is_current(name: str) -> bool:
    """Whether the files of a model still have the revision in its name."""
    return current(unrevised(name)) == name
