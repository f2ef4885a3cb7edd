"""Labels of the text settings and their options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

READING: Final = "Read the sentences"
MODES: Final[Mapping[str, str]] = {"separate": "One at a time", "pair": "Together, as one input"}
SHOWING: Final = "Show the text as"
LEVELS: Final[Mapping[str, str]] = {"wordpieces": "Word pieces", "words": "Whole words"}
SPECIAL_TOKENS: Final = "[CLS] and [SEP]"
SPECIALS: Final[Mapping[str, str]] = {"show": "Show", "hide": "Hide", "renormalise": "Hide and rescale"}
TAGS: Final = "Noun, verb, … under the tokens"
OWN_SENTENCES: Final = "Your own sentences"


def probe_title(tags: int | str) -> str:
    """The probe that reads the parts of speech under the tokens: after a layer, of "all" layers, or none, "off"."""
    if isinstance(tags, int):
        return f"Read after layer {tags - 1}" if tags else "Read from the embeddings"
    return {"off": "Off", "all": "Read from all layers"}[tags]
