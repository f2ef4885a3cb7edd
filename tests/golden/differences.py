"""How two golden files differ: by selection, and beyond the noise of the last digits.

Numbers behind "≈" are equal where they differ by no more than `RELATIVE` of themselves or `ABSOLUTE` of the largest
number of their line. Everything else is compared to the letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher, unified_diff

from tests.golden.facts import MARK

RELATIVE, ABSOLUTE = 2e-3, 2e-4
HEADER = "== "
CONTEXT = 2  # lines around a difference


def sections(file: str) -> dict[str, list[str]]:
    """The lines of a golden file under the headers of their selections."""
    found: dict[str, list[str]] = {}
    for line in file.splitlines():
        if line.startswith(HEADER):
            found[line.removeprefix(HEADER)] = []
        elif line and found:
            next(reversed(found.values())).append(line)
    return found


def differences(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> Iterator[str]:
    """The lines of a unified diff, for every selection that differs."""
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name, []), after.get(name, [])
        yield from unified_diff(old, settled(old, new), f"{name} (recorded)", f"{name} (now)", lineterm="", n=CONTEXT)


def settled(old: list[str], new: list[str]) -> list[str]:
    """The new lines; where only the noise of numbers differs, the old ones."""
    lines = list(new)
    matcher = SequenceMatcher(None, [_words(line) for line in old], [_words(line) for line in new], autojunk=False)
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            if _are_close(old[block.a + offset], new[block.b + offset]):
                lines[block.b + offset] = old[block.a + offset]
    return lines


def _words(line: str) -> str:
    return line.rpartition(MARK)[0] or line


def _are_close(old: str, new: str) -> bool:
    """Whether two lines with the same words have the same numbers."""
    if old == new:
        return True
    before, after = ([float(each) for each in line.rpartition(MARK)[2].split()] for line in (old, new))
    if len(before) != len(after):
        return False
    largest = max(map(abs, before), default=0.0)
    return all(
        abs(one - other) <= max(RELATIVE * abs(one), ABSOLUTE * largest)
        for one, other in zip(before, after, strict=True)
    )
