"""Three small tasks with a known source for each written token: reversing, sorting, and dates.

Usually it is unknown what attention should look at. In these tasks it is known: a reversed word comes from one place in
the source, and the digits of a day from the words that name it. Items are drawn at random. A fixed share of all
possible items is held out: a set of words in any order, or a date in any form.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from string import Formatter
from typing import Literal, get_args

import numpy as np

from encoder.text.tokens import Span, Tokens

Task = Literal["reverse", "sort", "date"]
TASKS: tuple[Task, ...] = get_args(Task)
EXAMPLES: Mapping[Task, str] = {
    "reverse": "time flies like an arrow",
    "sort": "fruit flies like a banana",
    "date": "the 3rd of march 1987",
}

MAX_WORDS = 10
HELD_OUT = 20  # one item in 20
WORDS = """
a able about above add after again age air all also an and animal answer any apple are arm arrow art as ask at away
baby back bad ball banana bank bear bed bee before begin bell big bird blue boat body book both box boy bread bring
brown build bus busy but buy by cake call can car cat chair child city clean clock cloud coat cold come cook corn
cow cup cut dark day deep dish do doctor dog door down draw dream dress drink drive dry duck each ear earth east
easy eat egg end eye face fall far farm fast father feel few field find fire fish flag flies floor flower fly food
foot for forest fork fox free friend frog from fruit full game garden girl give glass go goat gold good grass great
green hair hand happy hard hat have head hear heart help hen high hill hold home honey horse hot house how ice idea
in ink is island it jam job jump key king kitchen kite knife lake lamp land large last late leaf learn left leg
lemon light like line lion little live long look love low make man many map me meat milk money moon more mother
mountain mouse mouth music name near neck nest net new night no north nose not nut ocean of off oil old on onion
open or orange our over owl page paint pan paper park party path pen people pig plant plate play poor rain read red
rice rich ring river road rock roof room rose run sad salt sand school sea see seed ship shoe shop short sing sky
sleep slow small snow song south spoon star stone story street sugar summer sun table tail tall tea tell that the
their tiger time to tooth top town tree true under up very voice walk wall warm was wash water we west wet wheel
white wind window winter wolf woman wood word work world year yellow you young zoo
"""
LEXICON = tuple(WORDS.split())
MONTH_NAMES = "january february march april may june july august september october november december"
MONTHS = tuple(MONTH_NAMES.split())
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SUFFIXES = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
FIRST_DAY, LAST_DAY = date(1000, 1, 1), date(2999, 12, 31)
# Dates with dots have the day first, as in Germany; dates with slashes the month, as in the United States.
FORMS = (
    "the {day}{suffix} of {month} {year}",
    "{month} {day}, {year}",
    "{day} {month} {year}",
    "{mon} {day}, {year}",
    "{day}{suffix} {mon} {year}",
    "{weekday}, {month} {day}{suffix}, {year}",
    "{day}.{number}.{year}",
    "{number}/{day}/{year}",
)
FIELDS: Mapping[str, Callable[[date], str]] = {
    "year": lambda day: f"{day.year}",
    "month": lambda day: MONTHS[day.month - 1],
    "mon": lambda day: MONTHS[day.month - 1][:3],
    "number": lambda day: f"{day.month}",
    "day": lambda day: f"{day.day}",
    "suffix": lambda day: SUFFIXES.get(day.day, "th"),
    "weekday": lambda day: WEEKDAYS[day.weekday()],
}


PATTERNS = {
    "year": r"(?P<year>\d{4})",
    "month": f"(?P<name>{'|'.join(MONTHS)})",
    "mon": f"(?P<name>{'|'.join(month[:3] for month in MONTHS)})",
    "number": r"(?P<number>\d{1,2})",
    "day": r"(?P<day>\d{1,2})",
    "suffix": "(?:st|nd|rd|th)",
    "weekday": f"(?:{'|'.join(WEEKDAYS)})",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One item: a source text and its target text.

    Attributes:
        source, target: the texts.
        origins: for each piece of the target, the source characters that it comes from: several spans if several are
            possible, none for a separator.
        key: determines whether it is held out.
    """

    task: Task
    source: str
    target: str
    origins: tuple[tuple[Span, ...], ...]
    key: str

    @property
    def held_out(self) -> bool:
        """Whether it is for evaluation only; depends on its key alone, not on a seed."""
        return zlib.crc32(self.key.encode()) % HELD_OUT == 0

    def source_positions(self, source: Tokens) -> tuple[tuple[int, ...], ...]:
        """For each piece of the target, the positions in `source` that it comes from."""
        return tuple(
            tuple(
                position
                for position, span in enumerate(source.spans)
                if span is not None and any(first <= span[0] and span[1] <= last for first, last in spans)
            )
            for spans in self.origins
        )


