"""Tokenise texts with Hugging Face's Rust library, and find the characters and the word of each piece."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from tokenizers import AddedToken, Encoding
from tokenizers.normalizers import Lowercase
from tokenizers.normalizers import Sequence as NormalizerSequence

from encoder.errors import CheckpointError, InputError, UnsupportedModelError
from encoder.text.normalising import Normaliser
from encoder.text.pieces import TYPED_MASK, Kind, joined, labels_in_text, read_pieces, visible_blanks
from encoder.text.tokenizer_file import (
    PLAIN_PIECE,
    PROBES,
    TOKENIZER_FILE,
    Difference,
    TokenizerFile,
    bound_named_tokens,
    first_difference,
    refuse_panics,
)
from encoder.text.tokens import MAX_TOKENS, USUAL_TOKENS, Rewritten, Span, Text, Tokens
from encoder.text.trial import GIVES_UP, Trial
from encoder.text.vocabulary_file import VocabularyFile, has_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

PROMPT = -1
FRAMING = ("cls", "sep", "pad", "bos", "eos")
MOST_CHARACTERS = 200_000  # of a text, which take a second; no model reads so many
NOTHING_TO_READ = "Sentence {} is empty, or holds only spaces and control characters: type a word."
SURROGATE = re.compile("[\ud800-\udfff]")


class _Encoded(NamedTuple):
    """An encoding of one or two texts. A token's part is its text, `PROMPT`, or None if it was added."""

    ids: list[int]
    type_ids: list[int]
    attention_mask: list[int]
    offsets: list[Span]
    parts: list[int | None]


Role = Literal["query", "document"]  # of a text in a search


class Expansion(NamedTuple):
    """How a query is made longer with tokens that a model fills by itself.

    Attributes:
        length: number of tokens up to which it is.
        attend: whether other tokens may look at these.
        token: the token; None for the mask token, or the end token without one.
        is_fixed: whether longer queries are cut at this length.
    """

    length: int
    attend: bool = False
    token: str | None = None
    is_fixed: bool = True


