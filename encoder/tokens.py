"""Texts into tokens, and everything about them that a picture or a table needs."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

from transformers import AutoTokenizer, PreTrainedTokenizerFast

from encoder.errors import CheckpointError, InputError, UnsupportedModelError

Text = str | Sequence[str]
Span = tuple[int, int]

# Every picture is made for up to this many tokens, also where a model could read more.
MAX_TOKENS = 512

APOSTROPHES = ("'", "’")
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """One or two texts as a model reads them. Every tuple but the last six has one entry per token, T in all.

    Attributes:
        pieces: vocabulary units as the vocabulary spells them.
        labels: the same for people: byte-level marks such as "Ġ" are gone, "##" stays.
        ids, token_type_ids, attention_mask: what goes into the model.
        special: True for the tokens that frame a text, `[CLS]`, `[SEP]` and padding; not for `[MASK]` and `[UNK]`.
        spans: first character and the one after the last in the token's own sentence; None for added tokens.
        word_ids: which entry of `words` a piece belongs to; None for special tokens.
        sentence_ids: 0 for sentence A, 1 for sentence B; None for added tokens.
        words: surface words, A's and then B's. "don't" is one word; a list of words keeps its entries.
        sentences: the texts as they were given; a list of words is joined by spaces.
        sentence_b_start: index of B's first token, or None.
        truncated: tokens cut off from the end of each sentence.
        max_length: how many tokens fit.
        typed_special: special tokens that stood literally in the text and were read as such.
    """

    pieces: tuple[str, ...]
    labels: tuple[str, ...]
    ids: tuple[int, ...]
    token_type_ids: tuple[int, ...]
    attention_mask: tuple[int, ...]
    special: tuple[bool, ...]
    spans: tuple[Span | None, ...]
    word_ids: tuple[int | None, ...]
    sentence_ids: tuple[int | None, ...]
    words: tuple[str, ...]
    sentences: tuple[str, ...]
    sentence_b_start: int | None
    truncated: tuple[int, ...]
    max_length: int
    typed_special: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.pieces)


class Tokenizer:
    """A tokenizer of `transformers`, made safe to share between threads, that returns `Tokens`."""

    def __init__(self, inner: PreTrainedTokenizerFast, *, max_length: int = MAX_TOKENS) -> None:
        self.inner = inner
        self.max_length = min(max_length, MAX_TOKENS)
        # Truncation is a setting of the shared Rust object, so that two calls at once would see each other's.
        self._lock = threading.Lock()
        frame = (inner.cls_token_id, inner.sep_token_id, inner.pad_token_id, inner.bos_token_id, inner.eos_token_id)
        self._frame_ids = {token_id for token_id in frame if token_id is not None}
        self._special_ids = set(inner.all_special_ids) - {inner.unk_token_id} | self._frame_ids
        self._is_wordpiece = type(inner.backend_tokenizer.model).__name__ == "WordPiece"

    @classmethod
    def from_folder(cls, folder: Path, *, max_length: int = MAX_TOKENS) -> Tokenizer:
        """The tokenizer of a model folder.

        Raises:
            CheckpointError: its files are missing or corrupt.
            UnsupportedModelError: it cannot say which characters a token stands for.
        """
        try:
            inner = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except Exception as error:  # the tokenizers library raises plain Exception for a corrupt file
            raise CheckpointError(f"The tokenizer in {folder} cannot be loaded: {first_line(error)}") from error
        if not getattr(inner, "is_fast", False):
            raise UnsupportedModelError(
                f"The tokenizer in {folder} ({type(inner).__name__}) does not say which characters a token stands for: "
                "a tokenizer.json is needed."
            )
        return cls(cast(PreTrainedTokenizerFast, inner), max_length=max_length)

    def __call__(self, a: Text, b: Text | None = None) -> Tokens:
        """Tokenise one text or a pair, cutting the longer one first where both are too long for the model.

        Raises:
            InputError: a sentence is empty, holds nothing that the tokenizer keeps, or is no valid Unicode text.
        """
        texts = [a] if b is None else [a, b]
        if len({isinstance(text, str) for text in texts}) > 1:
            raise InputError("Give both sentences as texts, or both as lists of words.")
        sentences = tuple(text if isinstance(text, str) else " ".join(text) for text in texts)
        for letter, sentence in zip("AB", sentences, strict=False):
            _check_characters(letter, sentence)
        with self._lock:
            encoding = self._encode(texts, truncation=False)
            total = _tokens_per_sentence(encoding, len(texts))
            for letter, sentence, count in zip("AB", sentences, total, strict=False):
                if count == 0 or not sentence.strip():
                    raise InputError(
                        f"Sentence {letter} is empty, or holds only spaces and control characters: type a word."
                    )
            if len(encoding["input_ids"]) > self.max_length:
                encoding = self._encode(texts, truncation=True)
        kept = _tokens_per_sentence(encoding, len(texts))
        return self._tokens(texts, sentences, encoding, tuple(n - k for n, k in zip(total, kept, strict=True)))

    def _encode(self, texts: list[Text], *, truncation: bool) -> Any:
        return self.inner(
            *texts,
            is_split_into_words=not isinstance(texts[0], str),
            return_offsets_mapping=True,
            return_attention_mask=True,
            return_token_type_ids=True,
            truncation="longest_first" if truncation else False,
            max_length=self.max_length if truncation else None,
            verbose=False,
        )

    def _tokens(
        self, texts: list[Text], sentences: tuple[str, ...], encoding: Any, truncated: tuple[int, ...]
    ) -> Tokens:
        ids = tuple(encoding["input_ids"])
        pieces = tuple(cast(list[str], self.inner.convert_ids_to_tokens(list(ids))))
        sentence_ids: tuple[int | None, ...] = tuple(encoding.sequence_ids())
        special = tuple(
            at is None or token_id in self._frame_ids for token_id, at in zip(ids, sentence_ids, strict=True)
        )
        spans = _with_marks(_spans(texts, encoding, sentence_ids), sentence_ids, sentences)
        word_ids, words = (_words_of_text if isinstance(texts[0], str) else _words_of_lists)(
            texts, encoding.word_ids(), sentence_ids, spans, special
        )
        typed = {
            piece: None
            for piece, token_id, at in zip(pieces, ids, sentence_ids, strict=True)
            if at is not None and token_id in self._special_ids
        }
        return Tokens(
            pieces=pieces,
            labels=tuple(
                self._label(piece, span, sentences[at] if at is not None else "")
                for piece, span, at in zip(pieces, spans, sentence_ids, strict=True)
            ),
            ids=ids,
            token_type_ids=tuple(encoding["token_type_ids"]),
            attention_mask=tuple(encoding["attention_mask"]),
            special=special,
            spans=spans,
            word_ids=word_ids,
            sentence_ids=sentence_ids,
            words=words,
            sentences=sentences,
            sentence_b_start=sentence_ids.index(1) if len(texts) == 2 else None,
            truncated=truncated,
            max_length=self.max_length,
            typed_special=tuple(typed),
        )

    def _label(self, piece: str, span: Span | None, sentence: str) -> str:
        """Byte-level and sentencepiece vocabularies spell bytes and spaces in their own way: show the text instead."""
        if self._is_wordpiece or span is None:
            return piece
        # RoBERTa's spans leave spaces out, so that a piece of nothing but a space has no surface.
        return _surface(sentence, span) or self.inner.convert_tokens_to_string([piece]) or piece


def first_line(error: Exception) -> str:
    """The first line of an error's message, or its type where it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _check_characters(letter: str, sentence: str) -> None:
    found = SURROGATE.search(sentence)
    if found:
        raise InputError(
            f"Sentence {letter} holds half a surrogate pair (U+{ord(found[0]):04X}, character {found.start()}), "
            "which stands for no character: remove it."
        )