def draw_item(task: Task, random: np.random.Generator, *, held_out: bool) -> Item:
    """An item that is held out, or one that is not."""
    while True:
        item = _draw_date_item(random) if task == "date" else _draw_words_item(task, random)
        if item.held_out == held_out:
            return item


def parse_item(task: Task, text: str) -> Item | None:
    """The item for a typed text, lower-cased and with normalised spaces.

    Returns:
        None for a date that does not exist or is not in one of `FORMS`.
    """
    text = " ".join(text.lower().split())
    if task != "date":
        return words_item(task, text.split(" "))
    for form in FORMS:
        match = re.fullmatch(re.escape(form).replace(r"\{", "{").replace(r"\}", "}").format(**PATTERNS), text, re.ASCII)
        if match is None:
            continue
        fields = match.groupdict()
        names = [month[:3] for month in MONTHS]
        month = names.index(fields["name"][:3]) + 1 if "name" in fields else int(fields["number"])
        try:
            item = date_item(date(int(fields["year"]), month, int(fields["day"])), form)
        except ValueError:  # the 31st of February
            return None
        return item if item.source == text else None
    return None


def words_item(task: Literal["reverse", "sort"], words: list[str]) -> Item:
    """Words to reverse or sort. In sorting, a repeated word may come from any of its places."""
    spans, start = list[Span](), 0
    for word in words:
        spans.append((start, start + len(word)))
        start += len(word) + 1
    if task == "reverse":
        target = words[::-1]
        origins: list[tuple[Span, ...]] = [(span,) for span in spans[::-1]]
    else:
        target = sorted(words)
        places = list(zip(spans, words, strict=True))
        origins = [tuple(span for span, other in places if other == word) for word in target]
    return Item(task, " ".join(words), " ".join(target), tuple(origins), " ".join(sorted(words)))


def date_item(day: date, form: str) -> Item:
    """A date in one of `FORMS`, to convert to an ISO date."""
    text, spans = "", {}
    for literal, field, _, _ in Formatter().parse(form):
        text += literal
        if field is not None:
            value = FIELDS[field](day)
            spans["month" if field in ("mon", "number") else field] = (len(text), len(text) + len(value))
            text += value
    # A digit comes from the same digit; a leading zero, and the digits of a named month, from the whole field.
    origins: list[tuple[Span, ...]] = []
    for field_name, digits in (("year", 4), ("month", 2), ("day", 2)):
        first, last = spans[field_name]
        numeric = text[first:last].isdecimal() and last - first == digits
        origins += [((first + place, first + place + 1) if numeric else (first, last),) for place in range(digits)]
        origins += [()] * (field_name != "day")
    return Item("date", text, day.isoformat(), tuple(origins), day.isoformat())


def _draw_words_item(task: Literal["reverse", "sort"], random: np.random.Generator) -> Item:
    count = int(random.integers(1, MAX_WORDS + 1))
    return words_item(task, [LEXICON[index] for index in random.integers(len(LEXICON), size=count)])


def _draw_date_item(random: np.random.Generator) -> Item:
    day = FIRST_DAY + timedelta(days=int(random.integers((LAST_DAY - FIRST_DAY).days + 1)))
    return date_item(day, FORMS[int(random.integers(len(FORMS)))])
