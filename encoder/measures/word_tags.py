"""The output of token heads for words: their tags, the entities that they name, and the spans of answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from encoder.errors import SelectionError
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import TokenPrediction, Trace
from encoder.text.tokens import Tokens

Mark = Literal["begin", "inside", "end", "single"]
OUTSIDE = ("O", "original")  # tags of words of which the head says nothing: no entity, not replaced
LONGEST_SPAN = 30  # tokens
MOST_SPANS = 5
# What marks the words of an entity, by the letters and words that stand before or behind its kind in a tag.
MARKS: Mapping[str, Mark] = {
    **dict.fromkeys(("b", "begin", "beginning", "start"), "begin"),
    **dict.fromkeys(("i", "in", "inside", "m", "middle"), "inside"),
    **dict.fromkeys(("e", "end", "l", "last"), "end"),
    **dict.fromkeys(("s", "single", "u", "unit", "w", "whole"), "single"),
}
NO_ENTITY = ("o", "out", "outside", "x", "pad", "[pad]", "<pad>", "[cls]", "[sep]", "<s>", "</s>")  # beside entities
SEPARATORS = "-_"
BARE = "entity"  # the kind of tags that are a mark alone
SHORT_PART = re.compile(r"^\w{1,2}[-_]|[-_]\w{1,2}$")


@dataclass(frozen=True, slots=True, eq=False)
class WordTags:
    """The tags of a text's words; a word has those of its first piece.

    Attributes:
        labels: C names of tags.
        words: R indices into `tokens.words`, without words that were cut off.
        positions: R, of each word's first piece.
        probabilities: (R, C).
    """

    labels: tuple[str, ...]
    words: tuple[int, ...]
    positions: tuple[int, ...]
    probabilities: FloatArray

    @property
    def likeliest(self) -> tuple[str, ...]:
        """R labels."""
        return tuple(self.labels[index] for index in self.probabilities.argmax(1)) if self.words else ()

    @property
    def names_entities(self) -> bool:
        """Whether the tags follow a scheme that marks the words of entities."""
        return read_scheme(self.labels).name != ""


@dataclass(frozen=True, slots=True)
class Scheme:
    """How tags mark the words of entities.

    Attributes:
        name: "BIO", "BIOES", "BILOU", "BMES", or "IO" of tags without marks; "" for tags that mark no entities.
        example: the tag that begins an entity, or any one of "IO".
        parts: the mark and the kind of each tag; no tag that is not listed is part of an entity.
    """

    name: str
    example: str
    parts: Mapping[str, tuple[Mark, str]]


@dataclass(frozen=True, slots=True)
class Entity:
    """Consecutive words under one name.

    Attributes:
        label: without prefix.
        words: indices into `tokens.words`.
        probability: mean over the words of the probability of their tags.
    """

    label: str
    words: tuple[int, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """A span of sentence B as an answer.

    Attributes:
        start, end: positions of its first and last token.
        probability: of the start times that of the end, each among the tokens of B.
        text: as it is written in B.
    """

    start: int
    end: int
    probability: float
    text: str


def first_pieces(tokens: Tokens) -> dict[int, int]:
    """The position of each word's first piece, by index into `tokens.words`; words that were cut off have none."""
    found: dict[int, int] = {}
    for position, word in enumerate(tokens.word_ids):
        if word is not None:
            found.setdefault(word, position)
    return found


def word_tags(trace: Trace) -> WordTags | None:
    """The tags of words; None without a head that tags tokens."""
    prediction = trace.token_prediction
    return None if prediction is None else tags_of_words(prediction, trace.tokens)


def tags_of_words(prediction: TokenPrediction, tokens: Tokens) -> WordTags | None:
    """The tags of words by a head; None if it does not tag tokens."""
    if prediction.task != "tags":
        return None
    firsts = first_pieces(tokens)
    positions = tuple(firsts.values())
    return WordTags(prediction.labels, tuple(firsts), positions, prediction.probabilities[list(positions)])


