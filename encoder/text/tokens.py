"""One or two texts as tokens, with everything that views and tables need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from encoder.columns import SHORT, Columns

Text = str | Sequence[str]
Span = tuple[int, int]
Rewritten = tuple[int, Span, str]  # a sentence, characters of it, and what they are read as; "" if they are removed

USUAL_TOKENS = 512  # that a model reads if it does not say so, and that views of attention show at once
MAX_TOKENS = 8_192  # of a text, even if a model could read more


# The fields of `Tokens` that have a value per token.
PER_TOKEN = (
    *("pieces", "labels", "ids", "token_type_ids", "attention_mask"),
    *("special", "spans", "word_ids", "sentence_ids"),
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Tokens(Columns):
    """One or two texts as a model reads them. Every tuple above `words` has one entry per token, T in all.

    Attributes:
        pieces: vocabulary units as the vocabulary spells them.
        labels: readable pieces: without byte-level marks such as "Ġ", but with "##"; blanks as ␣ and ⏎, and "😂 1/4"
            where several pieces are of one character.
        ids, token_type_ids, attention_mask: the model's input.
        special: True for special tokens: `[CLS]`, `[SEP]` and padding; not for `[MASK]` and `[UNK]`.
        spans: first character and the one after the last in the token's own sentence; None for added tokens.
        word_ids: index into `words`; None for special tokens and for blanks that are not right before a word.
        sentence_ids: 0 for sentence A, 1 for sentence B; None for added tokens.
        words: surface words, A's and then B's, as `encoder.text.words` finds them; a list of words keeps its entries.
        sentences: the given texts; lists of words are joined by spaces.
        sentence_b_start: index of B's first token, or None.
        truncated: number of tokens cut off the end of each sentence.
        max_length: the largest number of tokens.
        typed_special: special tokens that were typed literally and read as such.
        first: position in the text of the first token, of an excerpt.
        rewritten: the characters that the tokenizer's normalizer changes; None if that was not recorded.
        unsegmented: scripts without spaces of which every piece is taken for a word.
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
    first: int = 0
    rewritten: tuple[Rewritten, ...] | None = None
    unsegmented: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def texts(self) -> tuple[str, str | None]:
        """The given text, and the second one or None: the arguments of `tokenize`."""
        a, *b = self.sentences
        return a, b[0] if b else None

    @property
    def words_read(self) -> tuple[int, ...]:
        """Indices of the words that have a token: those that were not cut off, in order."""
        return tuple(sorted({word for word in self.word_ids if word is not None}))

    @property
    def about(self) -> str:
        return f"of {', '.join(map(SHORT.repr, self.sentences))}"

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of T rows: a token, its id, its word and its sentence, and whether it is a special token."""
        words = [None if word is None else self.words[word] for word in self.word_ids]
        sentences = [None if sentence is None else "AB"[sentence] for sentence in self.sentence_ids]
        return {"token": self.labels, "id": self.ids, "word": words, "sentence": sentences, "special": self.special}

    def excerpt(self, first: int) -> Tokens:
        """`USUAL_TOKENS` tokens of a longer text, from `first` on, or the last ones; a shorter text as it is.

        It has all of the words and sentences. `sentence_b_start` is None unless it has tokens of both sentences.
        """
        start = max(0, min(first, len(self) - USUAL_TOKENS))
        if len(self) <= USUAL_TOKENS:
            return self
        shown = slice(start, start + USUAL_TOKENS)
        b_start = None if self.sentence_b_start is None else self.sentence_b_start - start
        return replace(
            self,
            **{name: getattr(self, name)[shown] for name in PER_TOKEN},
            sentence_b_start=b_start if b_start is not None and 0 < b_start < USUAL_TOKENS else None,
            first=start,
        )


def notes_on_words(tokens: Tokens) -> tuple[str, ...]:
    """Remarks about the words of a whole text, in full sentences."""
    notes = [
        f"Nothing here finds the words of {' and '.join(tokens.unsegmented)}: every token is taken for a word."
        for _ in tokens.unsegmented[:1]
    ]
    read = set(tokens.word_ids)
    without = [word for index, word in enumerate(tokens.words) if index not in read and word.strip()]
    if without and not any(tokens.truncated):
        more = f" and {len(without) - 1:,} more" if len(without) > 1 else ""
        notes.append(
            f"No token stands for “{without[0]}”{more} alone: a token of another word includes it, or none does."
        )
    return tuple(notes)
