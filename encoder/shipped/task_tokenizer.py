"""The tokenizer of the small encoder-decoder: one token per word, and one per digit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from encoder.errors import InputError
from encoder.shipped.tasks import LEXICON, MONTHS, SUFFIXES, TASKS, WEEKDAYS, Task
from encoder.text.tokens import Span, Tokens

PAD, START, END = "[PAD]", "[START]", "[END]"
SPECIALS = (PAD, START, END, *(f"[{task}]" for task in TASKS))
PUNCTUATION = ",./-"
WORD = re.compile(r"[a-z0-9]+|[^a-z0-9\s]")
PIECE = re.compile(r"[a-z]+|.")
MAX_NAMED = 5  # words listed in a message


def vocabulary() -> tuple[str, ...]:
    """All pieces, special ones first; "##" marks continuations: "3rd" is "3", "##rd"."""
    words = {*LEXICON, *MONTHS, *(month[:3] for month in MONTHS), *WEEKDAYS, "the", "of", *PUNCTUATION}
    digits = [f"{mark}{digit}" for mark in ("", "##") for digit in range(10)]
    suffixes = sorted({"##th", *(f"##{suffix}" for suffix in SUFFIXES.values())})
    return (*SPECIALS, *digits, *suffixes, *sorted(words))


class TaskTokenizer:
    """Texts into `Tokens`, and ids back into them.

    Args:
        pieces: the vocabulary, in the order of its ids.
        max_length: the largest number of tokens, special ones included.
    """

    def __init__(self, pieces: Sequence[str], *, max_length: int) -> None:
        self.pieces = tuple(pieces)
        self.ids = {piece: index for index, piece in enumerate(self.pieces)}
        self.max_length = max_length
        self.pad_id, self.start_id, self.end_id = (self.ids[piece] for piece in (PAD, START, END))

    def source(self, task: Task, text: str) -> Tokens:
        """A text as the encoder reads it: the task, the text in lower case, `[END]`.

        Raises:
            InputError: the text is empty or too long, or has unknown words.
        """
        pieces, spans, word_ids, words = self._split(text)
        frame = 2
        if len(pieces) + frame > self.max_length:
            raise InputError(
                f"The text has {len(pieces):,} tokens; this small model reads {self.max_length - frame} at most: "
                "shorten it."
            )
        return self._tokens((f"[{task}]", *pieces, END), (None, *spans, None), (None, *word_ids, None), words, text)

    def written(self, ids: Sequence[int]) -> Tokens:
        """Ids as tokens, with the text put together from them: the decoder's input or output."""
        text, pieces, spans = "", [self.pieces[index] for index in ids], list[Span | None]()
        word_ids, words = list[int | None](), list[str]()
        for piece in pieces:
            if piece in SPECIALS:
                spans.append(None)
                word_ids.append(None)
                continue
            bare = piece.removeprefix("##")
            if bare != piece and words:
                words[-1] += bare
            else:
                words.append(bare)
                glued = not text or piece in PUNCTUATION or text[-1] in PUNCTUATION.replace(",", "")
                text += "" if glued else " "
            spans.append((len(text), len(text) + len(bare)))
            text += bare
            word_ids.append(len(words) - 1)
        return self._tokens(pieces, spans, word_ids, words, text)

    def target_ids(self, text: str) -> tuple[int, ...]:
        """The ids that the decoder should write for a text, with `[END]`."""
        return (*(self.ids[piece] for piece in self._split(text)[0]), self.end_id)

    def _split(self, text: str) -> tuple[list[str], list[Span], list[int], list[str]]:
        pieces, words, spans, word_ids = list[str](), list[str](), list[Span](), list[int]()
        # The length is preserved, so that spans apply to the text as given.
        lowered = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
        for word in WORD.finditer(lowered):
            for piece in PIECE.finditer(word[0]):
                pieces.append(piece[0] if piece.start() == 0 else f"##{piece[0]}")
                spans.append((word.start() + piece.start(), word.start() + piece.end()))
                word_ids.append(len(words))
            words.append(text[word.start() : word.end()])
        if not pieces:
            raise InputError("The text is empty: type a few words, or a date.")
        unknown = [
            words[word_index] for word_index, piece in zip(word_ids, pieces, strict=True) if piece not in self.ids
        ]
        if unknown:
            examples = ", ".join(repr(word[:30]) for word in dict.fromkeys(unknown[:MAX_NAMED]))
            raise InputError(
                f"This small model knows {len(self.pieces) - len(SPECIALS)} words, digits and marks, and not "
                f"{examples}: use others."
            )
        return pieces, spans, word_ids, words

    def _tokens(
        self,
        pieces: Sequence[str],
        spans: Sequence[Span | None],
        word_ids: Sequence[int | None],
        words: Sequence[str],
        text: str,
    ) -> Tokens:
        count = len(pieces)
        special = tuple(piece in SPECIALS for piece in pieces)
        return Tokens(
            pieces=tuple(pieces),
            labels=tuple(pieces),
            ids=tuple(self.ids[piece] for piece in pieces),
            token_type_ids=(0,) * count,
            attention_mask=(1,) * count,
            special=special,
            spans=tuple(spans),
            word_ids=tuple(word_ids),
            sentence_ids=tuple(None if is_special else 0 for is_special in special),
            words=tuple(words),
            sentences=(text,),
            sentence_b_start=None,
            truncated=(0,),
            max_length=self.max_length,
            typed_special=(),
        )
