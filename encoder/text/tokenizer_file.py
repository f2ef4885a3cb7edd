"""A folder's tokenizer.json: whether it may be run, and whether `transformers` cuts texts as it says.

`transformers` 5 builds the tokenizers of many families from a class and the vocabulary, and drops the normalizer and
the pre-tokenizer of the file (transformers#45701, #47706). The file is what the model was trained with. Only settings
that tokenizer_config.json names come before it, as in every version of `transformers`.
"""

from __future__ import annotations

import base64
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tokenizers import AddedToken
from tokenizers import Tokenizer as RustTokenizer

from encoder.errors import CheckpointError, HeadlightError
from encoder.text.trial import GIVES_UP, Trial

TOKENIZER_FILE, SETTINGS_FILE = "tokenizer.json", "tokenizer_config.json"
NAMING_TOKENS = (SETTINGS_FILE, "special_tokens_map.json", "added_tokens.json")  # besides tokenizer.json
PROBES = (
    "The bank raised its rates.",
    "Über café, Ærø and São Paulo",
    "GOOD. Don't! It's 3.14 % of $1,000 (approx.)",
    "le fromage est bon",
    "İstanbul'da IŞIK",
    "Ελληνικά και Ελλάδα",
    "Она сказала: «Привет!»",
    "שָׁלוֹם עולם",
    "مرحبا بالعالم، كيف حالك؟",
    "यहाँ हिन्दी है",
    "ฉันรักแมว",
    "東京に住んでいます。かぎ",
    "我爱北京天安门",
    "한국어를 배웁니다",
    "so 😂😂 👩‍💻 great👍🏽film",
    "two  spaces, a\ttab\nand\r\n\r\nbreaks ",
    " leading and non\u00a0breaking",
    "cafe\u0301 ﬁne ½ ① Ⅻ x² … “quoted” – dash",
    "snake_case CamelCase e-mail@example.org https://example.org/?q=1&r={2}",
    "antidisestablishmentarianism 1234567890 \u200b\u00ad.",
)
PAIR = ("Was the river cold?", "She sat on the bank.")
MOST_GROWTH = 100  # times that a normalizer may lengthen a text: names of emoji have up to 70 characters
MOST_BYTES = 100_000_000  # of the file: 250,000 tokens take 20 million
MOST_STEPS = 200  # of each part
MOST_FRAME = 1_000  # texts and special tokens of a template; templates in a row multiply
MOST_ADDED = 20_000  # tokens besides the vocabulary, of which transformers reads 5,000 in a second
MOST_ADDED_CHARACTERS = 1_000_000  # of them all
ZERO_WIDTH = re.compile(r"\(\?|\\\\[bBAGKzZ]|[*?^$|]|\{0|\{,")  # in a regular expression
SHOWN = 8  # tokens of a cut in a message
# A part of an expression: a character, or what stands for one, and how often it repeats; "|" is between two ways.
# What Llama and others add to GPT-2's expression, such as "(?i:'s|'t)", counts as a part.
PART = re.compile(
    r"""(?P<other>\|)
    | (?: \(\?i:(?:'[a-z]+\|?)+\) | \\s\+\(\?!\\S\)(?=\||$) | \\s\*\[\\r\\n\]\+(?=\|\\s\+)
        | \\[pP]\{\^?\w+\} | \\[dDwWsSnrt] | \\[^\w\s] | \[\^?(?:[^][\\]|\\.|\[[^][\\]*\])+\] | [^][\\(){}*+?|^$] )
      (?P<often>(?P<unbounded>[*+]|\{\d,\}) | \? | \{\d(?:,\d)?\})?""",
    re.VERBOSE,
)
MOST_CHOICES = 2  # parts that repeat up to nine times, before one that has to follow
# What a tokenizer may have whose time is in proportion to a text.
PLAIN_STEPS, PLAIN_PIECE, PLAIN_WORD = 20, 64, 200  # steps; characters of a piece of Unigram, of a word of WordPiece
# Settings of tokenizer_config.json, and what they are called in these parts of tokenizer.json.
EXPLICIT: Mapping[str, Mapping[str, str]] = {
    "BertNormalizer": {
        "do_lower_case": "lowercase",
        "strip_accents": "strip_accents",
        "tokenize_chinese_chars": "handle_chinese_chars",
    },
    "ByteLevel": {"add_prefix_space": "add_prefix_space"},
}
PARTS = ("normalizer", "pre_tokenizer")
# Parts that rewrite texts, and what their steps are called.
CHAINS: Mapping[str, str] = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "decoder": "decoders",
    "post_processor": "processors",
}
FRAME = ("add_bos_token", "add_eos_token")


