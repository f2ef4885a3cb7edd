"""The names of the settings of texts, and of their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

READING: Final = "Read the sentences"
MODES: Final[Mapping[str, str]] = {"separate": "One at a time", "pair": "Together, as one input"}
SHOWING: Final = "Show the text as"
LEVELS: Final[Mapping[str, str]] = {"wordpieces": "Word pieces", "words": "Whole words"}
SPECIAL_TOKENS: Final = "[CLS] and [SEP]"
SPECIALS: Final[Mapping[str, str]] = {"show": "Show", "hide": "Hide", "renormalise": "Hide and rescale"}
OWN_SENTENCES: Final = "Your own sentences"
