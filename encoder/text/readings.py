"""How a model reads a text: each character, the pieces that hold it, and its word."""

from __future__ import annotations

import unicodedata
import warnings
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Final, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from encoder.text.tokens import USUAL_TOKENS, Span, Tokens
from encoder.text.words import ROLES

UNKNOWN: Final = ("[UNK]", "<unk>")
JOINER: Final = "\u200d"  # of emoji
SKIN_TONES: Final = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
CUT_OFF: Final = "cut off"
NO_KNOWN_WORD: Final = "no known word"
Change = Literal["kept", "lowered", "stripped", "replaced", "lost", "unknown"]


def knows_no_word(texts: Sequence[Tokens], *, sentence: int | None = None) -> bool:
    """Whether the texts, or one sentence of each, have words but the model knows none of them."""
    pieces = [
        piece
        for text in texts
        for piece, special, owner in zip(text.pieces, text.special, text.sentence_ids, strict=True)
        if not special and sentence in (None, owner)
    ]
    return bool(pieces) and all(piece in UNKNOWN for piece in pieces)


@dataclass(slots=True)
class Unread:
    """What a model does not read of N texts: of each whether it is cut off, and whether the model knows no word."""

    cut_off: list[bool] = field(default_factory=list)
    no_known_word: list[bool] = field(default_factory=list)
    what: str = "texts"

    @classmethod
    def of(cls, *texts: Tokens, what: str = "texts") -> Self:
        """That of some texts."""
        found = cls(what=what)
        for tokens in texts:
            found.note(tokens)
        return found

    def note(self, tokens: Tokens, *, sentence: int | None = None) -> None:
        """Append a text, or a pair of which one sentence may be asked for known words."""
        self.cut_off.append(any(tokens.truncated))
        self.no_known_word.append(knows_no_word([tokens], sentence=sentence))

    @property
    def columns(self) -> dict[str, npt.NDArray[np.bool_]]:
        """Both as columns of N rows."""
        return {CUT_OFF: np.array(self.cut_off, bool), NO_KNOWN_WORD: np.array(self.no_known_word, bool)}

    @property
    def sentences(self) -> list[str]:
        """How many texts are cut off, and of how many the model knows no word."""
        cut, unread, total = sum(self.cut_off), sum(self.no_known_word), len(self.cut_off)
        said = [f"Cut off, because longer than the model reads: {cut:,} of {total:,} {self.what}."] if cut else []
        return said + ([f"Without a word that the model knows: {unread:,} of {total:,} {self.what}."] if unread else [])

    def warn(self) -> None:
        """Warn the caller of the function that calls this, if a text is not read as it is written."""
        if self.sentences:
            warnings.warn(" ".join(self.sentences), stacklevel=3)


def cut_in_words(cut_off: int) -> str:
    """That a text is read without its last tokens, as the end of a sentence; "" if it is read whole."""
    return f", without the last {cut_off:,} tokens, which are cut off" if cut_off else ""


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


class ReadWord(NamedTuple):
    """Characters, the tokens that hold them, and their word.

    Attributes:
        words: indices of words of the text: several if an unknown piece holds them, none for what is in no word.
        sentence: None for an added token.
        positions: of its tokens; none for characters that are lost.
    """

    words: tuple[int, ...]
    sentence: int | None
    characters: tuple[ReadCharacter, ...]
    positions: tuple[int, ...]


@dataclass(frozen=True)
class TextReading:
    """All of a text in reading order; what is cut off is left out."""

    tokens: Tokens
    words: tuple[ReadWord, ...]

    @property
    def counts(self) -> Counter[Change]:
        """How many of the typed characters, white space apart, are kept, lowered, and so on."""
        return Counter(each.change for word in self.words for each in word.characters if not each.typed.isspace())

    @property
    def sentences(self) -> list[tuple[ReadWord, ...]]:
        """The words of each sentence; special tokens before B belong to A."""
        start = self.tokens.sentence_b_start
        first = next((index for index, word in enumerate(self.words) if start in word.positions), len(self.words))
        return [words for words in (self.words[:first], self.words[first:]) if words]

    @property
    def num_words(self) -> int:
        """Words of the text."""
        return sum(len(word.words) for word in self.words)

    @property
    def num_pieces(self) -> int:
        """Tokens that are not special."""
        return len(self.tokens) - sum(self.tokens.special)


