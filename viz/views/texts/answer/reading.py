"""How much of the texts of a table the model reads, and its errors where it reads them in part."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from encoder.collection.row_readings import ReadRows
from encoder.measures.inference import is_clear, p_of_shares
from viz.answers.answer import Answer, Columns, Sentence, Table
from viz.wording.explanations import Explanation
from viz.wording.numbers import interval_in_words, p_in_words, percent
from viz.wording.readings import counted

EXPLANATION: Final = Explanation(
    "A row is read in part if a character is lost, in an unknown piece, or cut off. Intervals are Wilson's, at 95 %.",
    "Rows that are read in part may be harder for other reasons.",
)


def reading(found: Sequence[ReadRows]) -> Answer:
    """A sentence about all rows, and a table by label; `found` begins with all rows."""
    every = found[0]
    said = (
        f"**{every.in_part:,} of {every.rows:,} rows** are read in part: {percent(every.lost, 2)} of characters are "
        f"lost and {percent(every.unknown, 2)} of pieces unknown. A word is {every.a_word:.2f} pieces on average."
    )
    errors = [
        f"{percent(each.value)} of the rows that are read {how} "
        f"({interval_in_words(each.low, each.high, percent, n=each.n)}; {counted(each.n, 'row')})"
        for each, how in ((every.wrong_whole, "whole"), (every.wrong_in_part, "in part"))
        if each.n
    ]
    verdict = ""
    if len(errors) > 1:
        p = p_of_shares(every.wrong_whole, every.wrong_in_part)
        verdict = f": {'more' if is_clear(p) else 'no more'} than chance explains (Fisher's test, {p_in_words(p)})"
    wrong = [Sentence(f"The model is wrong in {' and in '.join(errors)}{verdict}.")] if errors else []
    columns = partial(_columns_of_reading, found)
    table = Table(name="reading", title="What is read, by label", columns=columns, on_page="open", decimals=3)
    return Answer((Sentence(said), *wrong, table), explanation=EXPLANATION)


def _columns_of_reading(found: Sequence[ReadRows]) -> Columns:
    """A row for all rows, and for each label; errors where rows have a verdict."""
    columns: dict[str, list[object]] = {
        "label": ["all" if each.label is None else each.label for each in found],
        "rows": [each.rows for each in found],
        "characters lost": [each.lost for each in found],
        "unknown pieces": [each.unknown for each in found],
        "pieces a word": [each.a_word for each in found],
        "read in part": [each.in_part for each in found],
    }
    for name in ("wrong_whole", "wrong_in_part") if found[0].wrong_whole.n + found[0].wrong_in_part.n else ():
        title = name.replace("wrong_", "wrong, read ").replace("_", " ")
        for end, of_end in (("", "value"), (", from", "low"), (", to", "high")):
            columns[title + end] = [getattr(getattr(each, name), of_end) for each in found]
    return columns
