"""Wordpieces of a page without a server: those of Python, for thousands of lines of any characters."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import encoder
from encoder.errors import InputError
from encoder.models.base import Backend
from viz.site.build import tokenizer_file, vocabulary_facts

SCRIPT = Path(__file__).with_name("wordpieces.mjs")
NODE = Path(".venv/bin/node")
LINES = 4_000
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
    return [*some, "one " * 600, "one 🙂" * 600, "", " \u200b"]


def in_python(model: Backend, text: str) -> list[Any] | None:
    try:
        tokens = model.tokenize(text)
    except InputError:
        return None
    return [list(tokens.ids), list(tokens.pieces), list(tokens.special), tokens.truncated[0]]


def test_wordpieces_are_those_of_python(tmp_path: Path) -> None:
    model = encoder.load("scratch-bert")
    given = {"tokenizer": tokenizer_file(model.tokenizer), "texts": lines(), "facts": vocabulary_facts(model.tokenizer)}
    paths = [tmp_path / f"{name}.json" for name in given]
    for path, value in zip(paths, given.values(), strict=True):
        path.write_text(json.dumps(value), encoding="utf-8")
    ran = subprocess.run([NODE, SCRIPT, *paths], capture_output=True, text=True, encoding="utf-8", check=True)
    found = [
        text and [text["ids"], text["units"]["labels"], text["units"]["special"], text["cut"]]
        for text in json.loads(ran.stdout)
    ]
    for text, mine in zip(given["texts"], found, strict=True):
        assert mine == in_python(model, text), ascii(text)