def is_unknown(tokens: Tokens, position: int) -> bool:
    """Whether a token stands for what the vocabulary does not have."""
    return tokens.pieces[position] in UNKNOWN and not tokens.special[position]


def characters_of(text: str) -> list[Span]:
    """The span of each character as users see it: with its marks, its skin tone, and what a joiner joins."""
    starts = [
        index
        for index, (before, char) in enumerate(pairwise(f" {text}"))
        if before.isspace() or not (before == JOINER or char in SKIN_TONES or ROLES[ord(char)] in "mj")
    ]
    return list(pairwise([*starts, len(text)]))


def reading_of(tokens: Tokens) -> TextReading:
    """The typed characters with their pieces and words. If it was not recorded how they change, they count as typed."""
    words: list[ReadWord] = []
    for sentence, positions in groupby(range(len(tokens)), key=tokens.sentence_ids.__getitem__):
        if sentence is None:
            words += (ReadWord((), None, (), (position,)) for position in positions)
        else:
            words += _words(tokens, sentence, list(positions))
    return TextReading(tokens, tuple(words))


def ids_of_words(tokens: Tokens, sentence: int) -> dict[int, tuple[int, ...]]:
    """The ids of each word of a sentence, by its index."""
    found: dict[int, tuple[int, ...]] = {}
    for word, owner, token_id in zip(tokens.word_ids, tokens.sentence_ids, tokens.ids, strict=True):
        if word is not None and owner == sentence:
            found[word] = (*found.get(word, ()), token_id)
    return found


# Function words of Danish, Dutch, French, German, Italian, Polish, Portuguese, Spanish and Swedish that English texts
# and addresses seldom have.
_ABROAD: Final = """
    aan aber af ai al ale alla alle als anche ao att au auch auf aus aussi aux av avec avez bei bij ce ces cette che
    ci comme como con cuando da dal dalla dans das dass dat de dei del della delle dello dem den der des desde det
    deze di dit dla donde dos du een ein eine einem einen einer el ela ele elle em en entre er es essere est esta
    estas este estos está están et ett eu foi fue för für geen gli ha haben han hanno hasta hat het hij ich ihr ik
    ikke il ils im inte isso ist jag jak je jeg jest kan kann la las le les leur lo los lui ma maar mais mas med met
    mi mit muito muy más même na naar nach nas ne nel nella nicht nie niet noch nog non nos nous nur não och od oder
    og om ont ook op os où para pas per perché pero più po por porque pour przez på quando que questa questi questo
    qui sa se sem ser ses si sich sie sin sind się som sono sont su sur sus são también também te ter til till tout
    uit um uma un una und une uno unos van você von voor vous wenn werden wie wir wird worden wordt y ya yo za zij
    zijn zu à är è é était été être że
"""
FUNCTION_WORDS_ABROAD: Final = frozenset(_ABROAD.split())


def unlike_english(tokens: Tokens) -> tuple[int, int, int]:
    """How many words with letters are read as several pieces, how many others are usual abroad, and of how many."""
    pieces = Counter(tokens.word_ids)
    words = [word for word, text in enumerate(tokens.words) if any(map(str.isalpha, text)) and pieces[word]]
    abroad = sum(pieces[word] == 1 and tokens.words[word].lower() in FUNCTION_WORDS_ABROAD for word in words)
    return sum(pieces[word] > 1 for word in words), abroad, len(words)


