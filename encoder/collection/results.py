"""What a model says of every row of a collection, row by row while it runs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from encoder.collection.row_labels import NO_LABEL, LabelRule, answers_in, gold_of, index_of, label_rule
from encoder.collection.table import Collection
from encoder.errors import UnsupportedModelError
from encoder.measures.word_tags import WordTags, best_spans, tags_of_words
from encoder.runs.arrays import FloatArray
from encoder.runs.predictions import HOLDS, labels_that_hold
from encoder.runs.trace import Prediction
from encoder.text.pieces import SPACE
from encoder.text.readings import CUT_OFF, NO_KNOWN_WORD, Unread
from encoder.text.tokens import Tokens

if TYPE_CHECKING:  # torch, which a page of these numbers does not need
    from encoder.models.base import Backend, Reading

Progress = Callable[[int, int], object]
Kind = Literal["classes", "labels", "score", "scores", "tags", "span", "mask", "choices"]
Bools = npt.NDArray[np.bool_]
FIRST_ROWS: Final = 32  # are read first, so that a page can show them
ROWS_AT_ONCE: Final = 1_024  # sorted by length together: more are padded less
TINY: Final = float(np.finfo(np.float32).tiny)
AMONG: Final = 5  # words at a mask
YES_OR_NO: Final[Mapping[str, float]] = {"yes": 1, "true": 1, "relevant": 1, "no": 0, "false": 0, "irrelevant": 0}
ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
NO_WORDS: Final = re.compile(r"[^\w\s]")


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""


class RowAnswers(NamedTuple):
    """What a head says of N rows that is none of C classes of the whole text.

    Attributes:
        said: the tags of a row's words, its answer, the word at its first mask, or the preferred choice; "" for a row
            without any.
        probability: (N,) of what is said; of tags their mean. NaN without any.
        exact: (N,) 1 where all of it is right, else 0; NaN without a label.
        partly: (N,) share of the words with the right tag, F1 of the answer's words, or whether the word is among the
            `AMONG` likeliest; NaN without a label.
        losses: (N,) mean cross-entropy of the right tags, or that of the right word or choice; NaN if unknown.
        counts: (N,) words with a tag, or choices.
    """

    said: tuple[str, ...]
    probability: FloatArray
    exact: FloatArray
    partly: FloatArray
    losses: FloatArray
    counts: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Results:
    """What one model says of the first N rows of a collection; compared and hashed by identity.

    Attributes:
        model_name: the model.
        kind: "classes" for one of C classes, "labels" for any number of C labels, "score" for one number, "scores" for
            C numbers; "tags" of words, the "span" of an answer, the word at a "mask", or one of a row's own "choices".
        labels: the C classes, labels, numbers or tags; "score" alone for a score; none for the last three kinds.
        logits: (N, C); (N, 0) for the last four kinds.
        probabilities: (N, C); None for scores, and for the last four kinds.
        activated: (N,) the score that the head's activation makes of its logit; None where the logit is the score.
        lengths: (N,) tokens of each text, special tokens included.
        truncated: (N,) whether a text was cut off.
        unread: (N,) whether the model knows none of a text's words.
        gold: (N,) index of the row's own label among `labels`, or `NO_LABEL` where it has none or is none of them; for
            "labels" (N, C) 1, 0 or `NO_LABEL`; for a score the number itself, or NaN. (N,) `NO_LABEL` for "scores",
            which are compared with nothing, and for the last four kinds, where `answers` says what is right.
        unknown_labels: labels of rows that the model does not have and how many have them, the most frequent first; of
            tags and choices those that do not fit their row.
        answers: for the last four kinds.
        trained: whether the head was trained.
        note: of the head, in full sentences.
        label_rule: how labels of classes are read, in all rows of the table.
        yes_or_no: whether a score is compared with yes and no, where other rows say so; None if these rows do.
    """

    model_name: str
    kind: Kind
    labels: tuple[str, ...]
    logits: FloatArray
    probabilities: FloatArray | None
    lengths: npt.NDArray[np.int32]
    truncated: Bools
    unread: Bools
    gold: npt.NDArray[Any]
    unknown_labels: Mapping[str, int] = field(default_factory=dict)
    answers: RowAnswers | None = None
    trained: bool = True
    note: str = ""
    label_rule: LabelRule = "names"
    yes_or_no: bool | None = None
    activated: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def predicted(self) -> npt.NDArray[np.intp]:
        """(N,) index of the likeliest class of each row."""
        return self.logits.argmax(axis=1)

    @property
    def predictions(self) -> list[str]:
        """What the model says of each row, in words: its class, the labels that hold, its score, or its answer."""
        return self.predictions_of(range(len(self)))

    def predictions_of(self, rows: Sequence[int]) -> list[str]:
        """What the model says of some rows, in words."""
        if self.answers is not None:
            return [self.answers.said[row] for row in rows]
        if self.kind == "score":
            return [f"{self.scores[row]:.3f}" for row in rows]
        if self.kind == "scores":
            named = [zip(self.labels, self.logits[row], strict=True) for row in rows]
            return [", ".join(f"{label} {score:.3f}" for label, score in row) for row in named]
        if self.kind == "labels" and self.probabilities is not None:
            return [labels_that_hold(self.labels, self.probabilities[row]) for row in rows]
        predicted = self.predicted
        return [self.labels[predicted[row]] for row in rows]

    @property
    def scores(self) -> FloatArray:
        """(N,) the number that a head with a single one gives, as `Prediction.score`."""
        return self.logits[:, 0] if self.activated is None else self.activated

    @property
    def score_unit(self) -> str:
        """What the logits of a score are: the "score" itself, or its "logit"."""
        return "score" if self.activated is None else "logit"

    @property
    def confidence(self) -> FloatArray | None:
        """(N,) probability of what is predicted; None for a score."""
        if self.answers is not None:
            return self.answers.probability
        if self.probabilities is None:
            return None
        return self.probabilities.max(axis=1)

    @property
    def correct(self) -> Bools | None:
        """(N,) whether all that is predicted is right; None for a score, and where no row has a label of the model."""
        if self.kind == "score" or not self.has_gold.any():
            return None
        if self.answers is not None:
            return self.answers.exact == 1
        if self.kind == "labels":
            found: Bools = (self.holds == self.gold).all(axis=1)
            return found
        return self.predicted == self.gold

    @property
    def has_gold(self) -> Bools:
        """(N,) whether a row has a label that the model has."""
        if self.answers is not None:
            return ~np.isnan(self.answers.exact)
        if self.kind == "score":
            return ~np.isnan(self.gold)
        return (self.gold[:, 0] if self.kind == "labels" else self.gold) != NO_LABEL

    @property
    def is_binary(self) -> bool:
        """Whether a score is compared with yes and no, and both are among the rows."""
        if self.yes_or_no is not None:
            return self.yes_or_no
        return self.kind == "score" and set(self.gold[self.has_gold].tolist()) == {0.0, 1.0}

    @property
    def losses(self) -> FloatArray:
        """(N,) cross-entropy of what is right in nats, or squared difference of a score; NaN without a label.

        A score that is compared with yes and no is the logit of yes. Of several labels, the mean.
        """
        if self.answers is not None:
            return self.answers.losses
        if self.kind == "score":
            score = self.logits[:, 0]
            if self.is_binary:
                return np.asarray(np.logaddexp(0, np.where(self.gold == 1, -score, score)) + 0 * self.gold, np.float32)
            return np.square(self.scores - self.gold).astype(np.float32)
        if self.kind == "labels":
            signed = np.where(self.gold == 1, -self.logits, self.logits)
            return np.where(self.has_gold, np.logaddexp(0, signed).mean(axis=1), np.nan).astype(np.float32)
        shifted = self.logits - self.logits.max(axis=1, keepdims=True)
        log_shares = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        own = np.take_along_axis(log_shares, np.maximum(self.gold, 0)[:, None].astype(int), axis=1)[:, 0]
        return np.where(self.has_gold, -own, np.nan).astype(np.float32)

    @property
    def holds(self) -> Bools:
        """(N, C) whether a label holds."""
        return np.zeros(self.logits.shape, bool) if self.probabilities is None else self.probabilities >= HOLDS

    def columns(self, *, with_loss: bool | None = None) -> dict[str, Any]:
        """Columns of N rows for `pandas.DataFrame`, without those of the collection; a score stays a number.

        Args:
            with_loss: whether there is a column of losses; None = if a row has a label that the model has.
        """
        columns: dict[str, Any] = {"prediction": self.scores if self.kind == "score" else self.predictions}
        if self.activated is not None:
            columns["logit"] = self.logits[:, 0]
        if self.kind == "scores":
            columns |= {f"score({label})": of_label for label, of_label in zip(self.labels, self.logits.T, strict=True)}
        if self.confidence is not None:
            columns["probability"] = self.confidence
        if self.probabilities is not None:
            columns |= {f"p({label})": shares for label, shares in zip(self.labels, self.probabilities.T, strict=True)}
        if self.has_gold.any() if with_loss is None else with_loss:
            columns["loss"] = self.losses
        return columns | {"tokens": self.lengths, CUT_OFF: self.truncated, NO_KNOWN_WORD: self.unread}


class _Part(NamedTuple):
    """The results of consecutive rows, as arrays; fields as those of `Results`."""

    kind: Kind
    labels: tuple[str, ...]
    logits: FloatArray
    probabilities: FloatArray | None
    lengths: npt.NDArray[np.int32]
    truncated: Bools
    unread: Bools
    gold: npt.NDArray[Any]
    unknown: Counter[str]
    answers: RowAnswers | None
    trained: bool
    note: str
    rule: LabelRule = "names"
    activated: FloatArray | None = None


@dataclass(slots=True, kw_only=True)
class GrowingResults:
    """The results of a collection while it is read; `so_far` may be called from another thread.

    Attributes:
        collection: whose rows are read.
        parts: those of its first rows.
    """

    collection: Collection
    model_name: str
    parts: list[_Part] = field(default_factory=list)

    @property
    def done(self) -> int:
        """The rows that are read."""
        return sum(len(part.lengths) for part in self.parts)

    def so_far(self, most: int | None = None) -> Results | None:
        """The results of the rows that are read, or of about the first `most` of them; None before the first."""
        parts: list[_Part] = []
        for part in list(self.parts):
            if most is not None and sum(len(each.lengths) for each in parts) >= most:
                break
            parts.append(part)
        return _joined(self.model_name, parts) if parts else None


def read_rows(model: Backend, collection: Collection, into: GrowingResults, progress: Progress) -> Results:
    """Read all rows, in their order, continuing after those that are already read.

    Args:
        into: receives the results.
        progress: called with the rows done and in total.
    Raises:
        InputError: a row cannot be read.
        UnsupportedModelError: the model predicts nothing for the first rows.
    """
    total, distinct = len(collection), collection.distinct_labels()
    while (done := into.done) < total:
        progress(done, total)
        rows = range(done, min(done + (ROWS_AT_ONCE if done else FIRST_ROWS), total))
        texts, labels = collection.texts(rows), collection.labels(rows) or [""] * len(rows)
        kind = into.parts[0].kind if into.parts else None
        readings = list(model.readings(texts, batch_size=ROWS_AT_ONCE))
        into.parts.append(_part_of(model.name, readings, labels, kind, distinct))
    progress(total, total)
    return _joined(into.model_name, into.parts)


def results_of_all(model: Backend, collection: Collection, progress: Progress = no_progress) -> Results:
    """The results of all rows. Arguments and errors as in `read_rows`."""
    return read_rows(model, collection, GrowingResults(collection=collection, model_name=model.name), progress)


def results_of(
    collection: Collection,
    model_name: str,
    readings: Sequence[Reading],
    *,
    kind: Kind | None = None,
    rule: LabelRule | None = None,
) -> Results:
    """The results of the first rows of a collection.

    Args:
        kind: that of rows before these; None if there are none.
        rule: how labels are read; None = as those of the collection say.
    Raises:
        UnsupportedModelError: the model predicts nothing for these rows.
    """
    labels = collection.labels(range(len(readings))) or [""] * len(readings)
    part = _part_of(model_name, readings, labels, kind, collection.distinct_labels(), rule)
    return _joined(model_name, [part])


def are_yes_or_no(labels: Sequence[str]) -> bool:
    """Whether those labels that are numbers, or yes and no, are both of yes and no and nothing else."""
    return {number for label in set(labels) if not np.isnan(number := _number(label))} == {0.0, 1.0}


def _joined(model_name: str, parts: Sequence[_Part]) -> Results:
    first = parts[0]
    unknown = sum((part.unknown for part in parts), Counter[str]())
    shares = [part.probabilities for part in parts if part.probabilities is not None]
    answers = [part.answers for part in parts if part.answers is not None]
    activated = [part.activated for part in parts if part.activated is not None]
    return Results(
        model_name=model_name,
        kind=first.kind,
        labels=first.labels,
        logits=np.concatenate([part.logits for part in parts]),
        probabilities=np.concatenate(shares) if shares else None,
        lengths=np.concatenate([part.lengths for part in parts]),
        truncated=np.concatenate([part.truncated for part in parts]),
        unread=np.concatenate([part.unread for part in parts]),
        gold=np.concatenate([part.gold for part in parts]),
        unknown_labels=dict(unknown.most_common()),
        answers=_joined_answers(answers) if answers else None,
        trained=first.trained,
        note=first.note,
        label_rule=first.rule,
        activated=np.concatenate(activated) if activated else None,
    )


def _joined_answers(parts: Sequence[RowAnswers]) -> RowAnswers:
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in RowAnswers._fields if name != "said"
    }
    return RowAnswers(said=tuple(text for part in parts for text in part.said), **arrays)


def _part_of(
    model_name: str,
    readings: Sequence[Reading],
    labels: Sequence[str],
    kind: Kind | None,
    distinct: Sequence[str],
    rule: LabelRule | None = None,
) -> _Part:
    """The results of rows by one head; `kind` is that of the rows before. Raises UnsupportedModelError.

    A model that also fills in masked words does so where most of the first rows have a mask.
    """
    found = [reading.prediction for reading in readings if reading.prediction is not None]
    if kind == "choices" or any(each.of == "choices" for each in found):
        return _part_of_choices(readings, labels)
    of_tokens = [each for reading in readings if (each := reading.token_prediction) is not None]
    if kind is None:
        masked = sum(bool(each.positions) for each in of_tokens if each.task == "mask")
        if len(found) == len(readings) and 2 * masked <= len(readings):
            return _part_of_texts(readings, found, labels, distinct, rule)
        kind = of_tokens[0].task if of_tokens else None
    elif kind in ("classes", "labels", "score", "scores"):
        return _part_of_texts(readings, found, labels, distinct, rule)
    if kind not in ("tags", "span", "mask"):
        raise UnsupportedModelError(f"{model_name} predicts nothing for these texts: it has no head that reads them.")
    if kind == "tags" and not _are_tags(distinct, of_tokens[0].labels):
        rows = [_tags_of_row(reading, "") for reading in readings]
    else:
        answer = {"tags": _tags_of_row, "span": _span_of_row, "mask": _mask_of_row}[kind]
        rows = [answer(reading, label) for reading, label in zip(readings, labels, strict=True)]
    unknown = Counter(label for label, row in zip(labels, rows, strict=True) if label and np.isnan(row.exact))
    names = of_tokens[0].labels if kind == "tags" else ()
    return _part_of_answers(kind, names, readings, rows, unknown if kind == "tags" else Counter())


def _part_of_texts(
    readings: Sequence[Reading],
    found: Sequence[Prediction],
    labels: Sequence[str],
    distinct: Sequence[str],
    rule: LabelRule | None,
) -> _Part:
    """Of a head that reads the whole text; `distinct` are the labels of all rows of the table."""
    first = found[0]
    kind = _kind_of(first)
    if kind in ("classes", "labels"):
        rule = rule or label_rule(distinct, first.labels, several=kind == "labels")
    gold, unknown = own_labels(labels, first.labels, kind, rule or "names")
    scores = [one.score for one in found if one.logit is not None]
    shares = [one.probabilities for one in found if one.probabilities is not None]
    return _Part(
        kind=kind,
        labels=first.labels,
        logits=np.stack([one.logits for one in found]),
        probabilities=np.stack(shares) if shares else None,
        **_sizes(readings),
        gold=gold,
        unknown=unknown,
        answers=None,
        trained=first.trained,
        note=first.note,
        rule=rule or "names",
        activated=np.array(scores, np.float32) if scores else None,
    )


def _kind_of(prediction: Prediction) -> Kind:
    if prediction.probabilities is None:
        return "score" if len(prediction.labels) == 1 else "scores"
    return "classes" if prediction.is_choice else "labels"


def _sizes(readings: Sequence[Reading]) -> dict[str, Any]:
    unread, lengths = Unread(), np.array([len(reading.tokens) for reading in readings], np.int32)
    for reading in readings:
        unread.note(reading.tokens)
    truncated, no_word = unread.columns.values()
    return {"lengths": lengths, "truncated": truncated, "unread": no_word}


class _RowAnswer(NamedTuple):
    """As `RowAnswers`, of one row."""

    said: str = ""
    probability: float = np.nan
    exact: float = np.nan
    partly: float = np.nan
    loss: float = np.nan
    num: int = 0


def _part_of_answers(
    kind: Kind, labels: tuple[str, ...], readings: Sequence[Reading], rows: Sequence[_RowAnswer], unknown: Counter[str]
) -> _Part:
    numbers = np.array([row[1:] for row in rows], np.float32).reshape(-1, len(_RowAnswer._fields) - 1).T
    probability, exact, partly, losses, counts = numbers
    return _Part(
        kind=kind,
        labels=labels,
        logits=np.zeros((len(rows), 0), np.float32),
        probabilities=None,
        **_sizes(readings),
        gold=np.full(len(rows), NO_LABEL, np.int32),
        unknown=unknown,
        answers=RowAnswers(
            tuple(row.said for row in rows), probability, exact, partly, losses, counts.astype(np.int32)
        ),
        trained=True,
        note="",
    )


def _tags_of_row(reading: Reading, label: str) -> _RowAnswer:
    """The tags of the words; right tags stand in the label with spaces between, one for each word.

    They may also be one for each part of the text between spaces, which then has the tag of its first word.
    """
    prediction = reading.token_prediction
    tags = None if prediction is None else tags_of_words(prediction, reading.tokens)
    if tags is None or not tags.words:
        return _RowAnswer()
    own = gold_tags(label, tags.labels)
    rows, units = _tagged_units(tags, reading.tokens, len(own))
    shares = tags.probabilities[rows]
    likeliest = [tags.labels[index] for index in shares.argmax(axis=1)]
    answer = _RowAnswer(" ".join(likeliest), float(shares.max(axis=1).mean()), num=len(likeliest))
    if not set(own) <= set(tags.labels) or not units:
        return answer
    columns = [tags.labels.index(own[unit]) for unit in units]
    right = shares.argmax(axis=1) == columns
    losses = -np.log(np.maximum(shares[range(len(columns)), columns], TINY))
    return answer._replace(exact=float(right.all()), partly=float(right.mean()), loss=float(losses.mean()))


def _tagged_units(tags: WordTags, tokens: Tokens, count: int) -> tuple[list[int], list[int]]:
    """The rows of `tags` that are compared, and with which of `count` own tags; none where these do not fit."""
    every = list(range(len(tags.words)))
    if count == len(tokens.words):
        return every, list(tags.words)
    starts = [part.start() for part in re.finditer(r"\S+", tokens.sentences[0])]
    if count != len(starts) or len(tokens.sentences) > 1:
        return every, []
    units: dict[int, int] = {}
    for row, position in enumerate(tags.positions):
        if (span := tokens.spans[position]) is not None:
            units.setdefault(bisect_right(starts, span[0]) - 1, row)
    return list(units.values()), list(units)


def gold_tags(label: str, names: Sequence[str]) -> list[str]:
    """The tags in a cell, by the names of a model's where they are these in another case, or their numbers."""
    return [names[place] if (place := index_of(each, names)) != NO_LABEL else each for each in _tags_in(label)]


