"""Records of an atlas: habits, relations, examples and cards of heads."""

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
        habit: one of `encoder.atlas.names.HABITS`, or `TOGETHER`.
        unit: "share", "bits" or "words"; "lift" for `TOGETHER`, over words that are as frequent and as far away.
        mean, low, high: over sentences, with its 95 % interval.
        chance: the value for uniform attention; 0 for a lift.
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
    """How often, out of n, the word that a head looks at most is the right one, in one relation and direction.

    Attributes:
        accuracy, low, high: with Wilson's 95 % interval.
        offset, offset_accuracy: the best fixed offset and its accuracy.
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
    """How silencing a head changes a model's outputs.

    Attributes:
        shift, low, high: one minus the cosine of a sentence's vectors with and without the head, as a mean over n
            sentences, with its 95 % interval.
        larger_than, others: how many of the other heads have a smaller shift, and how many others there are.
        accuracy, accuracy_change, change_low, change_high: the accuracy on reviews with all heads, and its change, with
            the 95 % interval of the paired difference; None if not measured.
        reviews, num_reviews: the name of the file of reviews, and their number.
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
    """The summary of a head.

    Attributes:
        habit: the one with the largest lead over its baseline; None if none stands out.
        baseline: of the habit: the larger of uniform attention and the median head; 0 for words that go together.
        relation: the one with the largest lead over the best fixed offset; None if it leads in none.
        special: which of the two leads by more; None if there is neither.
        pairs: up to three pairs of a word and the one that it looks at, from the examples of what is special.
        peak_offset, peak_share: the most frequent offset of its largest weights, and their share there.
        positional: whether that share is at least 90 % (Voita et al. 2019).
        quantiles: by target of a word's weight, the quantiles of this head's weights at `encoder.atlas.names.LEVELS`;
            targets that no word can look at are missing.
        silencing: None if not measured.
    """

    layer: int
    head: int
    habit: Habit | None
    baseline: float | None
    relation: Relation | None
    special: Literal["habit", "relation"] | None
    pairs: tuple[tuple[str, str], ...] = ()
    peak_offset: int
    peak_share: float
    positional: bool
    quantiles: Mapping[Target, tuple[float, ...]] = field(default_factory=dict)
    silencing: Silencing | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A sentence that shows what a head does.

    Attributes:
        about, direction: the habit (without direction) or relation that it is an example of.
        value: a habit's mean over the sentence, or the weight of a relation's right word.
        query, key: indices of the query word and of the word that it looks at most; -1 for a special token.
        query_token, key_token: the first tokens of these words, in the text with words joined by blanks.
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
    """A pattern for words.

    Attributes:
        form: the spelling, case-insensitive; None = any.
        tag: the universal part of speech; None = any.
    """

    form: str | None = None
    tag: str | None = None
