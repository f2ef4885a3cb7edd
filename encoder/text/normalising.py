"""What a tokenizer's normalizer makes of the characters of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tokenizers.decoders import ByteLevel

from encoder.text.readings import characters_of
from encoder.text.tokens import Span

SPACE_MARK: Final = "▁"  # that SentencePiece writes for a space
CHUNK: Final = re.compile(r"\S+")
CAPITAL: Final = re.compile("[A-Z]")


class Normaliser:
    """The normalizer of a tokenizer of the library `tokenizers`. Thread-safe."""

    def __init__(self, rust: Any) -> None:
        """`rust` is the tokenizer; it may have no normalizer."""
        self._normalizer = rust.normalizer
        self._writes_bytes = '"ByteLevel"' in str(self._normalizer and self._normalizer.__getstate__())

    def changes(self, text: str, verbatim: Sequence[Span] = ()) -> Iterator[tuple[Span, str]]:
        """The characters that are not read as they are typed, and what they are read as; white space is none.

        Characters that the normalizer only changes together, such as "``", are one change.

        Args:
            verbatim: spans that the tokenizer reads without the normalizer: special tokens.
        """
        read = None if self._normalizer is None else self._read(text)
        if read is None or read == "".join(text.split()):
            return
        for first, last in verbatim:
            text = text[:first] + " " * (last - first) + text[last:]
        if verbatim:
            read = self._read(text)
        if text.isascii() and read == "".join(text.lower().split()):  # most English texts
            yield from ((found.span(), found[0].lower()) for found in CAPITAL.finditer(text))
            return
        for found in CHUNK.finditer(text):
            if self._read(found[0]) != found[0]:
                for (first, last), read_as in self._changes_of_chunk(found[0]):
                    yield (found.start() + first, found.start() + last), read_as

    def _changes_of_chunk(self, chunk: str) -> Iterator[tuple[Span, str]]:
        """Of characters without white space."""
        spans = characters_of(chunk)
        read = [self._read(chunk[slice(*span)]) for span in spans]
        rest = self._read(chunk)
        if rest != "".join(read):  # what does not agree at either end is changed together
            start, end = 0, len(spans)
            while start < end - 1 and rest.startswith(read[start]):
                rest = rest[len(read[start]) :]
                start += 1
            while start < end - 1 and rest.endswith(read[end - 1]):
                end -= 1
                rest = rest[: len(rest) - len(read[end])]
            spans[start:end], read[start:end] = [(spans[start][0], spans[end - 1][1])], [rest]
        for span, read_as in zip(spans, read, strict=True):
            if read_as != chunk[slice(*span)]:
                yield span, read_as

    def _read(self, text: str) -> str:
        """A text as the normalizer leaves it, without white space and marks of spaces; a typed mark counts as one."""
        read: str = self._normalizer.normalize_str(text)
        if self._writes_bytes:
            read = ByteLevel().decode([read])
        return "".join(read.replace(SPACE_MARK, " ").split())