def _are_tags(labels: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the tags of a column are names, or exactly the numbers of all tags of a model."""
    found = {tag for label in labels for tag in _tags_in(label)}
    numbers = {tag for tag in found - set(names) if tag.isdecimal()}
    return not numbers or {*map(int, numbers)} == set(range(len(names)))


def _tags_in(label: str) -> list[str]:
    """The tags in a cell, with spaces or commas between, or as a list of names or of numbers."""
    return [part for part in re.split(r"[\s,\[\]'\"]+", label) if part]


def _span_of_row(reading: Reading, label: str) -> _RowAnswer:
    """The likeliest answer, compared with the right ones as SQuAD does: without case, punctuation and articles."""
    prediction = reading.token_prediction
    if prediction is None or 1 not in reading.tokens.sentence_ids:
        return _RowAnswer()
    spans = best_spans(prediction, reading.tokens, count=1)
    if not spans:
        return _RowAnswer()
    answer = _RowAnswer(spans[0].text, spans[0].probability)
    said, own = normalised_words(spans[0].text), [normalised_words(text) for text in answers_in(label)]
    if not own:
        return answer
    shared = [2 * sum((Counter(said) & Counter(each)).values()) / max(len(said) + len(each), 1) for each in own]
    return answer._replace(exact=float(said in own), partly=max(shared))


def normalised_words(answer: str) -> list[str]:
    """The words of an answer without case, punctuation and articles. Source: Rajpurkar et al. (2016), section 6.1."""
    return ARTICLES.sub(" ", NO_WORDS.sub("", answer.lower())).split()


def _mask_of_row(reading: Reading, label: str) -> _RowAnswer:
    """The likeliest word at the first mask."""
    prediction = reading.token_prediction
    if prediction is None or not prediction.positions:
        return _RowAnswer()
    words, shares = prediction.candidates[0], prediction.probabilities[0]
    answer = _RowAnswer(words[0].removeprefix(SPACE), float(shares[0]))
    if not label:
        return answer
    names, wanted = [word.strip().lower() for word in words], label.lower()
    forms = [wanted, f"{SPACE}{wanted}"]
    if _follows_a_space(reading.tokens, prediction.positions[0]):
        forms.reverse()
    place = next((names.index(form) for form in forms if form in names), None)
    loss = np.nan if place is None else float(-np.log(shares[place]))
    return answer._replace(exact=float(place == 0), partly=float(place is not None and place < AMONG), loss=loss)


def _follows_a_space(tokens: Tokens, position: int) -> bool:
    """Whether a space is typed before a token; some tokenizers include it in the mask."""
    span, sentence = tokens.spans[position], tokens.sentence_ids[position]
    if span is None or sentence is None:
        return False
    text = tokens.sentences[sentence]
    return text[: span[1]].removesuffix(text[slice(*span)].strip())[-1:].isspace()


def _part_of_choices(readings: Sequence[Reading], labels: Sequence[str]) -> _Part:
    """Of a head that compares the choices in the second text; the label is one of them, or its number from 0."""
    answers, unknown = [], Counter[str]()
    for reading, label in zip(readings, labels, strict=True):
        prediction = reading.prediction
        if prediction is None or prediction.probabilities is None:  # a row without choices
            answers.append(_RowAnswer())
            continue
        choices, shares = prediction.labels, prediction.probabilities
        best, own = int(shares.argmax()), index_of(label, choices)
        answer = _RowAnswer(choices[best], float(shares[best]), num=len(choices))
        if own != NO_LABEL:
            right = float(own == best)
            answer = answer._replace(exact=right, partly=right, loss=float(-np.log(max(shares[own], TINY))))
        elif label:
            unknown[label] += 1
        answers.append(answer)
    return _part_of_answers("choices", (), readings, answers, unknown)


def own_labels(
    labels: Sequence[str], names: tuple[str, ...], kind: Kind, rule: LabelRule
) -> tuple[npt.NDArray[Any], Counter[str]]:
    """`Results.gold` of rows with these labels, and how many rows have other ones."""
    if kind == "scores":
        return np.full(len(labels), NO_LABEL, np.int32), Counter()
    if kind != "score":
        return gold_of(labels, names, rule, several=kind == "labels")
    numbers = [_number(label) for label in labels]
    unknown = Counter(label for label, number in zip(labels, numbers, strict=True) if label and np.isnan(number))
    return np.array(numbers, np.float32), unknown


def _number(text: str) -> float:
    """A label as a number, 1 or 0 for yes or no; NaN for another text."""
    if (known := YES_OR_NO.get(text.lower())) is not None:
        return known
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")
