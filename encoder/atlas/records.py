"""What an atlas says of a head, as records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from encoder.atlas.names import Direction, Target

ExampleKind = Literal["hardest", "random", "failing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """A habit of a head, measured over n sentences.

    Attributes:
        habit: one of `encoder.atlas.names.HABITS`.
        unit: "share", "bits" or "words".
        mean, low, high: over sentences, with its 95 % interval.
        chance: what attention that is spread evenly would give.
    """

    habit: str
    unit: str
    mean: float
    low: float
    high: float
    chance: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """How often the word that a head looks at most is the right one of n, in one relation and direction.

    Attributes:
        accuracy, low, high: with Wilson's 95 % interval.
        offset, offset_accuracy: the best fixed offset, and how often it is right.
        chosen_accuracy, chosen_offset_accuracy, chosen_n: the same on the half where heads and offsets were chosen.
        syntactic: whether the head beats the offset by 10 points (Voita et al. 2019).
    """

    relation: str
    direction: Direction
    accuracy: float
    low: float
    high: float
    offset: int
    offset_accuracy: float
    n: int
    chosen_accuracy: float
    chosen_offset_accuracy: float
    chosen_n: int
    syntactic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Silencing:
    """What a head's silence does to a model's outputs.

    Attributes:
        shift, low, high: one minus the cosine of a sentence's vectors with and without the head, as a mean over n
            sentences, with its 95 % interval.
        larger_than, others: how many of so many other heads have a smaller shift.
        accuracy, accuracy_change, change_low, change_high: the share of right answers on reviews with all heads, and
            how it changes, with the 95 % interval of the paired difference; None where that was not measured.
        reviews, num_reviews: the file of them without its endings, and how many.
    """

    shift: float
    low: float
    high: float
    n: int
    larger_than: int
    others: int
    accuracy: float | None
    accuracy_change: float | None
    change_low: float | None
    change_high: float | None
    reviews: str | None
    num_reviews: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What comes first of a head.

    Attributes:
        habit: its strongest one; None where none is stronger than chance.
        relation: the one in which it leads the best fixed offset by most; None where it leads in none.
        peak_offset, peak_share: the offset at which most of its largest weights lie, and how many of them do.
        positional: whether that is at least 90 % (Voita et al. 2019).
        quantiles: by what a word's weight goes to, the weights above each share in `encoder.atlas.names.LEVELS` of
            all weights of this head; what no word can look at lacks.
        silencing: None where it was not measured.
    """

    layer: int
    head: int
    habit: Habit | None
    relation: Relation | None
    peak_offset: int
    peak_share: float
    positional: bool
    quantiles: Mapping[Target, tuple[float, ...]] = field(default_factory=dict)
    silencing: Silencing | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A sentence that shows a head.

    Attributes:
        about, direction: the habit (no direction) or the relation that it is an example of.
        value: of a habit its mean over the sentence, of a relation the weight of the right word.
        query, key: the word that looks and the one that it looks at most; -1 for a special token.
        query_token, key_token: where they begin among the tokens of the words with a blank between each two.
    """

    about: str
    direction: Direction | None
    kind: ExampleKind
    value: float
    name: str
    words: tuple[str, ...]
    query: int
    key: int
    query_token: int
    key_token: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPattern:
    """What a word is to be.

    Attributes:
        form: how it is spelled, whatever the case; None = in any way.
        tag: its universal part of speech; None = any.
    """

    form: str | None = None
    tag: str | None = None
