"""Record what the app says, shows and offers, or check that it still does: `python -m tests.golden record|check`.

The golden file has some 100 selections (`tests.golden.selections`): pages with their sentences, charts, tables,
downloads and messages to the browser, and slides, saved pages, notebooks and claims. It is recorded once before a
refactoring and checked after each of its steps. A difference is intended, and then listed in the step's note and
recorded, or it is a defect.

Sentences are compared to the letter, and numbers of charts, tables and messages to 1 in 500
(`tests.golden.differences`), so that neither the number of threads nor another processor makes a difference, unless a
number in a sentence lies on the edge between two last digits. It takes about a minute on two cores, and is no part of
`make test`.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HEADLIGHT_CACHE"] = "off"

from tests.golden.differences import HEADER, differences, sections

GOLDEN = Path(__file__).parent / "golden.txt"
logger = logging.getLogger("golden")


def main(arguments: list[str] | None = None) -> int:
    """Record or check. The exit code is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__.partition("\n")[0])
    parser.add_argument("mode", choices=("record", "check"))
    parser.add_argument("only", nargs="*", help="names of selections, with * for any letters; else all")
    parser.add_argument("--file", type=Path, default=GOLDEN, help="another file than tests/golden/golden.txt")
    given = parser.parse_intermixed_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stdout)
    logger.setLevel(logging.INFO)
    before = sections(given.file.read_text(encoding="utf-8")) if given.file.exists() else {}
    after = dict(recorded(given.only))
    if given.mode == "record":
        kept = {**before, **after} if given.only else after
        given.file.write_text("\n\n".join(map(_written, kept, kept.values())) + "\n", encoding="utf-8")
        logger.info("%d selections, %d bytes", len(kept), given.file.stat().st_size)
        return 0
    found = list(differences({name: before.get(name, []) for name in (after if given.only else before)}, after))
    logger.info("\n".join(found) or f"No difference in {len(after)} selections.")
    return 1 if found else 0


def recorded(only: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The lines of each selection, or of those with such names."""
    from tests.golden.commands import made
    from tests.golden.page import app, facts_of_page
    from tests.golden.selections import PAGES

    with app() as offered:
        pages = {selection.name: partial(facts_of_page, selection, offered) for selection in PAGES}
        for name, facts in {**pages, **made()}.items():
            if not only or any(fnmatch(name, pattern) for pattern in only):
                start = time.monotonic()
                lines = list(facts())
                yield name, lines
                logger.info("%5.1f s  %5d lines  %s", time.monotonic() - start, len(lines), name)


def _written(name: str, lines: list[str]) -> str:
    return "\n".join([f"{HEADER}{name}", *lines])


if __name__ == "__main__":
    sys.exit(main())
