"""Texts as people give them to a model: one text, a pair, the words of a text in a list, or many of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from encoder.errors import InputError
from encoder.text.tokens import Text

Given = Text | tuple[Text, Text]
# What a list of two strings is to a model: a pair, the words of one text, or unclear.
Reads = Literal["pairs", "words", "texts"]
AS_A_PAIR = "write a pair as a tuple, (a, b)"


class Row(NamedTuple):
    """One text, or a pair, and its number among those that were given, from 0; None for a text alone."""

    a: Text
    b: Text | None = None
    number: int | None = None


def row_of(given: Any, b: Text | None = None, *, reads: Reads = "texts", number: int | None = None) -> Row:
    """A text or a pair, whose second text may be given by itself.

    Raises:
        InputError: a tuple is no pair, or a list may be a pair, several texts, or words.
    """
    if b is not None and not isinstance(given, tuple):
        return Row(given, b, number)
    if b is not None:
        raise InputError(f"A tuple and a second text were given: {AS_A_PAIR}, or as two texts.")
    if isinstance(given, tuple):
        if len(given) != 2:
            raise InputError(f"A tuple of {len(given)} was given: {AS_A_PAIR}, and a text alone as a string.")
        return Row(given[0], given[1], number)
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        return Row(given, None, number)
    if len(given) == 2 and reads == "pairs":
        return Row(given[0], given[1], number)
    several = next((word for word in given if len(word.split()) > 1), None)
    if len(given) == 2 and (several is not None or reads == "texts"):
        either = "the words of one text" if several is None else "two texts"
        raise InputError(f"{given} may be a pair or {either}: {AS_A_PAIR}, and each text as one string.")
    check_is_one_text(given)
    return Row(given, None, number)


def rows_of(texts: Any, *, reads: Reads = "texts") -> Iterator[Row]:
    """Many texts or pairs; a string is one text.

    Raises:
        InputError: these are no texts, such as a whole table, or a row of them is none; the message names it.
    """
    if isinstance(texts, str):
        yield Row(texts)
        return
    if isinstance(texts, Mapping | Set | bytes) or hasattr(texts, "columns") or not isinstance(texts, Iterable):
        raise InputError(
            f"Texts were given as a {type(texts).__name__}: give a list or a column of them, as in table['text']. "
            "headlight.texts(table).run(model) reads a whole table."
        )
    for number, text in enumerate(texts):
        with naming(number):
            row = row_of(text, reads=reads, number=number)
        yield row


def check_is_no_pair(texts: Any, *, reads: Reads) -> None:
    """Raise InputError for two strings that may be one pair, where a list of texts is expected."""
    is_pair = isinstance(texts, tuple) or (isinstance(texts, list) and reads == "pairs")
    if is_pair and len(texts) == 2 and all(isinstance(text, str) for text in texts):
        alone = "pass each text alone, as a string" if reads == "pairs" else "[a, b] for two texts"
        raise InputError(f"{texts} may be a pair or two texts: write [(a, b)] for a pair, and {alone}.")


def check_is_one_text(text: Text | None) -> None:
    """Raise InputError for a list of texts, which would be read as the words of one text."""
    if text is None or isinstance(text, str):
        return
    several = next((word for word in text if len(word.split()) > 1), None)
    if several is not None:
        raise InputError(
            f"A list holds the words of one text, and {several!r} is several: trace one text at a time, as in "
            f"[model.trace(text) for text in texts], and {AS_A_PAIR}."
        )


@contextmanager
def naming(number: int | None) -> Iterator[None]:
    """Name the row in an error about its text."""
    try:
        yield
    except InputError as error:
        if number is None:
            raise
        raise InputError(f"Row {number} of the texts, counted from 0: {error}") from error
