"""Names of models for the page and for files."""

from __future__ import annotations

from encoder.offers import CATALOGUE, WRITERS
from encoder.shipped.names import SCRATCH, STEP_PREFIX

_NAMED = CATALOGUE | WRITERS


def title_of_model(name: str) -> str:
    """The model's title in the catalogue, with the step of one that is in training; or its name."""
    if name.startswith(STEP_PREFIX):
        return f"{CATALOGUE[SCRATCH].title}, step {name.removeprefix(STEP_PREFIX)}"
    return _NAMED[name].title if name in _NAMED else name
