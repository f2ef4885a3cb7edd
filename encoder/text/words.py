"""Words of a text, by one rule whatever the tokenizer, and the pieces that belong to them.

- A word never crosses white space. Every punctuation mark is a word, and so is every other sign of ASCII, but for the
  apostrophe between letters ("don't"): as the pre-tokenizer of BERT has it, which leaves other symbols in their word.
- Marks, joiners, variation selectors and what else has no width of its own belong to the character before them.
- Chinese and Japanese are segmented by BudouX, Thai, Lao, Khmer and Burmese by the dictionaries of ICU. Where neither
  knows a script, or is not installed, every piece is a word.
- A piece belongs to the word that has most of its characters, of several to the first; a word whose characters are all
  in pieces of other words has no piece. A piece of blanks belongs to none, but for the one space right before a word.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from encoder.text.tokens import Span

_APOSTROPHES = "'’"
_JOINING = re.compile("[\u200c\u200d\U000e0020-\U000e007f]")  # joiners, and tags, of which flags are made
_KANA = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f]")
_BY_NAME = {  # roles of letters, by the beginning of their names in Unicode
    "m": "HANGUL (JUNGSEONG|JONGSEONG)",  # the rest of a decomposed syllable
    "c": "CJK|IDEOGRAPHIC|HIRAGANA|(HALFWIDTH )?KATAKANA|BOPOMOFO",
    "t": "THAI|LAO|KHMER|MYANMAR",
    "u": "(NEW )?TAI|AHOM",
}
NAMES = {"c": "Chinese and Japanese", "t": "Thai, Lao, Khmer and Burmese", "u": "some scripts without spaces"}

# A text in the roles of its characters: "l" is a letter, "w" another character of words, such as a digit; "c", "t" and
# "u" are letters of scripts without spaces, by their segmenter; "p" is punctuation, "a" an apostrophe; "m" is a mark
# and "j" a joiner, which follow others, and "f" another control or format character, which may stand within a word;
# "s" is blank. "[" begins what is read as it is spelled, which goes on with "]". A page without a server finds words in
# the same way, in `tokens.mjs`.
EXTENDING = "mj"
_PART = "[lwm](?:[lwmjf]*[lwmj])?"
_RUNS = "|".join(f"{role}(?:[{role}mjf]*[{role}mj])?" for role in NAMES)
_WORD = re.compile(rf"{_PART}(?:(?<=[lmj])a(?=l){_PART})*|[pa][mj]*|\[\]*|{_RUNS}")


class _Roles(dict[int, str]):
    """The role of each character by its code, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        self[code] = role = _role(chr(code))
        return role


def _role(char: str) -> str:
    category = unicodedata.category(char)
    if char.isspace():
        return "s"
    if char in _APOSTROPHES:
        return "a"
    if category[0] == "P" or (category[0] == "S" and char.isascii()):
        return "p"
    if category[0] == "M":
        return "m"
    if category in ("Cc", "Cf"):
        return "j" if _JOINING.match(char) else "f"
    name = unicodedata.name(char, "") if category in ("Lo", "Lm", "Nl") else ""
    by_name = next((role for role, names in _BY_NAME.items() if re.match(names, name)), "")
    return by_name or ("l" if category[0] == "L" else "w")


ROLES: Mapping[int, str] = _Roles()


def roles_of(text: str, literal: Sequence[Span] = (), blank: Sequence[Span] = ()) -> str:
    """The roles of a text's characters.

    Args:
        literal: characters that are a word as they are spelled, such as "[MASK]".
        blank: characters that are no part of a word, such as a typed "[SEP]".
    """
    roles = text.translate(ROLES)
    for first, last in literal:
        roles = roles[:first] + "[".ljust(last - first, "]") + roles[last:]
    for first, last in blank:
        roles = roles[:first] + "s" * (last - first) + roles[last:]
    return roles


def words_in(text: str, roles: str, starts: Sequence[int] = ()) -> tuple[list[Span], list[str]]:
    """The words of a text, and what of it no segmenter knows.

    Args:
        roles: of its characters.
        starts: of its pieces, which are the words of scripts without a segmenter.
    """
    words: list[Span] = []
    unknown: list[str] = []
    for match in _WORD.finditer(roles):
        first, last = match.span()
        role = match[0][0]
        if role not in NAMES:
            words.append((first, last))
            continue
        cuts = _SEGMENTERS[role](text, match)
        if cuts is None:
            unknown.append(NAMES[role])
            cuts = (start for start in dict.fromkeys(starts) if first < start < last and roles[start] not in "mjf")
        words += pairwise([first, *cuts, last])
    return words, list(dict.fromkeys(unknown))


def owners_of(length: int, words: Sequence[Span]) -> list[int | None]:
    """The word of each of so many characters."""
    owners: list[int | None] = [None] * length
    for index, (first, last) in enumerate(words):
        owners[first:last] = [index] * (last - first)
    return owners


def owner_of(span: Span, owners: Sequence[int | None]) -> int | None:
    """The word that a piece belongs to."""
    first, last = span
    if first < last and owners[first] is not None and owners[first] == owners[last - 1]:  # nearly always
        return owners[first]
    found = [owner for owner in owners[first:last] if owner is not None]
    return max(dict.fromkeys(found), key=found.count, default=None)


# Scripts without spaces ---------------------------------------------------------------------------------------------


def _cut_chinese_or_japanese(text: str, run: re.Match[str]) -> Iterator[int] | None:
    model = "ja_word" if _KANA.search(text) else "zh-hans" if _is_simplified(text) else "zh-hant"
    parse = _budoux(model)
    if parse is None:
        return None
    starts = [run.start() + each.start() for each in re.finditer("c[mjf]*", run[0])]
    ends = [*starts[1:], run.end()]
    # The models know composed characters only: one stands for each with its marks.
    composed = [unicodedata.normalize("NFC", text[a:b])[0] for a, b in zip(starts, ends, strict=True)]
    return _cuts(parse("".join(composed)), starts)


def _is_simplified(text: str) -> bool:
    """Whether GB 2312, of simplified characters, has at least as many of a text's as Big5, of traditional ones."""
    return len(text.encode("gb2312", "ignore")) >= len(text.encode("big5", "ignore"))


def _cuts(words: Sequence[str], starts: Sequence[int]) -> Iterator[int]:
    """Where in a text all words but the first begin, from the places of its characters."""
    place = 0
    for word in words[:-1]:
        place += len(word)
        yield starts[place]


def _cut_by_dictionary(text: str, run: re.Match[str]) -> Iterator[int] | None:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        return None
    starts = (first + run.start() for first, _ in WordBreaker(text[slice(*run.span())], "th").segments())
    return (start for start in starts if start > run.start() and run[0][start - run.start()] not in "mjf")


@functools.cache
def _budoux(model: str) -> Callable[[str], list[str]] | None:
    try:
        from budoux import parser
    except ImportError:
        return None
    return parser.Parser(json.loads((Path(parser.MODEL_DIR) / f"{model}.json").read_text("utf-8"))).parse


_SEGMENTERS: Mapping[str, Callable[[str, re.Match[str]], Iterator[int] | None]] = {
    "c": _cut_chinese_or_japanese,
    "t": _cut_by_dictionary,
    "u": lambda text, run: None,
}
