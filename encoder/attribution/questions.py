"""What can be asked about a model's numbers, in plain values that need no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

QuestionKind = Literal["class", "score", "part of speech", "similarity", "shift"]
OutputKind = Literal["class", "score", "similarity"]  # of a text as a whole
Method = Literal["integrated-gradients", "decompx", "integrated-decompx", "leave-one-out", "shapley"]
Removal = Literal["mask", "delete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A number of a model.

    Attributes:
        texts: the text or the pair whose words are asked about.
        label: index of the class, or of the part of speech in `encoder.models.labels.TAGS`; None for the likeliest.
        word, layer: of a part of speech or a shift: an entry of `tokens.words`, and the layer after which it is read.
        other, other_word: of a shift or a similarity: the text that it is compared with, encoded alone, and its word.
    """

    kind: QuestionKind
    texts: tuple[str, str | None]
    label: int | None = None
    word: int = 0
    layer: int = 0
    other: str = ""
    other_word: int = 0