class Difference(NamedTuple):
    """The first text that two tokenizers cut in two ways."""

    text: str
    cuts: tuple[str, str]


@contextmanager
def refuse_panics(refuse: Callable[[str], HeadlightError]) -> Iterator[None]:
    """Turn a panic of the tokenizers library, which is no Exception, into an error of ours."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise refuse((str(error).strip().splitlines() or ["it panicked"])[0]) from error


class TokenizerFile:
    """The tokenizer.json of a folder, checked before it is run, with the settings of tokenizer_config.json.

    Attributes:
        is_plain: whether the time that it takes is in proportion to a text.
    """

    def __init__(self, folder: Path) -> None:
        """Read the files.

        Raises:
            CheckpointError: a file is corrupt, or its tokenizer could fill the memory.
        """
        self.path = folder / TOKENIZER_FILE
        self.content = _read(self.path)
        settings = folder / SETTINGS_FILE
        self.settings = _read(settings) if settings.exists() else {}
        try:
            self._check()
            self.is_plain = self._takes_time_in_proportion()
        except (AttributeError, TypeError, ValueError) as error:  # of a part that is described otherwise
            raise CheckpointError(f"The tokenizer in {self.path} cannot be loaded: {error}") from error

    def _check(self) -> None:
        steps = {name: [*_steps(self.content.get(name) or {}, key)] for name, key in CHAINS.items()}
        for name, chain in steps.items():
            self._bound(len(chain), MOST_STEPS, f"has a {name} of {{:,}} steps")
        for name, chain in ("normalizer", steps["normalizer"] + steps["pre_tokenizer"]), ("decoder", steps["decoder"]):
            self._bound(_growth(chain), MOST_GROWTH, f"has a {name} that makes a text up to {{:,.0f}} times as long")
        if not all(map(is_plain, _expressions(steps["decoder"]))):
            raise CheckpointError(f"{self.path} has a decoder with an expression that could search for minutes.")
        frame = math.prod(map(_size_of_frame, steps["post_processor"]))
        self._bound(frame, MOST_FRAME, "has a post_processor that puts up to {:,} pieces around a text")
        added = self.content.get("added_tokens") or ()
        self._bound(len(added), MOST_ADDED, "adds {:,} tokens")
        characters = sum(len(token.get("content") or "") for token in added)
        self._bound(characters, MOST_ADDED_CHARACTERS, "adds tokens of {:,} characters")

    def _takes_time_in_proportion(self) -> bool:
        steps = [step for name in PARTS for step in _steps(self.content.get(name) or {}, CHAINS[name])]
        model = self.content.get("model") or {}
        pieces = model.get("vocab") if model.get("type") == "Unigram" else ()
        return (
            len(steps) <= PLAIN_STEPS
            and all(map(is_plain, _expressions(steps)))
            and (model.get("max_input_chars_per_word") or 0) <= PLAIN_WORD
            and max((len(piece) for piece, _ in pieces or ()), default=0) <= PLAIN_PIECE
        )

    def try_out(self) -> None:
        """Read some short texts in another process, if the file's tokenizer may take long for them.

        Raises:
            CheckpointError: it does.
        """
        if not self.is_plain and not all(
            Trial(each).reads(*PROBES) for each in {json.dumps(self.content), self._written}
        ):
            raise CheckpointError(f"The tokenizer in {self.path} gives up on a short text: {GIVES_UP}.")

    def _bound(self, count: float, most: int, said: str) -> None:
        if count > most:
            raise CheckpointError(f"{self.path} {said.format(count)}; at most {most:,} are supported.")

    @property
    def _adjusts(self) -> bool:
        """Whether tokenizer_config.json names another setting."""
        return any(_adjusted(part := self.content.get(name), self.settings) != part for name in PARTS)

    @property
    def _written(self) -> str:
        """The file with the settings of tokenizer_config.json."""
        return json.dumps(self.content | {name: _adjusted(self.content.get(name), self.settings) for name in PARTS})

    def load(self, *, like: RustTokenizer, adjusted: bool) -> RustTokenizer:
        """The tokenizer as the file has it, neither padding nor truncating.

        Args:
            like: frames texts in the same way where the file says nothing, or tokenizer_config.json something else.
            adjusted: with the settings of tokenizer_config.json.
        Raises:
            CheckpointError: the file does not describe a tokenizer.
        """
        try:
            if adjusted and self._adjusts:
                found = RustTokenizer.from_str(self._written)
            else:
                found = RustTokenizer.from_file(str(self.path))
        except Exception as error:  # the library raises plain Exception for a corrupt file
            raise CheckpointError(f"{self.path} cannot be loaded: {error}") from error
        if found.post_processor is None or any(name in self.settings for name in FRAME):
            found.post_processor = like.post_processor
        found.encode_special_tokens = like.encode_special_tokens
        found.no_padding()
        found.no_truncation()
        return found

    def describes(self, built: RustTokenizer) -> bool:
        """Whether a tokenizer has the parts of the file, so that it need not be loaded a second time."""
        parts = {name: getattr(built, name) for name in ("normalizer", "pre_tokenizer", "post_processor")}
        states = {name: None if part is None else json.loads(part.__getstate__()) for name, part in parts.items()}
        model, described = built.model, self.content.get("model") or {}
        values = {name: value for name, value in described.items() if name not in ("type", "vocab", "merges")}
        added = built.get_added_tokens_decoder()
        return (
            all(self.content.get(name) == state for name, state in states.items())
            and described.get("type") == type(model).__name__
            and all(getattr(model, name, described) == value for name, value in values.items())
            and len(described.get("vocab") or ()) == built.get_vocab_size(with_added_tokens=False)
            and all(_same_token(token, added.get(token["id"])) for token in self.content.get("added_tokens") or ())
        )

    def restore(self, inner: Any) -> str:
        """Give a tokenizer of `transformers` the parts of the file that it lost.

        Args:
            inner: changed in place.
        Returns:
            What differed, in one sentence; "" if nothing did.
        """
        built = inner.backend_tokenizer
        if self.describes(built):
            return ""
        built.encode_special_tokens = inner.split_special_tokens
        built.no_padding()
        built.no_truncation()
        own = adjusted = self.load(like=built, adjusted=False)
        if self._adjusts:
            adjusted = self.load(like=built, adjusted=True)
        probes = (*PROBES, f"a {' '.join(map(str, inner.all_special_tokens))} b")
        with refuse_panics(lambda said: CheckpointError(f"{self.path} gives up on a short text: {said}.")):
            if found := first_difference(built, adjusted, probes):
                _add_missing(adjusted, inner.added_tokens_decoder)
                inner._tokenizer = adjusted
                return (
                    f"The tokenizer of transformers cuts “{found.text}” into {found.cuts[0]}, and the folder's own "
                    f"tokenizer.json into {found.cuts[1]}: the file's tokenizer is used."
                )
            if found := first_difference(own, adjusted, probes):
                return (
                    f"tokenizer.json cuts “{found.text}” into {found.cuts[0]}, and with the settings of "
                    f"tokenizer_config.json it is {found.cuts[1]}: the settings are used, as transformers does."
                )
        return ""


def first_difference(one: RustTokenizer, other: RustTokenizer, probes: Sequence[str] = PROBES) -> Difference | None:
    """The first probe that two tokenizers cut into other ids, or a pair with other ids or types; None if all agree."""
    for a, b in (*((text, None) for text in probes), PAIR):
        first, second = one.encode(a, b), other.encode(a, b)
        if (first.ids, first.type_ids) != (second.ids, second.type_ids):
            return Difference(" ".join(filter(None, (a, b))), _excerpts(first.tokens, second.tokens))
    return None


def _excerpts(one: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """Two cuts from the token before the first difference on, quoted."""
    count = next((index for index, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    start = max(count - 1, 0)
    written = [f"{'… ' * bool(start)}{' '.join(cut[start : start + SHOWN])}" for cut in (one, other)]
    return f"“{written[0]} …”", f"“{written[1]} …”"


def _read(path: Path) -> dict[str, Any]:
    if path.stat().st_size > MOST_BYTES:
        raise CheckpointError(f"{path} has {path.stat().st_size:,} bytes; at most {MOST_BYTES:,} are supported.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise CheckpointError(f"The tokenizer in {path} cannot be loaded: {error}") from error
    if not isinstance(content, dict):
        raise CheckpointError(f"The tokenizer in {path} cannot be loaded: it is no object of settings.")
    return content


def bound_named_tokens(folder: Path) -> None:
    """Raise a CheckpointError if a folder's settings name more tokens than can be read in seconds."""
    for path in filter(Path.exists, (folder / name for name in NAMING_TOKENS)):
        content = _read(path)
        count = max(len(content), *(len(value) for value in content.values() if isinstance(value, list | dict)), 0)
        if count > MOST_ADDED:
            raise CheckpointError(f"{path} names {count:,} tokens; at most {MOST_ADDED:,} are supported.")


