"""How a page without a server reads a text: as Python does, character by character."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from encoder import Backend
from encoder.text.readings import is_unknown, reading_of
from encoder.text.tokens import Tokens
from tests.viz.site.node import run_node
from viz.site.build import tokenizer_file, vocabulary_facts
from viz.wording.readings import LOSSES, reading_in_words, unknown_words

TEXTS = (  # of scripts with spaces: nothing finds words of the others there
    "time flies",
    "Über café! T\x10his is naïve, cafe\u0301",
    "I love it👩‍💻! great👍🏽film soft\u00adhyphen \u200bz 😂😂😂 🇩🇪",
    "यहाँ 마실 \u1106\u1161\u1109\u1175\u11af ΐ",
    "[MASK] of [UNK] [SEP] x ##ing",
    "unbelievableness don't",
    "The Film: $5+3=8 ... (ok) </script><b>",
    "שָׁלוֹם كان الفيلم Ångström İstanbul ΟΔΟΣ straße",
    "a " + "electroencephalographically " * 100,
    "one 🙂" * 600,
)


def rows_of(tokens: Tokens) -> Any:
    """The words of each text: names, characters and pieces."""

    def kind(position: int) -> str:
        return "special" if tokens.special[position] else "unknown" if is_unknown(tokens, position) else "piece"

    return [
        [
            [
                [tokens.words[index] for index in word.words],
                [[each.typed, each.change] for each in word.characters],
                [[tokens.ids[position], kind(position)] for position in word.positions],
            ]
            for word in words
        ]
        for words in reading_of(tokens).sentences
    ]


def rows_in_browser(texts: Any) -> Any:
    """The same as the browser found it."""
    return [
        [
            [
                word["names"],
                [[each["typed"], each["change"]] for each in word["characters"]],
                [[piece["id"], piece["kind"]] for piece in word["pieces"]],
            ]
            for word in words
        ]
        for words in texts
    ]


def test_texts_and_pairs_are_read_as_in_python(bundled: Backend, tmp_path: Path) -> None:
    texts = [*((text,) for text in TEXTS), *pairwise(TEXTS)]
    given = tokenizer_file(bundled.tokenizer), texts, vocabulary_facts(bundled.tokenizer), dict(LOSSES)
    for text, mine in zip(texts, run_node("readings.mjs", tmp_path, *given), strict=True):
        tokens = bundled.tokenize(*text)
        reading = reading_of(tokens)
        assert rows_in_browser(mine["texts"]) == rows_of(tokens), text
        assert mine["counts"] == dict(reading.counts)
        assert mine["said"] == reading_in_words(reading, "The model")
        assert mine["unknown"] == unknown_words(tokens).replace("\\", "")