def entities(tags: WordTags, tokens: Tokens) -> list[Entity]:
    """The entities that the likeliest tags name: consecutive words of one kind, as the scheme of the tags joins them.

    A word inside of no entity begins one, too. Words of A and of B are never joined.
    """
    parts = read_scheme(tags.labels).parts
    groups: list[tuple[str, list[int]]] = []  # the kind, and rows of `tags`
    open_for: tuple[str, int | None] | None = None  # the kind and the sentence that the last group goes on with
    for row, (position, label) in enumerate(zip(tags.positions, tags.likeliest, strict=True)):
        if label not in parts:
            open_for = None
            continue
        mark, kind = parts[label]
        here = kind, tokens.sentence_ids[position]
        if here == open_for and mark in ("inside", "end"):
            groups[-1][1].append(row)
        else:
            groups.append((kind, [row]))
        open_for = here if mark in ("begin", "inside") else None
    shares = tags.probabilities.max(1, initial=0)  # (R,)
    return [Entity(kind, tuple(tags.words[row] for row in rows), float(shares[rows].mean())) for kind, rows in groups]


def strict_spans(tags: Sequence[str], scheme: Scheme) -> set[tuple[str, int, int]]:
    """The kind, the first word and the last word of each entity that is tagged as the scheme demands.

    Where the scheme marks ends, an entity has one; in others it has a beginning. Without marks, neighbours of one kind
    are one entity. As seqeval's mode "strict" (Nakayama 2018).
    """
    marks_ends = any(mark in ("end", "single") for mark, _ in scheme.parts.values())
    parts = [scheme.parts.get(tag) for tag in tags]
    found = set()
    for first, part in enumerate(parts):
        goes_on = first > 0 and parts[first - 1] == part
        if part is None or (part[0] not in ("begin", "single") if scheme.name != "IO" else goes_on):
            continue
        last, mark = first, part[0]
        while mark in ("begin", "inside") and last + 1 < len(parts):
            following = parts[last + 1]
            if following is None or following[1] != part[1] or following[0] not in ("inside", "end"):
                break
            last, mark = last + 1, following[0]
        if not marks_ends or mark in ("end", "single"):
            found.add((part[1], first, last))
    return found


def read_scheme(labels: Sequence[str]) -> Scheme:
    """The scheme of a head's tags: B-PER, B_PER, PER-B, B alone and so on, or without marks next to a tag O.

    Where most tags have marks, one without is part of no entity.
    """
    named = [label for label in labels if label.lower() not in NO_ENTITY]
    for parts_of in (_mark_first, _mark_last):
        parts = {label: found for label in named if (found := parts_of(label)) is not None}
        marks = {mark for mark, _ in parts.values()}
        if 2 * len(parts) > len(named) and marks & {"begin", "inside"}:
            example = next((label for label, (mark, _) in parts.items() if mark == "begin"), named[0])
            return Scheme(_name(parts), example, parts)
    has_outside = any(label.lower() == "o" for label in labels)
    if has_outside and named and not any(map(SHORT_PART.search, named)):
        return Scheme("IO", named[0], {label: ("inside", label) for label in named})
    return Scheme("", "", {})


def _name(parts: Mapping[str, tuple[Mark, str]]) -> str:
    """The usual name of a scheme, by the letters of its marks."""
    if {mark for mark, _ in parts.values()} <= {"begin", "inside"}:
        return "BIO"
    letters = {
        word[:1].lower() for label in parts for word in re.split(f"[{SEPARATORS}]", label) if word.lower() in MARKS
    }
    return "BILOU" if letters & {"l", "u"} else "BMES" if "m" in letters else "BIOES"


def scheme_in_words(labels: Sequence[str]) -> str:
    """The entities in a head's tags, in a sentence."""
    scheme = read_scheme(labels)
    if not scheme.name:
        return "The tags follow no known scheme of entities, so words are listed without any."
    kinds = len({kind for _, kind in scheme.parts.values()})
    of = f"{kinds} kind{'' if kinds == 1 else 's'}"
    return f"The tags name entities of {of} by the scheme {scheme.name}, as in {scheme.example}."


