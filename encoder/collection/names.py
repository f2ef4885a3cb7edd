"""Names that links use, without what takes long to import."""

from __future__ import annotations

from typing import Literal

What = Literal["predictions", "words", "heads", "vectors"]  # what a run over a table writes
SwapMeasure = Literal["class", "score", "cosine", "masked word", "tag"]
SwapTable = Literal["swaps", "templates", "heads"]  # what a table of swaps has a row for
# A word as it is written; or any inflection of it, in English or in another language.
WordForms = Literal[
    "form",
    "inflections",
    "Czech",
    "Danish",
    "Dutch",
    "Finnish",
    "French",
    "German",
    "Greek",
    "Italian",
    "Polish",
    "Portuguese",
    "Romanian",
    "Russian",
    "Spanish",
    "Swedish",
    "Turkish",
    "Ukrainian",
]
