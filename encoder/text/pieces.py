"""What a tokenizer's pieces stand for in a text: characters, a label that can be read, and a word."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, groupby, pairwise
from typing import Literal, NamedTuple

from encoder.text.tokens import Span, Text
from encoder.text.words import EXTENDING, owner_of, owners_of, roles_of, words_in

# The role of a piece in the model's settings: a special token that frames texts, another token that is spelled in the
# text as in the vocabulary, or the one for unknown characters.
Kind = Literal["frame", "added", "unknown", ""]

# White space as byte-level and SentencePiece vocabularies spell it.
BLANKS = str.maketrans({"▁": " ", "Ġ": " ", "Ċ": "\n", "ĉ": "\t", "č": "\r", "ċ": "\x0b", "Č": "\x0c"})
BYTE_SPACE = "Ġ"
TYPED_MASK = "[MASK]"  # read as the mask by every model that has one
OTHER = "s[]"  # roles of what is blank, or read as it is spelled
SPACE = "␣"
SIGNS = {"\n": "⏎", "\t": "⇥"}


class Pieces(NamedTuple):
    """The pieces of one text, and its words.

    Attributes:
        spans: one for each piece.
        blanks: the white space that each piece is, or "" if it is something else.
        owners: for each piece, an index into `words`, or None.
        words: those of the text as far as it is read; all of a list of words.
        unsegmented: names of scripts in which pieces are taken for words.
    """

    spans: list[Span]
    blanks: list[str]
    owners: list[int | None]
    words: list[str]
    unsegmented: list[str]


def read_pieces(
    text: Text, pieces: Sequence[str], offsets: Sequence[Span], kinds: Sequence[Kind], *, is_cut: bool
) -> Pieces:
    """What the pieces of a text or of a list of words stand for.

    Args:
        offsets: of the library `tokenizers`, in the text, or in the words joined by spaces.
        is_cut: whether the model reads only a part of the text.
    """
    sentence = joined(text)
    blanks = [_blank(piece, sentence[slice(*span)]) for piece, span in zip(pieces, offsets, strict=True)]
    spelled = [
        _trimmed(sentence, span)
        for piece, span, kind in zip(pieces, offsets, kinds, strict=True)
        if kind in ("added", "unknown") and _is_spelled(sentence[slice(*span)].strip(), piece)
    ]
    frame = [span for span, kind in zip(offsets, kinds, strict=True) if kind == "frame"]
    roles = roles_of(sentence, spelled, frame)
    spans = _spans(sentence, roles, offsets, [len(blank) for blank in blanks], pieces)
    unsegmented: list[str] = []
    if isinstance(text, str):
        first, last = (spans[0][0], spans[-1][1]) if is_cut else (0, len(sentence))
        starts = [start - first for start, _ in spans]
        found, unsegmented = words_in(sentence[first:last], roles[first:last], starts)
        word_spans = [(start + first, end + first) for start, end in found]
        words = [sentence[slice(*span)] for span in word_spans]
    else:
        ends = list(accumulate((len(word) + 1 for word in text), initial=0))
        word_spans = [(start, end - 1) for start, end in pairwise(ends)]
        words = list(text)
    owners = _owners(sentence, roles, spans, blanks, kinds, owners_of(len(sentence), word_spans))
    return Pieces(spans, blanks, owners, words, unsegmented)


def joined(text: Text) -> str:
    """A text, or the text of a list of words."""
    return text if isinstance(text, str) else " ".join(text)


def visible_blanks(blank: str) -> str:
    """White space as signs: ␣ for a space, ⏎ for a line break, ⇥ for a tab."""
    return "".join(SPACE if unicodedata.category(char) == "Zs" else SIGNS.get(char, char) for char in blank)


def _is_spelled(surface: str, piece: str) -> bool:
    """Whether a piece with punctuation, such as "<mask>", is spelled in the text, or is a mask spelled as BERT's."""
    return surface == TYPED_MASK or (not piece.isalnum() and surface.casefold() == piece.casefold())