def _adjusted(part: Any, settings: Mapping[str, Any]) -> Any:
    """A part of tokenizer.json with the settings that tokenizer_config.json names."""
    if isinstance(part, list):
        return [_adjusted(each, settings) for each in part]
    if not isinstance(part, dict):
        return part
    names = EXPLICIT.get(str(part.get("type")), {})
    named = {own: settings[name] for name, own in names.items() if isinstance(settings.get(name), bool)}
    return {key: _adjusted(value, settings) for key, value in part.items()} | named


def _same_token(described: Mapping[str, Any], token: AddedToken | None) -> bool:
    return token is not None and all(
        getattr(token, name) == described[name]
        for name in ("content", "special", "lstrip", "rstrip", "normalized", "single_word")
    )


def _add_missing(tokenizer: RustTokenizer, tokens: Mapping[int, AddedToken]) -> None:
    """Add the tokens that tokenizer_config.json alone names, as long as each gets its own id."""
    for token_id, token in sorted(tokens.items()):
        if tokenizer.id_to_token(token_id) is None and token_id == tokenizer.get_vocab_size():
            tokenizer.add_tokens([token])


def _steps(part: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    """The steps of a part, in order."""
    if isinstance(inner := part.get(key), list):
        for each in inner:
            yield from _steps(each, key)
    else:
        yield part


def _expressions(steps: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The regular expressions of some steps."""
    patterns = (step.get("pattern") for step in steps)
    return (str(pattern["Regex"]) for pattern in patterns if isinstance(pattern, dict) and "Regex" in pattern)


def is_plain(expression: str) -> bool:
    """Whether the time to find an expression everywhere is in proportion to a text.

    It is if nothing has to follow a part that repeats without a limit, so that the search never goes back.
    """
    place, repeats, choices = 0, False, 0
    while found := PART.match(expression, place):
        place, often = found.end(), found["often"]
        if found["other"]:
            repeats, choices = False, 0
        elif often not in ("?", "*") and (repeats or choices > MOST_CHOICES):
            return False
        repeats |= found["unbounded"] is not None
        choices += often is not None
    return place == len(expression)


def _size_of_frame(step: Mapping[str, Any]) -> int:
    """How many texts and special tokens a step of a post-processor puts in a row, at most."""
    tokens = step.get("special_tokens")
    ids = [len(token.get("ids") or ()) for token in tokens.values()] if isinstance(tokens, dict) else []
    return max(*(len(step.get(name) or ()) for name in ("single", "pair")), *ids, 1)


def _growth(steps: Sequence[Mapping[str, Any]]) -> float:
    """How many times as long some steps can make a text, at most.

    A step multiplies what an earlier one wrote if that has all the characters that it replaces.
    """
    grown: list[tuple[str | None, float]] = []  # of the later steps: the characters that they replace, and their growth
    for step in reversed(steps):
        pattern, written, growth = _replacement(step)
        reached = (each for replaced, each in grown if replaced is None or set(replaced) <= set(written or replaced))
        grown.append((pattern, growth * max(reached, default=1.0)))
    return max((growth for _, growth in grown), default=1.0)


def _replacement(step: Mapping[str, Any]) -> tuple[str | None, str | None, float]:
    """What a step replaces (None = anything), what it writes instead (None = anything), and how much longer it is."""
    kind = step.get("type")
    if kind == "Replace":
        pattern, content = step.get("pattern") or {}, str(step.get("content", ""))
        replaced = pattern.get("String") if isinstance(pattern, dict) else str(pattern)
        length = len(content) / max(len(replaced or ""), 1)
        if replaced is None and ZERO_WIDTH.search(str(pattern)):  # written between two characters
            length += 1
        return (None if replaced is None else _plain(replaced)), _plain(content), max(length, 1.0)
    if kind == "ByteLevel":  # two bytes for a byte beyond ASCII
        return None, None, 2.0
    if kind == "Prepend":
        return "\0", _plain(str(step.get("prepend", ""))), 1.0 + len(str(step.get("prepend", "")))
    if kind == "Precompiled":
        characters = base64.b64decode(step.get("precompiled_charsmap") or "")
        start = 4 + int.from_bytes(characters[:4], "little")  # after the trie, strings that end with a zero
        if start > len(characters):  # for which the library would find memory
            raise ValueError(f"its charsmap is {len(characters):,} bytes long, and its trie {start - 4:,}")
        return None, None, max(max(map(len, characters[start:].split(b"\0"))) / 2, 1.0)
    return None, None, 1.0


def _plain(text: str) -> str:
    """Without case and marks, which other steps may change."""
    return "".join(each for each in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(each))