def _tokens_per_sentence(encoding: Any, sentences: int) -> tuple[int, ...]:
    ids = encoding.sequence_ids()
    return tuple(ids.count(sentence) for sentence in range(sentences))


def _spans(texts: list[Text], encoding: Any, sentence_ids: Sequence[int | None]) -> tuple[Span | None, ...]:
    """Spans in the sentence; for lists of words the tokenizer counts from the start of each word."""
    starts = [[] if isinstance(text, str) else [0, *accumulate(len(word) + 1 for word in text)] for text in texts]
    spans: list[Span | None] = []
    for (first, last), sentence, word in zip(
        encoding["offset_mapping"], sentence_ids, encoding.word_ids(), strict=True
    ):
        if sentence is None:
            spans.append(None)
            continue
        shift = 0 if isinstance(texts[sentence], str) else starts[sentence][word]
        spans.append((first + shift, last + shift))
    return tuple(spans)


def _with_marks(
    spans: tuple[Span | None, ...], sentence_ids: tuple[int | None, ...], sentences: tuple[str, ...]
) -> tuple[Span | None, ...]:
    """Spans drawn out over combining marks behind a piece: uncased BERT drops them, the accent of "cafe\u0301" too."""
    drawn = list(spans)
    for index, (span, at) in enumerate(zip(spans, sentence_ids, strict=True)):
        if span is None or at is None:
            continue
        text, last = sentences[at], span[1]
        following = spans[index + 1] if sentence_ids[index + 1 : index + 2] == (at,) else None
        limit = len(text) if following is None else following[0]
        while last < limit and unicodedata.category(text[last]) == "Mn":
            last += 1
        drawn[index] = (span[0], last)
    return tuple(drawn)