class Tokenizer:
    """A thread-safe tokenizer that returns `Tokens`.

    Attributes:
        folder: that it was read from; None for one in memory, and for those that ship.
        lowercase: whether texts are lowercased first.
        reads_types: whether the model is given token types: the tokenizer's `model_input_names` say so.
        remark: how the tokenizer of `transformers` differs from the folder's tokenizer.json, as a sentence; "" if not.
    """

    folder: Path | None = None
    lowercase = False
    remark = ""
    _trial: Trial | None = None  # of a tokenizer that may take long for a text

    def __init__(
        self,
        inner: PreTrainedTokenizerFast | VocabularyFile,
        *,
        max_length: int = USUAL_TOKENS,
        folder_length: int | None = None,
        num_types: int = 2,
        prompt: str = "",
    ) -> None:
        """Wrap a tokenizer.

        Args:
            max_length: the largest number of tokens of the model, which has positions for them.
            folder_length: of its folder, which a user can exceed; None = as the tokenizer says.
            num_types: its number of token types; with one, both sentences have type 0, and without
                "token_type_ids" among the tokenizer's `model_input_names`.
            prompt: read before the text, or before the first of two; its tokens are special tokens.
        """
        self.inner: Any = inner
        self._rust = inner.backend_tokenizer
        self._rust.no_padding()
        self._rust.encode_special_tokens = inner.split_special_tokens
        self.positions = min(max_length, MAX_TOKENS)
        inner.model_max_length = int(inner.model_max_length)  # a folder may say it as a text
        self.folder_length = folder_length or inner.model_max_length
        self.reads_all = False
        self.prompt = prompt
        self.expansion: Expansion | None = None
        self.reads_types = "token_type_ids" in getattr(inner, "model_input_names", ("token_type_ids",))
        self._last_type = num_types - 1 if self.reads_types else 0
        # Truncation is a setting of the shared Rust object, so concurrent calls would interfere.
        self._lock = threading.Lock()
        self._frame_ids = {getattr(inner, f"{each}_token_id") for each in FRAMING} - {None}
        self._special_ids = set(inner.all_special_ids) - {inner.unk_token_id} | self._frame_ids
        self._verbatim_ids = set(self._rust.get_added_tokens_decoder()) - {inner.unk_token_id}
        self._normaliser = Normaliser(self._rust)
        self.is_wordpiece = type(self._rust.model).__name__ == "WordPiece"

    @classmethod
    def from_file(cls, folder: Path, *, max_length: int = USUAL_TOKENS, folder_length: int | None = None) -> Tokenizer:
        """The tokenizer of a shipped folder, without `transformers`. Raises what `VocabularyFile` raises."""
        found = cls(VocabularyFile(folder), max_length=max_length, folder_length=folder_length)
        found.folder = folder
        return found

    @classmethod
    def from_folder(
        cls,
        folder: Path,
        *,
        max_length: int = USUAL_TOKENS,
        folder_length: int | None = None,
        num_types: int = 2,
        prompt: str = "",
        lowercase: bool = False,
    ) -> Tokenizer:
        """The tokenizer of any model folder, as `transformers` loads it; options as in the class.

        Args:
            lowercase: whether texts are lowercased first.
        Raises:
            CheckpointError: its files are missing, corrupt or dangerous.
            UnsupportedModelError: it has no character offsets.
        """
        if not has_tokenizer(folder):  # otherwise `transformers` returns one with an empty vocabulary
            raise CheckpointError(
                f"{folder} holds no tokenizer: a tokenizer.json or a vocabulary (vocab.txt) is needed."
            )
        bound_named_tokens(folder)
        file = TokenizerFile(folder) if (folder / TOKENIZER_FILE).exists() else None
        if file is not None:
            file.try_out()
        from transformers import AutoTokenizer, PreTrainedTokenizerFast  # takes seconds

        remark = ""
        try:
            try:
                inner = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            except Exception:
                if file is None:
                    raise
                inner = PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True)  # the file as it is
                remark = f"transformers cannot build the tokenizer that the folder names: {TOKENIZER_FILE} is used."
        except Exception as error:  # the tokenizers library raises plain Exception for a corrupt file
            raise CheckpointError(f"The tokenizer in {folder} cannot be loaded: {first_line(error)}") from error
        if not getattr(inner, "is_fast", False):
            raise UnsupportedModelError(
                f"The tokenizer in {folder} ({type(inner).__name__}) does not say which characters a token stands for: "
                "a tokenizer.json is needed."
            )
        remark = remark or (file.restore(inner) if file else "")
        if lowercase:
            _lowercase(inner.backend_tokenizer)
        fast = cast("PreTrainedTokenizerFast", inner)
        found = cls(fast, max_length=max_length, folder_length=folder_length, num_types=num_types, prompt=prompt)
        found.folder, found.lowercase, found.remark = folder, lowercase, remark
        if (not file.is_plain) if file else _has_long_pieces(found._rust):
            found._trial = Trial(found._rust.to_str())
            if not found._trial.reads(*PROBES):
                raise CheckpointError(f"The tokenizer in {folder} gives up on a short text: {GIVES_UP}.")
        return found

    def _try(self, *texts: str) -> None:
        """Raise an InputError if the tokenizer may take long for a text, and does."""
        if self._trial is not None and not self._trial.reads(*texts):
            raise InputError(f"This model's tokenizer gives up on this text: {GIVES_UP}.")

    def differs_from_file(self) -> Difference | None:
        """The first short text that the folder's tokenizer.json cuts in another way. Raises as `from_folder`."""
        if self.folder is None or not (self.folder / TOKENIZER_FILE).exists():
            return None
        own = TokenizerFile(self.folder).load(like=self._rust, adjusted=True)
        if self.lowercase:
            _lowercase(own)
        with (
            self._lock,
            refuse_panics(lambda said: CheckpointError(f"Its tokenizer gives up on a short text: {said}.")),
        ):
            self._rust.no_truncation()
            return first_difference(self._rust, own)

    def library_inputs(self, a: str, b: str | None = None) -> dict[str, list[int]]:
        """What the tokenizer of `transformers` itself gives a model for one text or a pair, by the names of inputs."""
        self._try(self.prompt + a, b or "")
        with self._lock:
            self._rust.no_truncation()
            return dict(self.inner(self.prompt + a, b))

    @property
    def usual_length(self) -> int:
        """The largest number of tokens that the folder has the model read."""
        return min(self.positions, self.folder_length)

    @property
    def max_length(self) -> int:
        """The largest number of tokens that are read."""
        return self.positions if self.reads_all else self.usual_length

    def reading(self, *, all_positions: bool) -> Tokenizer:
        """The same tokenizer, which reads as many tokens as there are positions for, or as the folder says."""
        other = copy(self)
        other.reads_all = all_positions
        return other

    def for_role(self, prompt: str, max_length: int | None = None, expansion: Expansion | None = None) -> Tokenizer:
        """The same tokenizer with another prompt, a smaller length, and an expansion."""
        other = copy(self)  # with the same lock
        other.prompt, other.expansion = prompt, expansion
        other.folder_length = max_length or self.folder_length
        if expansion is not None:
            other.folder_length = max(expansion.length, other.folder_length)
            if expansion.is_fixed:  # also where all positions are read
                other.positions = min(self.positions, expansion.length)
        return other

    def add_markers(self, markers: Iterable[str]) -> None:
        """Read prompts that are, or begin with, one piece of the vocabulary as that piece, where they would be cut."""
        known = self.inner.get_vocab()
        for marker in filter(str.split, markers):
            piece = next((each for each in (marker, marker.split()[0]) if each in known), None)
            self._try(piece or "")
            if piece is not None and self.inner.tokenize(piece) != [piece]:
                self.inner.add_tokens([AddedToken(piece, normalized=False, special=True)], special_tokens=True)

    @property
    def prompt_length(self) -> int:
        """Tokens of the prompt, counted as sentence-transformers does: with the special token before it."""
        if not self.prompt:
            return 0
        self._try(self.prompt)
        ids = self._rust.encode(self.prompt).ids
        return len(ids) - (ids[-1] in self.inner.all_special_ids)

    def __call__(self, a: Text, b: Text | None = None) -> Tokens:
        """Tokenise one text or a pair, truncating the longer one first.

        Raises:
            InputError: a sentence is neither a text nor a list of words, is empty or not valid Unicode, or the
                tokenizer drops all of it.
        """
        texts = [a] if b is None else [a, b]
        for letter, text in zip("AB", texts, strict=False):
            _check_type(letter, text)
        if len({isinstance(text, str) for text in texts}) > 1:
            raise InputError("Give both sentences as texts, or both as lists of words.")
        sentences = tuple(map(joined, texts))
        for letter, sentence in zip("AB", sentences, strict=False):
            _check_characters(letter, sentence)
        self._try(*map(self._with_own_mask, (self.prompt + sentences[0], *sentences[1:])))
        with refuse_panics(lambda said: InputError(f"This model's tokenizer gives up on this text: {said}.")):
            return self._checked(texts, sentences)

    def _checked(self, texts: list[Text], sentences: tuple[str, ...]) -> Tokens:
        with self._lock:
            encoding = self._encode(sentences, truncation=False)
            total = _tokens_per_sentence(encoding, len(texts))
            for letter, sentence, count in zip("AB", sentences, total, strict=False):
                if count == 0 or not sentence.strip():
                    raise InputError(NOTHING_TO_READ.format(letter))
            if len(encoding.ids) > self.max_length:
                encoding = self._encode(sentences, truncation=True)
        kept = _tokens_per_sentence(encoding, len(texts))
        for letter, count in zip("AB", kept, strict=False):
            if count == 0:
                raise InputError(f"No token of sentence {letter} is among the {self.max_length:,} that are read.")
        tokens = self._tokens(texts, sentences, encoding, tuple(n - k for n, k in zip(total, kept, strict=True)))
        return self.expanded(tokens)

    def expanded(self, tokens: Tokens) -> Tokens:
        """A query with the tokens that expand it, which count as special tokens; any other text as it is."""
        expansion = self.expansion
        if expansion is None or len(tokens) >= expansion.length:
            return tokens
        count, own = expansion.length - len(tokens), expansion.token or self.inner.mask_token or self.inner.eos_token
        added = {
            **dict.fromkeys(("pieces", "labels"), own),
            **dict.fromkeys(("spans", "word_ids", "sentence_ids")),
            "ids": self._rust.token_to_id(own),
            "attention_mask": int(expansion.attend),
            "token_type_ids": 0,
            "special": True,
        }
        longer: dict[str, Any] = {name: (*getattr(tokens, name), *[each] * count) for name, each in added.items()}
        return replace(tokens, **longer)

    def labels_of(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Readable pieces of any ids: "␣the" is not "the". "?" for ids beyond the vocabulary."""
        pieces = tuple(self._rust.id_to_token(token_id) or "?" for token_id in ids)
        if self.is_wordpiece:
            return pieces
        return tuple(self._readable(piece) for piece in pieces)

    def _readable(self, piece: str) -> str:
        bare = piece.lstrip("▁")
        text = " " * (len(piece) - len(bare)) + (self.inner.convert_tokens_to_string([bare]) if bare else "")
        letters = text.lstrip()
        return visible_blanks(text[: len(text) - len(letters)]) + letters or piece

    def _encode(self, sentences: Sequence[str], *, truncation: bool) -> _Encoded:
        """The encoding of the sentences, the first of them with the prompt before it."""
        if truncation:
            self._rust.enable_truncation(
                self.max_length, strategy="longest_first", direction=self.inner.truncation_side
            )
        else:
            self._rust.no_truncation()
        a, b = (*map(self._with_own_mask, (self.prompt + sentences[0], *sentences[1:])), None)[:2]
        return _encoded(self._rust.encode(a, b), len(self.prompt))

    def _with_own_mask(self, text: str) -> str:
        """The text with a typed "[MASK]" as the mask token of this tokenizer, if that is as long, as "<mask>" is."""
        own = self.inner.mask_token
        return text.replace(TYPED_MASK, own) if own and len(own) == len(TYPED_MASK) else text

    def _tokens(
        self, texts: list[Text], sentences: tuple[str, ...], encoding: _Encoded, truncated: tuple[int, ...]
    ) -> Tokens:
        ids = tuple(encoding.ids)
        pieces = cast("tuple[str, ...]", tuple(map(self._rust.id_to_token, ids)))
        sentence_ids = tuple([None if part == PROMPT else part for part in encoding.parts])
        special = tuple(
            [part is None or token_id in self._frame_ids for token_id, part in zip(ids, sentence_ids, strict=True)]
        )
        labels = list(pieces)
        spans: list[Span | None] = [None] * len(ids)
        word_ids: list[int | None] = [None] * len(ids)
        words: list[str] = []
        unsegmented: list[str] = []
        prompts = [(PROMPT, self.prompt)] if self.prompt else []
        for number, text in (*prompts, *enumerate(texts)):
            places = [place for place, part in enumerate(encoding.parts) if part == number]
            some, kinds = [pieces[place] for place in places], [self.kind_of(ids[place]) for place in places]
            offsets = [encoding.offsets[place] for place in places]
            read = read_pieces(text, some, offsets, kinds, is_cut=number != PROMPT and truncated[number] > 0)
            if not self.is_wordpiece:
                for place, label in zip(places, labels_in_text(joined(text), some, read, kinds), strict=True):
                    labels[place] = label
            if number == PROMPT:
                continue
            if not any(special[place] or owner is not None for place, owner in zip(places, read.owners, strict=True)):
                raise InputError(NOTHING_TO_READ.format("AB"[number]))
            for place, span, owner in zip(places, read.spans, read.owners, strict=True):
                spans[place] = span
                word_ids[place] = None if owner is None else owner + len(words)
            words += read.words
            unsegmented += read.unsegmented
        typed_special = {
            piece: None
            for piece, token_id, sentence in zip(pieces, ids, sentence_ids, strict=True)
            if token_id in self._special_ids and sentence is not None
        }
        return Tokens(
            pieces=pieces,
            labels=tuple(labels),
            ids=ids,
            token_type_ids=tuple([min(type_id, self._last_type) for type_id in encoding.type_ids]),
            attention_mask=tuple(encoding.attention_mask),
            special=special,
            spans=tuple(spans),
            word_ids=tuple(word_ids),
            sentence_ids=sentence_ids,
            words=tuple(words),
            sentences=sentences,
            sentence_b_start=sentence_ids.index(1) if len(texts) == 2 else None,
            truncated=truncated,
            max_length=self.max_length,
            typed_special=tuple(typed_special),
            rewritten=tuple(self._rewritten(sentences, ids, spans, sentence_ids)),
            unsegmented=tuple(dict.fromkeys(unsegmented)),
        )

    def _rewritten(
        self,
        sentences: tuple[str, ...],
        ids: Sequence[int],
        spans: Sequence[Span | None],
        sentence_ids: Sequence[int | None],
    ) -> Iterator[Rewritten]:
        """What the normalizer changes; added tokens, such as a typed "[MASK]", are read without it."""
        verbatim: list[list[Span]] = [[] for _ in sentences]
        for token_id, span, sentence in zip(ids, spans, sentence_ids, strict=True):
            if token_id in self._verbatim_ids and span is not None and sentence is not None:
                verbatim[sentence].append(span)
        for number, sentence_text in enumerate(sentences):
            for span, read_as in self._normaliser.changes(sentence_text, verbatim[number]):
                yield number, span, read_as

    def kind_of(self, token_id: int) -> Kind:
        """What a piece of a text is, by its id."""
        if token_id in self._frame_ids:
            return "frame"
        if token_id == self.inner.unk_token_id:
            return "unknown"
        return "added" if token_id in self._verbatim_ids else ""


def _lowercase(rust: Any) -> None:
    """Let a tokenizer lowercase texts first."""
    rust.normalizer = NormalizerSequence([Lowercase(), *filter(None, (rust.normalizer,))])


def _has_long_pieces(rust: Any) -> bool:
    return type(rust.model).__name__ == "Unigram" and max(map(len, rust.get_vocab()), default=0) > PLAIN_PIECE


def first_line(error: Exception) -> str:
    """The first line of an error's message, or its type if empty."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _check_type(letter: str, text: Text) -> None:
    if isinstance(text, str):
        return
    if not isinstance(text, Sequence) or not all(isinstance(word, str) for word in text):
        raise InputError(f"Sentence {letter} is of type {type(text).__name__}: give a text, or a list of words.")


def _check_characters(letter: str, sentence: str) -> None:
    if len(sentence) > MOST_CHARACTERS:
        raise InputError(
            f"Sentence {letter} has {len(sentence):,} characters; at most {MOST_CHARACTERS:,} are tokenised: cut it."
        )
    found = SURROGATE.search(sentence)
    if found:
        raise InputError(
            f"Sentence {letter} holds half a surrogate pair (U+{ord(found[0]):04X}, character {found.start()}), "
            "which stands for no character: remove it."
        )


def _encoded(encoding: Encoding, prompt: int) -> _Encoded:
    """An encoding whose first text starts with so many characters of a prompt."""
    offsets, parts = encoding.offsets, encoding.sequence_ids
    for index in (index for index, part in enumerate(parts) if part == 0) if prompt else ():
        first, last = offsets[index]
        if last <= prompt:
            parts[index] = PROMPT
        else:
            offsets[index] = max(0, first - prompt), last - prompt
    return _Encoded(encoding.ids, encoding.type_ids, encoding.attention_mask, offsets, parts)


def _tokens_per_sentence(encoding: _Encoded, sentences: int) -> tuple[int, ...]:
    return tuple(encoding.parts.count(sentence) for sentence in range(sentences))