def _mark_first(label: str) -> tuple[Mark, str] | None:
    """ "begin" and "LOC" of B-LOC; None without a mark."""
    if mark := MARKS.get(label.lower()):
        return mark, BARE
    place = next((place for place, letter in enumerate(label) if letter in SEPARATORS), 0)
    mark = MARKS.get(label[:place].lower())
    return (mark, label[place + 1 :]) if mark and label[place + 1 :] else None


def _mark_last(label: str) -> tuple[Mark, str] | None:
    """ "begin" and "LOC" of LOC-B; None without a mark."""
    place = max(label.rfind(letter) for letter in SEPARATORS)
    mark = MARKS.get(label[place + 1 :].lower())
    return (mark, label[:place]) if mark and place > 0 else None


def answer_positions(tokens: Tokens) -> tuple[int, ...]:
    """The tokens that an answer may start and end at: those of sentence B. Raises SelectionError without a B."""
    positions = tuple(place for place, sentence in enumerate(tokens.sentence_ids) if sentence == 1)
    if not positions:
        raise SelectionError(
            "This model answers the question in A from the text in B: type both, and read them together."
        )
    return positions


def answer_probabilities(prediction: TokenPrediction, tokens: Tokens) -> FloatArray:
    """(T, 2) probabilities of a start and of an end at each token of B; 0 elsewhere. Raises SelectionError."""
    positions = list(answer_positions(tokens))
    logits = prediction.logits[positions]  # (S, 2)
    exponentials = np.exp(logits - logits.max(0))
    found = np.zeros((len(tokens), 2), np.float32)
    found[positions] = exponentials / exponentials.sum(0)
    return found


def edge_words(prediction: TokenPrediction, tokens: Tokens, edge: int) -> dict[int, int]:
    """The words of B at which an answer can start (edge 0) or end (edge 1), the word of the best answer first.

    The others follow by the logits of their likeliest pieces.

    Returns:
        The position of each word's likeliest piece, by index into `tokens.words`.
    Raises:
        SelectionError: there is no second text.
    """
    by_logit = sorted(answer_positions(tokens), key=lambda place: -float(prediction.logits[place, edge]))
    best = best_spans(prediction, tokens)[:1]
    found: dict[int, int] = {}
    for place in [*((span.start, span.end)[edge] for span in best), *by_logit]:
        word = tokens.word_ids[place]
        if word is not None:
            found.setdefault(word, place)
    return found


def best_spans(prediction: TokenPrediction, tokens: Tokens) -> list[AnswerSpan]:
    """The `MOST_SPANS` likeliest spans of B with at most `LONGEST_SPAN` tokens that do not end before they start.

    Args:
        prediction: of a head for "span".
    Raises:
        SelectionError: there is no second text.
    """
    shares = answer_probabilities(prediction, tokens)
    joint = np.triu(np.outer(shares[:, 0], shares[:, 1]))  # (T, T), start by end
    joint -= np.triu(joint, LONGEST_SPAN)
    order = np.argsort(-joint, axis=None, kind="stable")[:MOST_SPANS]
    places = [divmod(int(index), len(tokens)) for index in order]
    return [
        AnswerSpan(start, end, float(joint[start, end]), _written(tokens, start, end))
        for start, end in places
        if joint[start, end] > 0
    ]


def no_answer_margin(prediction: TokenPrediction, tokens: Tokens) -> float:
    """How much larger the score of "no answer" is than that of the best span, a score being its two logits' sum.

    Heads that were trained on texts without an answer start and end it at the first token then.

    Returns:
        The difference of logits; -inf if the first token is a part of the text.
    Raises:
        SelectionError: there is no second text.
    Source: Rajpurkar et al. (2018); Devlin et al. (2019), section 4.3.
    """
    best = best_spans(prediction, tokens)[0]
    if not tokens.special[0]:
        return -np.inf
    logits = prediction.logits
    return float(logits[0].sum() - logits[best.start, 0] - logits[best.end, 1])


def _written(tokens: Tokens, start: int, end: int) -> str:
    first, last = tokens.spans[start], tokens.spans[end]
    return tokens.sentences[1][first[0] : last[1]].strip() if first is not None and last is not None else ""
