"""How a page without a server reads texts: as Python does, character by character."""

from __future__ import annotations

import copy
import random
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tokenizers.normalizers import BertNormalizer

import encoder
from encoder.errors import InputError
from encoder.measures.units import units_of
from encoder.models.base import Backend
from encoder.text import words
from encoder.text.readings import is_unknown, reading_of
from encoder.text.tokens import Tokens
from tests.thorough import THOROUGH
from tests.viz.site.node import run_node
from viz.payloads.layer import unit_extras
from viz.payloads.tokens import payload
from viz.site.build import tokenizer_file, vocabulary_facts
from viz.site.characters import characters
from viz.wording.readings import LOSSES, reading_in_words, unknown_words

LINES = 4_000 if THOROUGH else 320
DOTTED_CIRCLE = "◌"  # which Python puts below a mark at a word's start
COMPARED = 70  # characters of a word: Python shortens it with its circle
# Letters of many scripts, accents, control and format characters, ideographs, private ones, emoji and tags.
POOLS = (
    *(range(32, 127), range(0x250), range(0x300, 0x370), range(0x370, 0x600), range(0x600, 0x700)),
    *(range(0x900, 0xE80), range(0x1000, 0x2000), range(0x2000, 0x2100), range(0x3000, 0x3100)),
    *(range(0x4E00, 0x9FFF), range(0xAC00, 0xD7A0), range(0xE000, 0xE010), range(0xFE00, 0x10000)),
    *(range(0x10000, 0x12000), range(0x1F300, 0x1FA00), range(0x20000, 0x20100), range(0xE0000, 0xE0080)),
)
WORDS = (
    *("time", "flies", "Ångström", "don't", "[MASK]", "[SEP]", "İstanbul", "straße", "ΟΔΟΣ", "##ing", "ﬁ", "x" * 120),
    *("👨‍👩‍👧", "🇩🇪", "e\u0301", "\u00a0", "\u200b", "\ufeff", "\u3000"),
)

READ = (  # of scripts with spaces: nothing finds words of the others there
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


@pytest.fixture(scope="module")
def written(bundled: Backend) -> Any:
    """The tokenizer as the site's file has it; all characters of Unicode take seconds."""
    return tokenizer_file(bundled.tokenizer)


def lines() -> list[str]:
    chance = random.Random(0)

    def word() -> str:
        pool = chance.choice(POOLS)
        return "".join(chr(chance.choice(pool)) for _ in range(chance.randint(1, 8)))

    some = [
        chance.choice(("", " ")).join(
            chance.choice(WORDS) if chance.random() < 0.3 else word() for _ in range(chance.randint(1, 9))
        )
        for _ in range(LINES)
    ]
    return [
        *some,
        "one " * 600,
        "a " + "electroencephalographically " * 100,
        "a " + "don't " * 200,
        "one 🙂" * 600,
        "",
        " \u200b",
    ]


def pairs() -> list[list[str]]:
    """A quarter of the lines in twos, and pairs of which one or both are too long."""
    read = lines()[: LINES // 4]
    long, short = "one two-three " * 300, "don't [MASK] stop"
    return [*map(list, zip(read[::2], read[1::2], strict=True)), [long, short], [short, long], [long, long + "four"]]


def without_circle(word: str) -> str:
    return word.removeprefix(DOTTED_CIRCLE)


def in_python(model: Backend, texts: list[str]) -> dict[str, Any]:
    try:
        tokens = model.tokenize(*texts)
    except InputError as error:
        return {"empty": "AB".index(str(error).removeprefix("Sentence ")[0])}
    of_words = unit_extras(units_of(tokens, level="words", special="hide"))
    strip = payload(tokens, run="pair")
    read = sorted({token["word"] for token in strip["tokens"]} - {None})  # the browser has words with a token only
    for token in strip["tokens"]:
        token["word"] = None if token["word"] is None else read.index(token["word"])
    strip["words"] = [without_circle(strip["words"][word])[:COMPARED] for word in read]
    return {
        "ids": list(tokens.ids),
        "types": list(tokens.token_type_ids),
        "units": unit_extras(units_of(tokens)) | {"labels": list(tokens.pieces)},
        "cut": list(tokens.truncated),
        "strip": strip if len(texts) > 1 else None,
        "of_words": of_words | {"labels": list(map(without_circle, of_words["labels"]))},
    }


def test_wordpieces_and_words_of_texts_and_pairs_are_those_of_python(
    bundled: Backend, written: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In scripts without spaces, every wordpiece is a word in the browser.
    monkeypatch.setattr(words, "_SEGMENTERS", dict.fromkeys(words.NAMES, lambda text, run: None))
    texts = [*([line] for line in lines()), *pairs()]
    given = written, texts, vocabulary_facts(bundled.tokenizer)
    for read, mine in zip(texts, run_node("wordpieces.mjs", tmp_path, *given), strict=True):
        for name in ("words", "names", "spans"):  # which the next test compares
            mine.pop(name, None)
        if mine.get("strip"):
            mine["strip"]["words"] = [word[:COMPARED] for word in mine["strip"]["words"]]
        assert mine == in_python(bundled, read), ascii(read)


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


def test_texts_and_pairs_are_read_as_in_python(bundled: Backend, written: Any, tmp_path: Path) -> None:
    texts = [*((text,) for text in READ), *pairwise(READ)]
    given = written, texts, vocabulary_facts(bundled.tokenizer), dict(LOSSES)
    for text, mine in zip(texts, run_node("readings.mjs", tmp_path, *given), strict=True):
        tokens = bundled.tokenize(*text)
        reading = reading_of(tokens)
        assert rows_in_browser(mine["texts"]) == rows_of(tokens), text
        assert mine["counts"] == dict(reading.counts)
        assert mine["said"] == reading_in_words(reading, "The model")
        assert mine["unknown"] == unknown_words(tokens).replace("\\", "")


def test_a_capital_sigma_is_lowercased_where_the_tokenizer_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viz.site.characters.sys", SimpleNamespace(maxunicode=ord("Ͽ")))  # the Greek letters end there
    model = encoder.load("scratch-bert")
    assert read_as("Σ", model.tokenizer.inner) == "σ"
    cased = copy.deepcopy(model.tokenizer.inner)
    cased.backend_tokenizer.normalizer = BertNormalizer(lowercase=False)
    assert read_as("Σ", cased) == "Σ"


def read_as(character: str, tokenizer: Any) -> str | None:
    ranges = characters(tokenizer.backend_tokenizer)
    return next(each.read for each in reversed(ranges) if each.first <= ord(character))