def cut_differently(tokens: Tokens, other: Tokens) -> list[int]:
    """The words of a text whose characters another model puts into other pieces."""
    own, others = _cuts(tokens), Counter(_cuts(other))
    counts = Counter(own)
    differing = {word for word, cut in zip(tokens.word_ids, own, strict=True) if counts[cut] != others[cut]}
    return sorted(word for word in differing if word is not None)


def _cuts(tokens: Tokens) -> list[tuple[object, ...]]:
    unknown = (is_unknown(tokens, position) for position in range(len(tokens)))
    return list(zip(tokens.sentence_ids, tokens.spans, unknown, strict=True))


def _words(tokens: Tokens, sentence: int, positions: Sequence[int]) -> Iterator[ReadWord]:
    """The tokens of a sentence by their words, and the characters between them that no token holds."""
    text, owners, spans = tokens.sentences[sentence], tokens.word_ids, [span or (0, 0) for span in tokens.spans]
    is_part = any(tokens.truncated) or (len(tokens) == USUAL_TOKENS and (tokens.first > 0 or not tokens.special[-1]))
    start = spans[positions[0]][0] if is_part else 0
    units = deque(unit for unit in _units(tokens, sentence) if unit[0][0] >= start)

    def read(until: int, held: Sequence[int] = ()) -> tuple[ReadCharacter, ...]:
        """The next characters, up to a place, which some tokens hold."""
        found = []
        while units and (units[0][0][0] < until if held else units[0][0][1] <= until):
            span, read_as = units.popleft()
            typed = text[slice(*span)]
            holders = [position for position in held if spans[position][0] < span[1] and span[0] < spans[position][1]]
            in_unknown = any(is_unknown(tokens, position) for position in holders)
            found.append(_read(typed, read_as if holders else "", in_unknown))
        visible = tuple(each for each in found if not each.typed.isspace())
        return visible or tuple(found if held else ())

    for _, group in groupby(positions, key=lambda position: (owners[position], owners[position] is None and position)):
        held = list(group)
        lost = read(min(spans[position][0] for position in held))
        if lost:
            yield ReadWord((), sentence, lost, ())
        word = owners[held[0]]
        following = next((each for each in owners[held[-1] + 1 :] if each is not None), len(tokens.words))
        holds_several = not is_part and any(is_unknown(tokens, position) for position in held)
        words = () if word is None else tuple(range(word, following)) if holds_several else (word,)
        yield ReadWord(words, sentence, read(max(spans[position][1] for position in held), held), tuple(held))
    lost = () if is_part else read(len(text))
    if lost:
        yield ReadWord((), sentence, lost, ())


def _units(tokens: Tokens, sentence: int) -> Iterator[tuple[Span, str | None]]:
    """The characters of a sentence, and what they are read as if it is not as typed; what changes together is one."""
    rewritten = deque((span, read_as) for owner, span, read_as in tokens.rewritten or () if owner == sentence)
    start = 0
    for _, last in characters_of(tokens.sentences[sentence]):
        while start < last:
            if rewritten and rewritten[0][0][0] == start:
                unit: tuple[Span, str | None] = rewritten.popleft()
            else:
                unit = (start, min(last, rewritten[0][0][0]) if rewritten else last), None
            yield unit
            start = unit[0][1]


def _read(typed: str, read_as: str | None, in_unknown: bool) -> ReadCharacter:
    """A character that a token holds."""
    if read_as is None:
        read_as = typed
    if not read_as or in_unknown:
        return ReadCharacter(typed, read_as, "unknown" if read_as else "lost")
    if _composed(read_as) == _composed(typed):
        return ReadCharacter(typed, read_as, "kept")
    if _composed(read_as) == _composed(typed.lower()):
        return ReadCharacter(typed, read_as, "lowered")
    is_bare = _bare(read_as) in (_bare(typed), _bare(typed).lower())
    return ReadCharacter(typed, read_as, "stripped" if is_bare else "replaced")


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _bare(text: str) -> str:
    """Without marks."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if ROLES[ord(char)] != "m")
