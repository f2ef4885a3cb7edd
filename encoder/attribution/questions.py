"""Questions about a model's outputs, in plain values. Needs no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from encoder.errors import check_choice
from encoder.text.given import row_of
from encoder.text.tokens import Text

QuestionKind = Literal["class", "score", "tag", "start", "end", "masked word", "part of speech", "similarity", "shift"]
OutputKind = Literal["class", "score", "similarity"]  # for the text as a whole
Method = Literal["integrated-gradients", "decompx", "integrated-decompx", "leave-one-out", "shapley"]
Removal = Literal["mask", "delete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about an output of a model.

    Attributes:
        texts: the pair whose words are asked about, or a text and None, which may also be given as a string.
        label: name or index of the class, of the choice, of the model's tag, of the part of speech in
            `encoder.models.labels.TAGS`, or of the word among the candidates for a masked token; for the start or the
            end of an answer, of the word in `tokens.words`. None = the likeliest.
        rival: name or index of the one that it is compared with; None, or `label` itself = the likeliest other one.
        word: for a tag, a masked word, a part of speech or a shift: an index into `tokens.words`.
        layer: for a part of speech or a shift: the layer after which the word is read.
        other, other_word: for a shift or a similarity: the text to compare with, encoded alone, and its word.
    """

    kind: QuestionKind
    texts: tuple[Text, Text | None]
    label: int | str | None = None
    rival: int | str | None = None
    word: int = 0
    layer: int = 0
    other: str = ""
    other_word: int = 0

    def __post_init__(self) -> None:
        """Raises ArgumentError if there is no such kind."""
        check_choice("kind", self.kind, get_args(QuestionKind))
        given: Any = self.texts
        if not isinstance(given, tuple) or len(given) != 2:
            object.__setattr__(self, "texts", tuple(row_of(given)[:2]))