def _surface(text: str, span: Span) -> str:
    """What stands at a span, without the space around it unless there is nothing else."""
    surface = text[slice(*span)]
    return surface.strip() or surface


def _words_of_lists(
    texts: list[Text],
    given: Sequence[int | None],
    sentence_ids: Sequence[int | None],
    spans: Sequence[Span | None],
    special: Sequence[bool],
) -> tuple[tuple[int | None, ...], tuple[str, ...]]:
    """The words that were given, B's counted on from A's."""
    shift = (0, len(texts[0]))
    word_ids = tuple(
        None if frame or word is None or at is None else word + shift[at]
        for word, at, frame in zip(given, sentence_ids, special, strict=True)
    )
    return word_ids, tuple(word for text in texts for word in text)


def _words_of_text(
    texts: list[Text],
    given: Sequence[int | None],
    sentence_ids: Sequence[int | None],
    spans: Sequence[Span | None],
    special: Sequence[bool],
) -> tuple[tuple[int | None, ...], tuple[str, ...]]:
    """The tokenizer's words, with contractions ("don't", which BERT splits at the apostrophe) put together again."""
    word_ids: list[int | None] = []
    word_spans: list[tuple[int, Span]] = []  # sentence, characters
    previous: tuple[int | None, int | None] = (None, None)
    for word, sentence, span, frame in zip(given, sentence_ids, spans, special, strict=True):
        if frame or sentence is None or span is None:
            word_ids.append(None)
            previous = (None, None)
            continue
        continues = bool(word_spans) and (
            previous == (sentence, word)
            or (previous[0] == sentence and _contracted(cast(str, texts[sentence]), word_spans[-1][1], span))
        )
        if continues:
            start = word_spans[-1][1][0]
            word_spans[-1] = (sentence, (start, max(span[1], word_spans[-1][1][1])))
        else:
            word_spans.append((sentence, span))
        word_ids.append(len(word_spans) - 1)
        previous = (sentence, word)
    words = tuple(_surface(cast(str, texts[sentence]), span) for sentence, span in word_spans)
    return tuple(word_ids), words


def _contracted(text: str, word: Span, piece: Span) -> bool:
    """Whether the piece continues the word across an apostrophe: "don" + "'" + "t" or "don" + "'t", without a space."""
    at = piece[0] if text[slice(*piece)].startswith(APOSTROPHES) else piece[0] - 1
    return (
        word[1] == piece[0]
        and word[0] < at
        and text[at] in APOSTROPHES
        and text[at - 1].isalpha()
        and text[at + 1 : at + 2].isalpha()
    )
