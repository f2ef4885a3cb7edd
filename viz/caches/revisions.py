"""A model's name with the revision of its files, as in "/models/mine@3f2a91c07d5e": what all that is cached goes by.

A checkpoint that is trained further keeps its name. With the revision in it, its runs, messages and jobs are others
than those of the files before, and a page that is still being rendered goes on with the files that it began with.
Names of models that ship have no revision.
"""

from __future__ import annotations

from encoder.models.files import revision_of
from encoder.offers import folder_of

SEPARATOR = "@"
_REVISED: dict[str, str] = {}  # names without their revision, by the name with it


def current(name: str) -> str:
    """The name with the revision that its files have now; a name that has one is returned as it is."""
    folder = None if name in _REVISED else folder_of(name)
    if folder is None:
        return name
    revised = f"{name}{SEPARATOR}{revision_of(folder)}"
    _REVISED[revised] = name
    return revised


def unrevised(name: str) -> str:
    """The name that `encoder.load` takes."""
    return _REVISED.get(name, name)


def is_current(name: str) -> bool:
    """Whether the files of a model are those that its name was made of."""
    return current(unrevised(name)) == name
