"""A tour as a file: Markdown with one `#` title, one `##` heading a stop, and a block of YAML under each of these.

Files are untrusted: reading one runs and opens nothing, and the size is limited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeVar

from encoder.errors import TourError
from viz.state.codecs import UnreadableError
from viz.state.fields import FIELDS
from viz.state.selection import OWN
from viz.tours.blocks import Scalar, Value, read_block, write_block
from viz.tours.grammar import GrammarError, format_claim, format_point, parse_claim, parse_point
from viz.tours.texts import UNREADABLE, TextError, read_title, read_words
from viz.tours.tour import Stop, Tour

LONGEST_FILE = 200_000  # characters
MOST_BYTES = 4 * LONGEST_FILE
MOST_STOPS = 100
MOST_CLAIMS = MOST_POINTS = 20  # of a stop
NOT_OF_A_STOP = ("tour", "stop", "stage")  # fields of the page for its position in a tour
TEXTS = ("question", "answer", "notes")
TO_FILL_IN = (*TEXTS, "points", "claims")
REVEALS, PICTURE = "reveals", "picture"  # the line of a stop whose picture is hidden until the answer
FIRST_TITLE = "My lesson"
NO_OWN_TABLE = "A stop carries no table of your own: it can show one that ships."
_HEADING = re.compile(r"#{1,2}(?=[ \t]|$)")
_ESCAPED_HEADING = re.compile(r"\\+#{1,2}(?=[ \t]|$)")
_ANY_HEADING = re.compile(r"\\*#{1,2}(?=[ \t]|$)")
_PLAIN_NUMBER = re.compile("0|[1-9][0-9]{0,8}")
_ENTRY = re.compile(r"[ \t]*-[ \t]|[ \t]+\S")  # of a list, or a line that continues one
_FENCE, _END_OF_FENCE = "```yaml", "```"

Read = TypeVar("Read")


def read_tour(data: bytes) -> Tour:
    """The tour in the bytes of a file. Raises what `parse_tour` does."""
    if len(data) > MOST_BYTES:
        raise TourError(1, f"The file is too large: a tour has at most {LONGEST_FILE:,} characters.")
    try:
        return parse_tour(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise TourError(data.count(b"\n", 0, error.start) + 1, "The file is no text in UTF-8.") from error


def parse_tour(text: str) -> Tour:
    """The tour in a file's text.

    Raises:
        TourError: it is not a tour; the message is one sentence with its line.
    """
    lines = _lines(text)
    headings = [number for number, line in enumerate(lines) if _HEADING.match(line)]
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if headings[:1] != [first] or lines[first].startswith("##"):
        raise TourError(first + 1, "A tour begins with “# ” and its title.")
    for number in headings[1:]:
        if not lines[number].startswith("##"):
            raise TourError(number + 1, "A tour has one title: a stop begins with “## ”.")
    if not 2 <= len(headings) <= MOST_STOPS + 1:
        raise TourError(len(lines), f"A tour has 1 to {MOST_STOPS} stops, each under “## ” and its title.")
    introduction, *stops = pairwise([*headings, len(lines)])
    return Tour(
        title=_title(lines[first], first),
        words=_words(lines, first + 1, introduction[1]),
        stops=tuple(_stop(lines, *stop) for stop in stops),
    )


def write_tour(tour: Tour) -> str:
    """The text of a tour's file, which `parse_tour` reads back."""
    return _joined(f"# {tour.title}", _escaped(tour.words), *map(_written, tour.stops)) + "\n"


def stop_lines(text: str) -> list[int]:
    """The lines in which stops begin, counted from 0: also of a text that `parse_tour` refuses."""
    return [number for number, line in enumerate(text.split("\n")) if _HEADING.match(line) and line.startswith("##")]


def with_stop(text: str, state: Mapping[str, str], after: int, *, title: str = "") -> str:
    """The text with a new stop inserted after `after` stops; for "", a tour of that stop alone.

    The stop's block has a line for each text that a user may add.

    Args:
        title: as `read_title` returns it; "" for one with the stop's number.
    """
    lines, starts = text.split("\n"), stop_lines(text)
    place = starts[after] if after < len(starts) else len(lines)
    title = title or f"Stop {len(starts) + 1}"
    stop = _written(Stop(title=title, state=state), "".join(f"{name}:\n" for name in TO_FILL_IN))
    before = "\n".join(lines[:place]).rstrip("\n") or f"# {FIRST_TITLE}"
    return _joined(before, stop, "\n".join(lines[place:]).rstrip("\n")) + "\n"


def with_entry(text: str, stop: int, name: str, entry: str) -> str:
    """The text with an entry added to the points or the claims of a stop, counted from 1.

    Args:
        name: "points" or "claims".
    """
    lines, starts = text.split("\n"), [*stop_lines(text), len(text.split("\n"))]
    start, end = starts[stop - 1], starts[stop]
    opening = next((number for number in range(start + 1, end) if lines[number].strip()), end)
    if opening == end or lines[opening].rstrip() != _FENCE:
        added = ["", _FENCE, f"{name}:", f"  - {entry}", _END_OF_FENCE]
        return "\n".join([*lines[: start + 1], *added, *lines[start + 1 :]])
    closing = next((number for number in range(opening + 1, end) if lines[number].rstrip() == _END_OF_FENCE), end)
    place = next((number for number in range(opening + 1, closing) if lines[number].startswith(f"{name}:")), None)
    if place is None:
        return "\n".join([*lines[:closing], f"{name}:", f"  - {entry}", *lines[closing:]])
    only = lines[place].removeprefix(f"{name}:").strip()
    after = next((number for number in range(place + 1, closing) if not _ENTRY.match(lines[number])), closing)
    before = [f"  - {only}"] if only else lines[place + 1 : after]
    indent = next((line.partition("-")[0] for line in before), "  ")
    return "\n".join([*lines[:place], f"{name}:", *before, f"{indent}- {entry}", *lines[after:]])


