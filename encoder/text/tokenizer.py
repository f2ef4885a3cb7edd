"""Texts into tokens, with the tokenizers of Hugging Face: the Rust library behind those of `transformers`."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tokenizers import Encoding

from encoder.errors import CheckpointError, InputError, UnsupportedModelError
from encoder.text.tokens import MAX_TOKENS, Span, Text, Tokens
from encoder.text.vocabulary_file import VocabularyFile, has_tokenizer
from encoder.text.words import include_combining_marks, spans_of, surface_text, words_from_lists, words_from_text

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

SURROGATE = re.compile("[\ud800-\udfff]")


class Tokenizer:
    """A tokenizer, made safe to share between threads, that returns `Tokens`."""

    def __init__(
        self, inner: PreTrainedTokenizerFast | VocabularyFile, *, max_length: int = MAX_TOKENS, num_types: int = 2
    ) -> None:
        """Wrap a tokenizer.

        Args:
            max_length: how many tokens the model reads.
            num_types: how many token types it has; with one, both sentences are of type 0.
        """
        self.inner: Any = inner
        self._rust = inner.backend_tokenizer
        self._rust.no_padding()
        self._rust.encode_special_tokens = inner.split_special_tokens
        self.max_length = min(max_length, MAX_TOKENS)
        self._last_type = num_types - 1
        # Truncation is a setting of the shared Rust object, so that two calls at once would see each other's.
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
        self._is_wordpiece = type(self._rust.model).__name__ == "WordPiece"

    @classmethod
    def from_file(cls, folder: Path, *, max_length: int = MAX_TOKENS) -> Tokenizer:
        """The tokenizer of a folder that ships, without `transformers`. Raises what `VocabularyFile` does."""
        return cls(VocabularyFile(folder), max_length=max_length)

    @classmethod
    def from_folder(cls, folder: Path, *, max_length: int = MAX_TOKENS, num_types: int = 2) -> Tokenizer:
        """The tokenizer of any model folder, as `transformers` opens it; the options are those of the class.

        Raises:
            CheckpointError: its files are missing or corrupt.
            UnsupportedModelError: it cannot say which characters a token stands for.
        """
        if not has_tokenizer(folder):  # `transformers` would return one with an empty vocabulary
            raise CheckpointError(
                f"{folder} holds no tokenizer: a tokenizer.json or a vocabulary (vocab.txt) is needed."
            )
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
        return cls(cast("PreTrainedTokenizerFast", inner), max_length=max_length, num_types=num_types)

    def __call__(self, a: Text, b: Text | None = None) -> Tokens:
        """Tokenise one text or a pair, cutting the longer one first where both are too long for the model.

        Raises:
            InputError: a sentence is neither a text nor a list of words, is empty, holds nothing that the tokenizer
                keeps, or is no valid Unicode text.
        """
        texts = [a] if b is None else [a, b]
        for letter, text in zip("AB", texts, strict=False):
            _check_type(letter, text)
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
            if len(encoding) > self.max_length:
                encoding = self._encode(texts, truncation=True)
        kept = _tokens_per_sentence(encoding, len(texts))
        return self._tokens(texts, sentences, encoding, tuple(n - k for n, k in zip(total, kept, strict=True)))

    def _encode(self, texts: list[Text], *, truncation: bool) -> Encoding:
        if truncation:
            self._rust.enable_truncation(
                self.max_length, strategy="longest_first", direction=self.inner.truncation_side
            )
        else:
            self._rust.no_truncation()
        a, b = (*texts, None)[:2]
        return self._rust.encode(a, b, is_pretokenized=not isinstance(a, str))

    def _tokens(
        self, texts: list[Text], sentences: tuple[str, ...], encoding: Encoding, truncated: tuple[int, ...]
    ) -> Tokens:
        ids = tuple(encoding.ids)
        pieces = tuple(cast(str, self._rust.id_to_token(token_id)) for token_id in ids)
        sentence_ids: tuple[int | None, ...] = tuple(encoding.sequence_ids)
        special = tuple(
            sentence is None or token_id in self._frame_ids
            for token_id, sentence in zip(ids, sentence_ids, strict=True)
        )
        spans = include_combining_marks(spans_of(texts, encoding, sentence_ids), sentence_ids, sentences)
        given = texts, encoding.word_ids, sentence_ids, special
        word_ids, words = words_from_text(*given, spans) if isinstance(texts[0], str) else words_from_lists(*given)
        typed_special = {
            piece: None
            for piece, token_id, sentence in zip(pieces, ids, sentence_ids, strict=True)
            if sentence is not None and token_id in self._special_ids
        }
        return Tokens(
            pieces=pieces,
            labels=tuple(
                self._label(piece, span, sentences[sentence] if sentence is not None else "")
                for piece, span, sentence in zip(pieces, spans, sentence_ids, strict=True)
            ),
            ids=ids,
            token_type_ids=tuple(min(type_id, self._last_type) for type_id in encoding.type_ids),
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
        )

    def _label(self, piece: str, span: Span | None, sentence: str) -> str:
        """The text of a piece: byte-level and sentencepiece vocabularies spell bytes and spaces in their own way."""
        if self._is_wordpiece or span is None:
            return piece
        # RoBERTa's spans leave spaces out, so that a piece of nothing but a space has no surface.
        return surface_text(sentence, span) or self.inner.convert_tokens_to_string([piece]) or piece


def first_line(error: Exception) -> str:
    """The first line of an error's message, or its type where it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _check_type(letter: str, text: Text) -> None:
    is_words = isinstance(text, Sequence) and all(isinstance(word, str) for word in text)
    if not is_words:  # a text is a sequence of strings as well
        raise InputError(f"Sentence {letter} is of type {type(text).__name__}: give a text, or a list of words.")


def _check_characters(letter: str, sentence: str) -> None:
    found = SURROGATE.search(sentence)
    if found:
        raise InputError(
            f"Sentence {letter} holds half a surrogate pair (U+{ord(found[0]):04X}, character {found.start()}), "
            "which stands for no character: remove it."
        )


def _tokens_per_sentence(encoding: Encoding, sentences: int) -> tuple[int, ...]:
    return tuple(encoding.sequence_ids.count(sentence) for sentence in range(sentences))