def _blank(piece: str, surface: str) -> str:
    """The white space that a piece is, or "" if it is something else."""
    spelled = _spelled_blank(piece)
    if spelled and (piece.isspace() or surface != piece):
        return spelled
    return surface if surface.isspace() else ""


@lru_cache(8_192)
def _spelled_blank(piece: str) -> str:
    """The white space that a piece of a vocabulary spells, or ""."""
    spelled = piece.translate(BLANKS)
    return spelled if spelled.isspace() else ""


def _trimmed(text: str, span: Span) -> Span:
    """A span without the blanks at its ends, unless it has nothing else."""
    surface = text[slice(*span)]
    if not surface.strip():
        return span
    return span[1] - len(surface.lstrip()), span[0] + len(surface.rstrip())


def _spans(text: str, roles: str, offsets: Sequence[Span], blanks: Sequence[int], pieces: Sequence[str]) -> list[Span]:
    """The characters of each piece, which the library's offsets say but for a few cases.

    Args:
        blanks: the number of characters of each piece that is blank, 0 for others.
    """
    spans: list[Span] = []
    end = 0
    for index, (offset, blank) in enumerate(zip(offsets, blanks, strict=True)):
        first, last = offset
        following = offsets[index + 1][0] if index + 1 < len(offsets) else len(text)
        if blank and (first == last or (first == following and not text[first:last].isspace())):
            # Byte-level offsets leave blanks out, and those of "▁" are of the character behind it.
            if first == 0 or roles[first - 1] in OTHER:
                places = (max(first - blank, 0), first), (first, first + blank)
                first, last = next((place for place in places if text[slice(*place)].isspace()), (first, first))
        elif not blank:
            if first < end < last or (first == last and end < first):
                first = end  # what another piece has; or the space that RoBERTa's offsets leave out after added tokens
            elif first == end + 1 and pieces[index].startswith(BYTE_SPACE) and not text[end].isspace():
                first = end  # those of "ĠBMS" after an added token leave out its first letter, as if it were the space
            while last < following and roles[last] in EXTENDING and roles[last - 1] not in OTHER:
                last += 1
        spans.append((first, last))
        end = max(end, last)
    return spans


def _owners(
    text: str,
    roles: str,
    spans: Sequence[Span],
    blanks: Sequence[str],
    kinds: Sequence[Kind],
    of_characters: Sequence[int | None],
) -> list[int | None]:
    """The word of each piece, in ascending order. A space right before a word belongs to it, as in "Ġthe"."""
    owners: list[int | None] = []
    reached = 0
    for span, kind in zip(spans, kinds, strict=True):
        owner = None if kind == "frame" else owner_of(span, of_characters)
        if owner is not None:
            reached = owner = max(owner, reached)
        owners.append(owner)
    for place, ((first, last), following) in enumerate(pairwise(spans)):
        if owners[place] is not None or blanks[place] != " " or text[first:last] not in ("", " "):
            continue
        if last == following[0] and roles[last : last + 1] != "[":
            owners[place] = owners[place + 1]
    return owners


def labels_in_text(text: str, pieces: Sequence[str], read: Pieces, kinds: Sequence[Kind]) -> list[str]:
    """Each piece as the text has it; those that share their characters are numbered: "😂 1/4"."""
    shown: list[tuple[Span, str, bool]] = []  # characters, label, and whether the label is these characters
    for piece, span, blank, kind in zip(pieces, read.spans, read.blanks, kinds, strict=True):
        characters = _trimmed(text, span)
        surface = text[slice(*characters)]
        if kind == "unknown" or not surface:
            shown.append((characters, visible_blanks(blank) or piece, False))
        elif blank and _spelled_blank(piece):
            shown.append((characters, visible_blanks(blank), False))
        else:
            shown.append((characters, visible_blanks(blank) or surface, True))
    labels: list[str] = []
    for _, group in groupby(shown, key=lambda each: each[0]):
        of_group = list(group)
        labels += [
            f"{label} {part}/{len(of_group)}" if is_surface and len(of_group) > 1 else label
            for part, (_, label, is_surface) in enumerate(of_group, start=1)
        ]
    return labels