def _written(stop: Stop, more: str = "") -> str:
    block = f"{_FENCE}\n{write_block(_block(stop))}{more}{_END_OF_FENCE}"
    return _joined(f"## {stop.title}", block, _escaped(stop.words))


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _lines(text: str) -> list[str]:
    if len(text) > LONGEST_FILE:
        raise TourError(1, f"The file has {len(text):,} characters; a tour has at most {LONGEST_FILE:,}.")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines):
        unreadable = UNREADABLE.search(line)
        if unreadable:
            raise TourError(number + 1, f"The character U+{ord(unreadable[0]):04X} is not allowed.")
    return lines


def _stop(lines: list[str], start: int, end: int) -> Stop:
    """The stop whose heading is at `start`, counted from 0."""
    title = _title(lines[start], start)
    opening = next((number for number in range(start + 1, end) if lines[number].strip()), end)
    block: dict[Scalar, Value] = {}
    words_from = start + 1
    if opening < end and lines[opening].rstrip() == _FENCE:
        closing = next((number for number in range(opening + 1, end) if lines[number].rstrip() == _END_OF_FENCE), None)
        if closing is None:
            raise TourError(opening + 1, "This block has no end: “```” on a line of its own is missing.")
        block = read_block("\n".join(lines[opening + 1 : closing]), opening + 2)
        words_from = closing + 1
    state: dict[str, str] = {}
    texts: dict[str, str] = {}
    lists: dict[str, list[Scalar]] = {"points": [], "claims": []}
    reveals: int | None = None  # the line that says so
    for key, value in block.items():
        if key.text in lists:
            lists[key.text] = value if isinstance(value, list) else [value] if value.text else []
        elif isinstance(value, list):
            raise TourError(key.line, f"“{key.text[:40]}” is one text, no list.")
        elif key.text in TEXTS:
            texts[key.text] = _read(read_words, value.text, value.line)
        elif key.text == REVEALS:
            if value.text != PICTURE:
                raise TourError(value.line, f"{REVEALS}: {value.text[:40]!r} is not possible, “{PICTURE}” is expected.")
            reveals = key.line
        else:
            state[key.text] = _state(key, value)
    if reveals is not None and not texts.get("question"):
        raise TourError(reveals, f"“{REVEALS}” needs a question, whose answer reveals the picture.")
    _check_count(lists["points"], MOST_POINTS, "points")
    _check_count(lists["claims"], MOST_CLAIMS, "claims")
    return Stop(
        title=title,
        words=_words(lines, words_from, end),
        state=MappingProxyType(state),
        points=tuple(_read(parse_point, each.text, each.line) for each in lists["points"]),
        claims=tuple(_read(parse_claim, each.text, each.line) for each in lists["claims"]),
        reveals_picture=reveals is not None,
        **texts,
    )


def _state(key: Scalar, value: Scalar) -> str:
    """The text for a field of the page."""
    field = None if key.text in NOT_OF_A_STOP else FIELDS.get(key.text)
    if field is None:
        raise TourError(key.line, f"“{key.text[:40]}” is nothing that a stop has.")
    try:
        field.codec.decode(value.text)
    except UnreadableError as error:
        raise TourError(value.line, f"{key.text}: {value.text[:40]!r} is not possible, {error}.") from error
    if (key.text, value.text) == ("collection", OWN):
        raise TourError(value.line, NO_OWN_TABLE)
    return value.text


def _check_count(values: list[Scalar], most: int, name: str) -> None:
    if len(values) > most:
        raise TourError(values[most].line, f"A stop has at most {most} {name}.")


def _title(line: str, number: int) -> str:
    return _read(read_title, line.lstrip("#"), number + 1)


def _words(lines: list[str], start: int, end: int) -> str:
    blank = next((number for number in range(start, end) if lines[number].strip()), end)
    return _read(read_words, "\n".join(map(_unescaped, lines[blank:end])), blank + 1)


def _read(reader: Callable[[str], Read], text: str, line: int) -> Read:
    """The result of a reader. Raises TourError with the line of the error."""
    try:
        return reader(text)
    except GrammarError as error:
        raise TourError(line, str(error)) from error
    except TextError as error:
        sentence, index = error.args
        raise TourError(line + text.count("\n", 0, index), sentence) from error


def _block(stop: Stop) -> Mapping[str, Any]:
    """The stop's block: integers without quotes, and no empty values except in the state."""
    values: dict[str, Any] = {
        name: int(value) if _PLAIN_NUMBER.fullmatch(value) else value for name, value in stop.state.items()
    }
    values |= {name: text for name in TEXTS if (text := getattr(stop, name))}
    if stop.reveals_picture:
        values[REVEALS] = PICTURE
    if stop.points:
        values["points"] = [format_point(point) for point in stop.points]
    if stop.claims:
        values["claims"] = [format_claim(claim) for claim in stop.claims]
    return values


def _escaped(words: str) -> str:
    return "\n".join(f"\\{line}" if _ANY_HEADING.match(line) else line for line in words.split("\n"))


def _unescaped(line: str) -> str:
    return line[1:] if _ESCAPED_HEADING.match(line) else line
