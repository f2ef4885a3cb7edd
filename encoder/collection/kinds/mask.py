"""Heads that fill in a masked word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from encoder.collection.kinds.base import Answered, RowAnswer
from encoder.measures.inference import Interval, share
from encoder.text.pieces import SPACE
from encoder.text.tokens import Tokens

if TYPE_CHECKING:
    from encoder.models.base import Reading

AMONG: Final = 5  # words at a mask


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mask(Answered):
    """The likeliest word at the first mask, and whether the right one is among `AMONG`."""

    kind = "mask"
    partly_means = "among five"

    @classmethod
    def answer(cls, reading: Reading, label: str) -> RowAnswer:
        prediction = reading.token_prediction
        if prediction is None or not prediction.positions:
            return RowAnswer()
        words, shares = prediction.candidates[0], prediction.probabilities[0]
        answer = RowAnswer(words[0].removeprefix(SPACE), float(shares[0]))
        if not label:
            return answer
        names, wanted = [word.strip().lower() for word in words], label.lower()
        forms = [wanted, f"{SPACE}{wanted}"]
        if _follows_a_space(reading.tokens, prediction.positions[0]):
            forms.reverse()
        place = next((names.index(form) for form in forms if form in names), None)
        loss = np.nan if place is None else float(-np.log(shares[place]))
        return answer._replace(exact=float(place == 0), partly=float(place is not None and place < AMONG), losses=loss)

    @property
    def partly_right(self) -> Interval:
        """How often the right word is among `AMONG`."""
        partly = self.answers.partly[self.has_gold]
        return share(int(partly.sum()), len(partly))


def _follows_a_space(tokens: Tokens, position: int) -> bool:
    """Whether a space is typed before a token; some tokenizers include it in the mask."""
    span, sentence = tokens.spans[position], tokens.sentence_ids[position]
    if span is None or sentence is None:
        return False
    text = tokens.sentences[sentence]
    return text[: span[1]].removesuffix(text[slice(*span)].strip())[-1:].isspace()
