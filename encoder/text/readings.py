"""How a model reads a text: each character, the pieces that hold it, and its word."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final, Literal, NamedTuple

from encoder.text.characters import characters_of
from encoder.text.tokens import USUAL_TOKENS, Span, Tokens

UNKNOWN: Final = ("[UNK]", "<unk>")
Change = Literal["kept", "lowered", "stripped", "replaced", "lost", "unknown"]


def knows_no_word(texts: Sequence[Tokens]) -> bool:
    """Whether the texts have words but the model knows none of them."""
    pieces = [piece for text in texts for piece, special in zip(text.pieces, text.special, strict=True) if not special]
    return bool(pieces) and all(piece in UNKNOWN for piece in pieces)


class ReadCharacter(NamedTuple):
    """A typed character, or several that are read together.

    Attributes:
        read_as: what the tokenizer's normalizer makes of it.
        change: whether it is "kept", "lowered", "stripped" of its marks, "replaced" by others, "lost", or part of an
            "unknown" piece.
    """

    typed: str
    read_as: str
    change: Change


class Segment(NamedTuple):
    """The characters that some tokens hold together, and these tokens; none for characters that are lost.

    Attributes:
        span: of the characters; None for an added token.
    """

    characters: tuple[ReadCharacter, ...]
    positions: tuple[int, ...]
    span: Span | None = None


class ReadWord(NamedTuple):
    """Consecutive segments of a word of the text; of no word if `word` is None."""

    word: int | None
    sentence: int | None
    segments: tuple[Segment, ...]

    @property
    def positions(self) -> tuple[int, ...]:
        """Its tokens."""
        return tuple(position for segment in self.segments for position in segment.positions)


@dataclass(frozen=True)
class TextReading:
    """All of a text in reading order; characters that are cut off are left out."""

    tokens: Tokens
    words: tuple[ReadWord, ...]

    @cached_property
    def counts(self) -> Counter[Change]:
        """How many of the typed characters, white space apart, are kept, lowered, and so on."""
        segments = (segment for word in self.words for segment in word.segments)
        return Counter(each.change for segment in segments for each in segment.characters if not each.typed.isspace())

    @property
    def sentences(self) -> list[tuple[ReadWord, ...]]:
        """The words of each sentence; special tokens before B belong to A."""
        start = self.tokens.sentence_b_start
        first = next((index for index, word in enumerate(self.words) if start in word.positions), len(self.words))
        return [words for words in (self.words[:first], self.words[first:]) if words]

    @property
    def pieces(self) -> int:
        """Tokens that are not special."""
        return len(self.tokens) - sum(self.tokens.special)

    @property
    def unknown_pieces(self) -> int:
        """Tokens that stand for what the vocabulary does not have."""
        return sum(map(self.is_unknown, range(len(self.tokens))))

    def is_unknown(self, position: int) -> bool:
        """Whether a token stands for what the vocabulary does not have."""
        return self.tokens.pieces[position] in UNKNOWN and not self.tokens.special[position]

    @property
    def text_words(self) -> list[ReadWord]:
        """Those that are words of the text."""
        return [word for word in self.words if word.word is not None]

    @property
    def known_words(self) -> int:
        """Words without an unknown piece."""
        return sum(not any(map(self.is_unknown, word.positions)) for word in self.text_words)


def reading_of(tokens: Tokens) -> TextReading:
    """The typed characters, their pieces and words. Characters count as typed if that they changed was not recorded."""
    words: list[ReadWord] = []
    for sentence, positions in groupby(range(len(tokens)), key=tokens.sentence_ids.__getitem__):
        if sentence is None:
            words += (ReadWord(None, None, (Segment((), (position,)),)) for position in positions)
        else:
            words += _words(tokens, sentence, list(_segments(tokens, sentence, list(positions))))
    return TextReading(tokens, tuple(words))


def ids_of_words(tokens: Tokens, sentence: int) -> dict[int, tuple[int, ...]]:
    """The ids of each word of a sentence, by its index."""
    found: dict[int, tuple[int, ...]] = {}
    for word, owner, token_id in zip(tokens.word_ids, tokens.sentence_ids, tokens.ids, strict=True):
        if word is not None and owner == sentence:
            found[word] = (*found.get(word, ()), token_id)
    return found


def cut_differently(reading: TextReading, other: TextReading) -> list[ReadWord]:
    """The words of a text whose characters another model puts into other pieces."""

    def cuts(word: ReadWord, of: TextReading) -> list[tuple[object, ...]]:
        return [
            (word.sentence, segment.span, len(segment.positions), any(map(of.is_unknown, segment.positions)))
            for segment in word.segments
        ]

    known = {cut for word in other.words for cut in cuts(word, other)}
    return [word for word in reading.text_words if not known.issuperset(cuts(word, reading))]


class _Unit(NamedTuple):
    span: Span
    read_as: str | None  # None if as typed


def _segments(tokens: Tokens, sentence: int, positions: Sequence[int]) -> Iterator[Segment]:
    """The tokens of a sentence with their characters, and the characters between them that have none."""
    text = tokens.sentences[sentence]
    units = list(_units(tokens, sentence))
    unit_at = [number for number, unit in enumerate(units) for _ in range(*unit.span)]
    groups: list[tuple[int, int, list[int]]] = []  # first and last unit, tokens
    for position in positions:
        span = tokens.spans[position]
        if not text or span is None:
            continue
        first, last = unit_at[min(span[0], len(text) - 1)], unit_at[max(span[1] - 1, 0)]
        while first < last and text[slice(*units[first].span)].isspace():
            first += 1  # the space before a word of RoBERTa
        if groups and first <= groups[-1][1]:
            start, end, held = groups[-1]
            groups[-1] = min(start, first), max(end, last), [*held, position]
        else:
            groups.append((first, max(first, last), [position]))
    is_part = any(tokens.truncated) or (len(tokens) == USUAL_TOKENS and (tokens.first > 0 or not tokens.special[-1]))
    done = groups[0][0] if groups and is_part else 0

    def lost(until: int) -> Iterator[Segment]:
        for is_blank, found in groupby(units[done:until], key=lambda unit: text[slice(*unit.span)].isspace()):
            left = list(found)
            if not is_blank:
                characters = tuple(ReadCharacter(text[slice(*unit.span)], "", "lost") for unit in left)
                yield Segment(characters, (), (left[0].span[0], left[-1].span[1]))

    for first, last, held in groups:
        yield from lost(first)
        is_unknown = any(tokens.pieces[position] in UNKNOWN for position in held)
        read = tuple(_read(text[slice(*unit.span)], unit.read_as, is_unknown) for unit in units[first : last + 1])
        yield Segment(read, tuple(held), (units[first].span[0], units[last].span[1]))
        done = last + 1
    if not is_part:
        yield from lost(len(units))


def _units(tokens: Tokens, sentence: int) -> Iterator[_Unit]:
    """The characters of a sentence; those that are changed together are one."""
    rewritten = [(span, read_as) for owner, span, read_as in tokens.rewritten or () if owner == sentence]
    rewritten.reverse()
    for span in characters_of(tokens.sentences[sentence]):
        while rewritten and rewritten[-1][0][1] <= span[0]:
            rewritten.pop()
        if not rewritten or span[0] < rewritten[-1][0][0]:
            yield _Unit(span, None)
        elif span[0] == rewritten[-1][0][0]:
            yield _Unit(*rewritten[-1])


def _read(typed: str, read_as: str | None, is_unknown: bool) -> ReadCharacter:
    """A character in a token."""
    if read_as is None:
        read_as = typed
    if not read_as:
        return ReadCharacter(typed, read_as, "lost")
    if is_unknown:
        return ReadCharacter(typed, read_as, "unknown")
    canonical, as_typed = (unicodedata.normalize("NFC", text) for text in (read_as, typed))
    if canonical == as_typed:
        return ReadCharacter(typed, read_as, "kept")
    if canonical == unicodedata.normalize("NFC", typed.lower()):
        return ReadCharacter(typed, read_as, "lowered")
    is_bare = _bare(read_as) in (_bare(typed), _bare(typed).lower())
    return ReadCharacter(typed, read_as, "stripped" if is_bare else "replaced")


def _bare(text: str) -> str:
    """Without marks."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(each for each in decomposed if not unicodedata.category(each).startswith("M"))


def _words(tokens: Tokens, sentence: int, segments: Sequence[Segment]) -> Iterator[ReadWord]:
    """Segments by their words; lost characters within a word belong to it."""
    owners = [tokens.word_ids[segment.positions[0]] if segment.positions else None for segment in segments]
    for index in range(1, len(segments) - 1):
        if not segments[index].positions and owners[index - 1] == owners[index + 1]:
            owners[index] = owners[index - 1]
    for word, found in groupby(
        range(len(segments)), key=lambda index: (owners[index], owners[index] is None and index)
    ):
        yield ReadWord(word[0], sentence, tuple(segments[index] for index in found))
