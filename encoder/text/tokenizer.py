"""Tokenise texts with Hugging Face's Rust library, and find the characters and the word of each piece."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tokenizers import Encoding
from tokenizers.normalizers import Lowercase
from tokenizers.normalizers import Sequence as NormalizerSequence

from encoder.errors import CheckpointError, InputError, UnsupportedModelError
from encoder.text.normalising import Normaliser
from encoder.text.tokenizer_file import TOKENIZER_FILE, Difference, TokenizerFile, first_difference, refuse_panics
from encoder.text.tokens import MAX_TOKENS, USUAL_TOKENS, Rewritten, Span, Text, Tokens
from encoder.text.vocabulary_file import VocabularyFile, has_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

TYPED_MASK = "[MASK]"  # read as the mask by every model that has one
SURROGATE = re.compile("[\ud800-\udfff]")


class _Encoded(NamedTuple):
    """An encoding of one or two texts. Tokens of the prompt belong to no text; `of_prompt` has their characters."""

    ids: list[int]
    type_ids: list[int]
    attention_mask: list[int]
    offsets: list[Span]
    word_ids: list[int | None]
    sequence_ids: list[int | None]
    of_prompt: list[Span | None]


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
        self.folder_length = int(folder_length or inner.model_max_length)
        self.reads_all = False
        self.prompt = prompt
        self.reads_types = "token_type_ids" in getattr(inner, "model_input_names", ("token_type_ids",))
        self._last_type = num_types - 1 if self.reads_types else 0
        # Truncation is a setting of the shared Rust object, so concurrent calls would interfere.
        self._lock = threading.Lock()
        framing_ids = (
            inner.cls_token_id,
            inner.sep_token_id,
            inner.pad_token_id,
            inner.bos_token_id,
            inner.eos_token_id,
        )
        self._frame_ids = {token_id for token_id in framing_ids if token_id is not None}
        self._special_ids = set(inner.all_special_ids) - {inner.unk_token_id} | self._frame_ids
        self._verbatim_ids = set(self._rust.get_added_tokens_decoder()) - {inner.unk_token_id}
        self._normaliser = Normaliser(self._rust)
        self._is_wordpiece = type(self._rust.model).__name__ == "WordPiece"

    @classmethod
    def from_file(cls, folder: Path, *, max_length: int = USUAL_TOKENS, folder_length: int | None = None) -> Tokenizer:
        """The tokenizer of a shipped folder, without `transformers`. Raises what `VocabularyFile` raises."""
        return cls(VocabularyFile(folder), max_length=max_length, folder_length=folder_length)

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
        file = TokenizerFile(folder) if (folder / TOKENIZER_FILE).exists() else None
        from transformers import AutoTokenizer  # takes seconds

        try:
            inner = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except Exception as error:  # the tokenizers library raises plain Exception for a corrupt file
            raise CheckpointError(f"The tokenizer in {folder} cannot be loaded: {first_line(error)}") from error
        if not getattr(inner, "is_fast", False):
            raise UnsupportedModelError(
                f"The tokenizer in {folder} ({type(inner).__name__}) does not say which characters a token stands for: "
                "a tokenizer.json is needed."
            )
        remark = file.restore(inner) if file else ""
        if lowercase:
            _lowercase(inner.backend_tokenizer)
        fast = cast("PreTrainedTokenizerFast", inner)
        found = cls(fast, max_length=max_length, folder_length=folder_length, num_types=num_types, prompt=prompt)
        found.folder, found.lowercase, found.remark = folder, lowercase, remark
        return found

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

    def prompted(self, prompt: str) -> Tokenizer:
        """The same tokenizer with another prompt."""
        other = copy(self)  # with the same lock
        other.prompt = prompt
        return other

    @property
    def prompt_length(self) -> int:
        """Tokens of the prompt, counted as sentence-transformers does: with the special token before it."""
        if not self.prompt:
            return 0
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
        sentences = tuple(text if isinstance(text, str) else " ".join(text) for text in texts)
        for letter, sentence in zip("AB", sentences, strict=False):
            _check_characters(letter, sentence)
        with refuse_panics(lambda said: InputError(f"This model's tokenizer gives up on this text: {said}.")):
            return self._checked(texts, sentences)

    def _checked(self, texts: list[Text], sentences: tuple[str, ...]) -> Tokens:
        with self._lock:
            encoding = self._unprompted(self._encode(texts, truncation=False), texts)
            total = _tokens_per_sentence(encoding, len(texts))
            for letter, sentence, count in zip("AB", sentences, total, strict=False):
                if count == 0 or not sentence.strip():
                    raise InputError(
                        f"Sentence {letter} is empty, or holds only spaces and control characters: type a word."
                    )
            if len(encoding.ids) > self.max_length:
                encoding = self._unprompted(self._encode(texts, truncation=True), texts)
        kept = _tokens_per_sentence(encoding, len(texts))
        return self._tokens(texts, sentences, encoding, tuple(n - k for n, k in zip(total, kept, strict=True)))

    def labels_of(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Readable pieces of any ids, as in `Tokens.labels`; "?" for ids beyond the vocabulary."""
        pieces = tuple(self._rust.id_to_token(token_id) or "?" for token_id in ids)
        if self._is_wordpiece:
            return pieces
        return tuple(self.inner.convert_tokens_to_string([piece]).strip() or piece for piece in pieces)

    def _encode(self, texts: list[Text], *, truncation: bool) -> Encoding:
        if truncation:
            self._rust.enable_truncation(
                self.max_length, strategy="longest_first", direction=self.inner.truncation_side
            )
        else:
            self._rust.no_truncation()
        a, b = (*map(self._with_own_mask, self._prompted(texts)), None)[:2]
        return self._rust.encode(a, b, is_pretokenized=not isinstance(a, str))

    def _prompted(self, texts: list[Text]) -> list[Text]:
        """The texts with the prompt before the first."""
        first = texts[0]
        prompted = self.prompt + first if isinstance(first, str) else [*self.prompt.split(), *first]
        return [prompted, *texts[1:]]

    def _unprompted(self, encoding: Encoding, texts: list[Text]) -> _Encoded:
        """The encoding of the texts alone: tokens of the prompt belong to no text."""
        if isinstance(texts[0], str):
            return _encoded(encoding, characters=len(self.prompt))
        return _encoded(encoding, words=len(self.prompt.split()))

    def _with_own_mask(self, text: Text) -> Text:
        """The text with a typed "[MASK]" as the mask token of this tokenizer, if that is as long, as "<mask>" is."""
        own = self.inner.mask_token
        if own is None or own == TYPED_MASK or len(own) != len(TYPED_MASK):
            return text
        return (
            text.replace(TYPED_MASK, own) if isinstance(text, str) else [word.replace(TYPED_MASK, own) for word in text]
        )

    def _tokens(
        self, texts: list[Text], sentences: tuple[str, ...], encoding: _Encoded, truncated: tuple[int, ...]
    ) -> Tokens:
        ids = tuple(encoding.ids)
        pieces = cast("tuple[str, ...]", tuple(map(self._rust.id_to_token, ids)))
        sentence_ids: tuple[int | None, ...] = tuple(encoding.sequence_ids)
        frame = self._frame_ids
        special = tuple([part is None or token_id in frame for token_id, part in zip(ids, sentence_ids, strict=True)])
        spans = include_combining_marks(spans_of(texts, encoding, sentence_ids), sentence_ids, sentences)
        given = texts, encoding.word_ids, sentence_ids, special
        word_ids, words = words_from_text(*given, spans) if isinstance(texts[0], str) else words_from_lists(*given)
        typed_special = {
            piece: None
            for piece, token_id, sentence in zip(pieces, ids, sentence_ids, strict=True)
            if token_id in self._special_ids and sentence is not None
        }
        return Tokens(
            pieces=pieces,
            labels=pieces
            if self._is_wordpiece
            else tuple(
                self._label(piece, span or in_prompt, self.prompt if sentence is None else sentences[sentence])
                for piece, span, in_prompt, sentence in zip(
                    pieces, spans, encoding.of_prompt, sentence_ids, strict=True
                )
            ),
            ids=ids,
            token_type_ids=tuple([min(type_id, self._last_type) for type_id in encoding.type_ids]),
            attention_mask=tuple(encoding.attention_mask),
            special=special,
            spans=spans,
            word_ids=word_ids,
            sentence_ids=sentence_ids,
            words=words,
            sentences=sentences,
            sentence_b_start=sentence_ids.index(1) if len(texts) == 2 else None,
            truncated=truncated,
            max_length=self.max_length,
            typed_special=tuple(typed_special),
            rewritten=tuple(self._rewritten(sentences, ids, spans, sentence_ids)),
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

    def _label(self, piece: str, span: Span | None, sentence: str) -> str:
        """The readable form of a piece; byte-level and sentencepiece vocabularies encode bytes and spaces."""
        if span is None:
            return piece
        # RoBERTa's spans exclude spaces, so a piece that is only a space has no surface text.
        return surface_text(sentence, span) or self.inner.convert_tokens_to_string([piece]) or piece


def _lowercase(rust: Any) -> None:
    """Let a tokenizer lowercase texts first."""
    rust.normalizer = NormalizerSequence([Lowercase(), *filter(None, (rust.normalizer,))])


def first_line(error: Exception) -> str:
    """The first line of an error's message, or its type if empty."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _check_type(letter: str, text: Text) -> None:
    if isinstance(text, str):
        return
    if not isinstance(text, Sequence) or not all(isinstance(word, str) for word in text):
        raise InputError(f"Sentence {letter} is of type {type(text).__name__}: give a text, or a list of words.")


def _check_characters(letter: str, sentence: str) -> None:
    found = SURROGATE.search(sentence)
    if found:
        raise InputError(
            f"Sentence {letter} holds half a surrogate pair (U+{ord(found[0]):04X}, character {found.start()}), "
            "which stands for no character: remove it."
        )


def _encoded(encoding: Encoding, *, characters: int = 0, words: int = 0) -> _Encoded:
    """An encoding whose first text starts with so many characters, or words, of a prompt."""
    offsets, word_ids, sequence_ids = encoding.offsets, encoding.word_ids, encoding.sequence_ids
    of_prompt: list[Span | None] = [None] * len(offsets)
    has_prompt = characters or words
    for index in (index for index, sequence in enumerate(sequence_ids) if sequence == 0) if has_prompt else ():
        (first, last), word = offsets[index], word_ids[index]
        if (last <= characters) if characters else (word is not None and word < words):
            of_prompt[index], sequence_ids[index] = (first, last) if characters else None, None
        else:
            offsets[index] = max(0, first - characters), last - characters
            word_ids[index] = None if word is None else word - words
    ids, type_ids, attention_mask = encoding.ids, encoding.type_ids, encoding.attention_mask
    return _Encoded(ids, type_ids, attention_mask, offsets, word_ids, sequence_ids, of_prompt)


def _tokens_per_sentence(encoding: _Encoded, sentences: int) -> tuple[int, ...]:
    return tuple(encoding.sequence_ids.count(sentence) for sentence in range(sentences))


APOSTROPHES = ("'", "’")


def spans_of(texts: list[Text], encoding: _Encoded, sentence_ids: Sequence[int | None]) -> tuple[Span | None, ...]:
    """Spans in the sentence; for lists of words, the tokenizer counts from the start of each word."""
    starts = [[] if isinstance(text, str) else [0, *accumulate(len(word) + 1 for word in text)] for text in texts]
    spans: list[Span | None] = []
    for (first, last), sentence, word in zip(encoding.offsets, sentence_ids, encoding.word_ids, strict=True):
        if sentence is None:
            spans.append(None)
            continue
        shift = 0 if isinstance(texts[sentence], str) else starts[sentence][cast(int, word)]
        spans.append((first + shift, last + shift))
    return tuple(spans)


def include_combining_marks(
    spans: tuple[Span | None, ...], sentence_ids: tuple[int | None, ...], sentences: tuple[str, ...]
) -> tuple[Span | None, ...]:
    """Extend spans over following combining marks, such as the accent of "cafe\u0301", which uncased BERT drops."""
    if all(sentence.isascii() for sentence in sentences):
        return spans
    extended = list(spans)
    for index, (span, sentence) in enumerate(zip(spans, sentence_ids, strict=True)):
        if span is None or sentence is None:
            continue
        text, last = sentences[sentence], span[1]
        following = spans[index + 1] if sentence_ids[index + 1 : index + 2] == (sentence,) else None
        limit = len(text) if following is None else following[0]
        while last < limit and unicodedata.category(text[last]) == "Mn":
            last += 1
        extended[index] = (span[0], last)
    return tuple(extended)


def surface_text(text: str, span: Span) -> str:
    """The text of a span, stripped unless it is only whitespace."""
    characters = text[slice(*span)]
    return characters.strip() or characters


def words_from_lists(
    texts: list[Text],
    tokenizer_words: Sequence[int | None],
    sentence_ids: Sequence[int | None],
    special: Sequence[bool],
) -> tuple[tuple[int | None, ...], tuple[str, ...]]:
    """The word index of each piece, and the given words; B's indices follow A's."""
    shift = (0, len(texts[0]))
    word_ids = tuple(
        None if is_special or word is None or sentence is None else word + shift[sentence]
        for word, sentence, is_special in zip(tokenizer_words, sentence_ids, special, strict=True)
    )
    return word_ids, tuple(word for text in texts for word in text)


def words_from_text(
    texts: list[Text],
    tokenizer_words: Sequence[int | None],
    sentence_ids: Sequence[int | None],
    special: Sequence[bool],
    spans: Sequence[Span | None],
) -> tuple[tuple[int | None, ...], tuple[str, ...]]:
    """The tokenizer's words, with contractions rejoined ("don't", which BERT splits at the apostrophe)."""
    word_ids: list[int | None] = []
    word_spans: list[tuple[int, Span]] = []  # sentence, characters
    previous: tuple[int | None, int | None] = (None, None)
    for word, sentence, span, is_special in zip(tokenizer_words, sentence_ids, spans, special, strict=True):
        if is_special or sentence is None or span is None:
            word_ids.append(None)
            previous = (None, None)
            continue
        continues = bool(word_spans) and (
            previous == (sentence, word)
            or (
                (previous[0], word_spans[-1][1][1]) == (sentence, span[0])
                and _contracted(cast(str, texts[sentence]), word_spans[-1][1], span)
            )
        )
        if continues:
            start = word_spans[-1][1][0]
            word_spans[-1] = (sentence, (start, max(span[1], word_spans[-1][1][1])))
        else:
            word_spans.append((sentence, span))
        word_ids.append(len(word_spans) - 1)
        previous = (sentence, word)
    words = tuple([surface_text(cast(str, texts[sentence]), span) for sentence, span in word_spans])
    return tuple(word_ids), words


def _contracted(text: str, word: Span, piece: Span) -> bool:
    """Whether a piece right after a word continues it across an apostrophe: "don" + "'" + "t", or "don" + "'t"."""
    apostrophe = piece[0] if text[slice(*piece)].startswith(APOSTROPHES) else piece[0] - 1
    return (
        word[0] < apostrophe
        and text[apostrophe] in APOSTROPHES
        and text[apostrophe - 1].isalpha()
        and text[apostrophe + 1 : apostrophe + 2].isalpha()
    )
