"""Which characters and which word of a text each piece stands for."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import accumulate
from typing import cast

from tokenizers import Encoding

from encoder.text.tokens import Span, Text

APOSTROPHES = ("'", "’")


def spans_of(texts: list[Text], encoding: Encoding, sentence_ids: Sequence[int | None]) -> tuple[Span | None, ...]:
    """Spans in the sentence; for lists of words the tokenizer counts from the start of each word."""
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
    """Spans that include combining marks after a piece, such as the accent of "cafe\u0301"; uncased BERT drops it."""
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
    """What stands at a span, without the space around it unless there is nothing else."""
    characters = text[slice(*span)]
    return characters.strip() or characters


def words_from_lists(
    texts: list[Text],
    tokenizer_words: Sequence[int | None],
    sentence_ids: Sequence[int | None],
    special: Sequence[bool],
) -> tuple[tuple[int | None, ...], tuple[str, ...]]:
    """The given words, and which of them each piece belongs to; B's indices follow A's."""
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
    """The tokenizer's words, with contractions ("don't", which BERT splits at the apostrophe) put together again."""
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
            or (previous[0] == sentence and _contracted(cast(str, texts[sentence]), word_spans[-1][1], span))
        )
        if continues:
            start = word_spans[-1][1][0]
            word_spans[-1] = (sentence, (start, max(span[1], word_spans[-1][1][1])))
        else:
            word_spans.append((sentence, span))
        word_ids.append(len(word_spans) - 1)
        previous = (sentence, word)
    words = tuple(surface_text(cast(str, texts[sentence]), span) for sentence, span in word_spans)
    return tuple(word_ids), words


def _contracted(text: str, word: Span, piece: Span) -> bool:
    """Whether the piece continues the word across an apostrophe: "don" + "'" + "t" or "don" + "'t", without a space."""
    apostrophe = piece[0] if text[slice(*piece)].startswith(APOSTROPHES) else piece[0] - 1
    return (
        word[1] == piece[0]
        and word[0] < apostrophe
        and text[apostrophe] in APOSTROPHES
        and text[apostrophe - 1].isalpha()
        and text[apostrophe + 1 : apostrophe + 2].isalpha()
    )
