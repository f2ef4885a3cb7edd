"""Heads that find an answer in the second text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from encoder.collection.kinds.base import Answered, RowAnswer
from encoder.collection.row_labels import answers_in
from encoder.measures.word_tags import best_spans

if TYPE_CHECKING:
    from encoder.models.base import Reading

ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
NO_WORDS: Final = re.compile(r"[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Span(Answered):
    """The likeliest answer, compared with the right ones as SQuAD does: without case, punctuation and articles."""

    kind = "span"
    partly_means = compared_by = "F1 of words"

    @classmethod
    def answer(cls, reading: Reading, label: str) -> RowAnswer:
        prediction = reading.token_prediction
        if prediction is None or 1 not in reading.tokens.sentence_ids:
            return RowAnswer()
        spans = best_spans(prediction, reading.tokens)
        if not spans:
            return RowAnswer()
        answer = RowAnswer(spans[0].text, spans[0].probability)
        said, own = normalised_words(spans[0].text), [normalised_words(text) for text in answers_in(label)]
        if not own:
            return answer
        shared = [2 * sum((Counter(said) & Counter(each)).values()) / max(len(said) + len(each), 1) for each in own]
        return answer._replace(exact=float(said in own), partly=max(shared))


def normalised_words(answer: str) -> list[str]:
    """The words of an answer without case, punctuation and articles. Source: Rajpurkar et al. (2016), section 6.1."""
    return ARTICLES.sub(" ", NO_WORDS.sub("", answer.lower())).split()
