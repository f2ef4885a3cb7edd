"""What the app says, shows and offers, compared with an earlier commit: `make golden`.

A record has some 100 selections (`tests.golden.selections`): pages with their sentences, charts, tables, downloads and
messages to the browser, and slides, saved pages, notebooks and claims. Compare after each step of a refactoring. A
difference is intended, or it is a defect.

Sentences are compared to the letter, and numbers of charts, tables and messages to 1 in 500
(`tests.golden.differences`), so that neither the number of threads nor another processor makes a difference, unless a
number in a sentence lies on the edge between two last digits. Each record takes a minute or two on two cores. It is no
part of `make test`.
"""

from __future__ import annotations

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HEADLIGHT_CACHE"] = "off"

from tests.golden.differences import HEADER, differences, sections

ROOT = Path(__file__).parents[2]
logger = logging.getLogger("golden")


def main(arguments: list[str] | None = None) -> int:
    """Compare or record. The exit code is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__.partition("\n")[0])
    parser.add_argument("commit", nargs="?", default="main", help="compared is the last commit in common with it")
    parser.add_argument("--only", nargs="+", default=(), help="names of selections, with * for any letters; else all")
    parser.add_argument("--record", type=Path, help="write what this checkout says to a file instead")
    parser.add_argument("--file", type=Path, help="compare with such a file instead of with a commit")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stdout)
    logger.setLevel(logging.INFO)
    if given.record:
        lines = recorded(given.only)
        given.record.write_text("\n\n".join(_written(*each) for each in lines) + "\n", encoding="utf-8")
        return 0
    before = sections(given.file.read_text(encoding="utf-8") if given.file else record_of(given.commit, given.only))
    after = dict(recorded(given.only))
    found = list(differences({name: before.get(name, []) for name in (after if given.only else before)}, after))
    logger.info("\n".join(found) or f"No difference in {len(after)} selections.")
    return 1 if found else 0


def record_of(commit: str, only: Sequence[str]) -> str:
    """The record of the last commit that this checkout has in common with another, made in a checkout of its own."""
    base = _git("merge-base", "HEAD", commit)
    logger.info("Recording %s ...", _git("log", "-1", "--format=%h %s", base))
    with tempfile.TemporaryDirectory(prefix="headlight-golden-") as folder:
        checkout, record = Path(folder, "checkout"), Path(folder, "record.txt")
        _git("worktree", "add", "--quiet", "--detach", str(checkout), base)
        try:
            command = [sys.executable, "-m", "tests.golden", "--record", str(record)]
            subprocess.run([*command, *(["--only", *only] if only else [])], cwd=checkout, check=True)
        finally:
            _git("worktree", "remove", "--force", str(checkout))
        return record.read_text(encoding="utf-8")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def recorded(only: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
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
