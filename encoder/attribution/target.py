"""The target of an attribution: a class, the score, a tag, where an answer starts or ends, a masked word, a part of
speech, a word's shift, or a similarity.

A target has two scales. Gradients and DecompX use the scale on which contributions add up, such as log odds. Removing
words is measured on the scale that people read, such as a probability.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from encoder.attribution.quantities import (
    ChoiceQuantity,
    ClassQuantity,
    MaskQuantity,
    OutputNumber,
    PlacedQuantity,
    ScoreQuantity,
    ShiftQuantity,
    SimilarityQuantity,
    TagQuantity,
    TokenQuantity,
)
from encoder.attribution.questions import Question, QuestionKind
from encoder.errors import ArgumentError, SelectionError, UnsupportedModelError, did_you_mean
from encoder.measures.units import occurrence_states
from encoder.measures.word_tags import edge_words
from encoder.models.base import Backend
from encoder.models.labels import TAGS
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction, Trace
from encoder.shipped.probes import load_probes
from encoder.text.occurrences import Positions, positions_of_word
from encoder.text.pieces import SPACE
from encoder.text.tokens import Tokens

MOST_LISTED = 20  # names in a message
RunText = Callable[..., Trace]  # of one text or two


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Target:
    """An output of the model for a text, on two scales.

    Attributes:
        tokens: the text.
        additive, additive_unit: the scale on which contributions add up.
        shown, unit: the scale that people read.
        limits: the range of `shown`, if known.
        label, against: the class, choice, tag, part of speech or word of an answer, and the one that it is compared
            with; "" if there is none.
    """

    tokens: Tokens
    additive: OutputNumber
    additive_unit: str
    shown: OutputNumber
    unit: str
    limits: tuple[float, float] | None = None
    label: str = ""
    against: str = ""

    @property
    def read(self) -> Positions:
        """The tokens of the words whose states are read, which must stay; empty for an output of the whole text."""
        return self.shown.positions if isinstance(self.shown, PlacedQuantity) else ()


def resolve_target(backend: Backend, question: Question, run: RunText | None = None) -> Target:
    """The target that a question is about.

    Args:
        run: returns the trace of one or two texts, for example from a cache; None = `backend.trace`.
    Raises:
        InputError: a text that cannot be encoded, or a word that was cut off.
        UnsupportedModelError: the model has no such head.
        NoProbesError: there are no part-of-speech probes for the model.
        SelectionError: a class, word or layer that does not exist.
        ArgumentError: there is no second text, or it has the same tokens as the first.
    """
    if question.kind == "masked word":
        return _masked_word(backend, run or backend.trace, question)
    return _RESOLVERS[question.kind](run or backend.trace, question)


def _class(run: RunText, question: Question) -> Target:
    trace = run(*question.texts)
    prediction = trace.prediction
    if prediction is None:
        raise UnsupportedModelError(f"{trace.model_name} has no classification head, so no class can be explained.")
    logits, labels = prediction.logits, prediction.labels
    label = _chosen(question.label, labels, logits, "class")
    if not prediction.is_choice:
        return replace(_on_one_scale(trace, ClassQuantity(label, unit="logit"), "logit"), label=labels[label])
    against = _rival(question, labels, logits, label)
    return Target(
        tokens=trace.tokens,
        additive=ClassQuantity(label, (against,)),
        additive_unit="log odds",
        shown=ClassQuantity(label, (against,), "probability"),
        unit="probability",
        limits=(0, 1),
        label=labels[label],
        against=labels[against],
    )


def _score(run: RunText, question: Question) -> Target:
    trace = run(*question.texts)
    prediction = trace.prediction
    if prediction is not None and prediction.of == "choices" and len(prediction.labels) > 1:
        return _choice(run, question, prediction)
    if prediction is None or prediction.score is None:
        raise UnsupportedModelError(f"{trace.model_name} has no regression head, so there is no score to explain.")
    if prediction.score_range is not None:
        return Target(
            tokens=trace.tokens,
            additive=ScoreQuantity(),
            additive_unit="log odds of the score",
            shown=ScoreQuantity("score"),
            unit="score",
            limits=prediction.score_range,
        )
    raw: OutputNumber = ClassQuantity(0, unit="logit") if len(prediction.labels) == 1 else ScoreQuantity()
    has_choice = prediction.of == "choices" and len(trace.tokens.sentences) > 1
    of_choice = trace.tokens.sentences[-1] if has_choice else ""
    unit = "score" if prediction.logit is None else "logit"
    return replace(_on_one_scale(trace, raw, unit), label=of_choice)


def _choice(run: RunText, question: Question, prediction: Prediction) -> Target:
    """The score of one of several choices; the score of the one that it is compared with is held fixed."""
    labels, logits = prediction.labels, prediction.logits
    label = _chosen(question.label, labels, logits, "choice")
    against = _rival(question, labels, logits, label)
    return Target(
        tokens=run(question.texts[0], labels[label]).tokens,
        additive=ClassQuantity(0, unit="logit"),
        additive_unit="score",
        shown=ChoiceQuantity(float(logits[against])),
        unit="probability",
        limits=(0, 1),
        label=labels[label],
        against=labels[against],
    )


def _model_tag(run: RunText, question: Question) -> Target:
    trace = run(*question.texts)
    prediction = trace.token_prediction
    if prediction is None or prediction.task != "tags":
        raise UnsupportedModelError(f"{trace.model_name} has no head that tags words, so no tag can be explained.")
    labels, positions = prediction.labels, positions_of_word(trace.tokens, question.word)
    logits = prediction.logits[positions[0]]  # (C,) of the word's first piece
    tag = _chosen(question.label, labels, logits, "tag")
    against = _rival(question, labels, logits, tag)
    log_odds = TokenQuantity(positions=positions, chosen=(0, tag), against=(0, against))
    return _of_two(trace, log_odds, labels[tag], labels[against])


def _edge(run: RunText, question: Question) -> Target:
    """The start or the end of an answer, at one word of B rather than at another one."""
    trace = run(*question.texts)
    prediction, tokens = trace.token_prediction, trace.tokens
    if prediction is None or prediction.task != "span":
        raise UnsupportedModelError(f"{trace.model_name} does not answer questions, so no answer can be explained.")
    edge = prediction.labels.index(question.kind)
    words = edge_words(prediction, tokens, edge)
    chosen = next(iter(words)) if question.label is None else _index(question.label, tokens.words, "word")
    rival = None if question.rival is None else _index(question.rival, tokens.words, "word")
    against = next((word for word in words if word != chosen), None) if rival in (None, chosen) else rival
    if chosen not in words or against is None or against not in words:
        raise SelectionError("An answer starts and ends at words of B, and B needs two of them for a comparison.")
    places = words[chosen], words[against]
    log_odds = TokenQuantity(positions=places, chosen=(0, edge), against=(1, edge))
    return _of_two(trace, log_odds, tokens.words[chosen], tokens.words[against])


def _of_two(trace: Trace, log_odds: TagQuantity | TokenQuantity | MaskQuantity, label: str, against: str) -> Target:
    """A target on the scales of log odds and of a probability, where only two outputs are compared."""
    return Target(
        tokens=trace.tokens,
        additive=log_odds,
        additive_unit="log odds",
        shown=replace(log_odds, unit="probability"),
        unit="probability",
        limits=(0, 1),
        label=label,
        against=against,
    )


def _tag(run: RunText, question: Question) -> Target:
    trace = run(*question.texts)
    positions = positions_of_word(trace.tokens, question.word)
    state_index, probes = question.layer + 1, load_probes(trace.model_name)
    _check_layer(trace, question.layer)
    scores = probes.scores(occurrence_states(trace.hidden_states[state_index], positions), state_index)  # (C,)
    tag = _chosen(question.label, TAGS, scores, "part of speech")
    against = _rival(question, TAGS, scores, tag)
    log_odds = TagQuantity.of_probes(probes, positions, state_index, (tag, against))
    return _of_two(trace, log_odds, TAGS[tag], TAGS[against])


def _masked_word(backend: Backend, run: RunText, question: Question) -> Target:
    trace = run(*question.texts)
    found = trace.token_prediction
    if found is None or found.task != "mask":
        raise UnsupportedModelError(
            f"{trace.model_name} has no head for masked words, or no word of this text is masked: write [MASK]."
        )
    positions = positions_of_word(trace.tokens, question.word)
    if len(positions) != 1 or positions[0] not in found.positions:
        raise SelectionError(f"Word {question.word} was asked for, which is not masked.")
    row = found.positions.index(positions[0])
    ids, logits, pieces = found.candidate_ids[row], found.logits[row], found.candidates[row]
    label = _chosen(_as_listed(question.label, pieces), pieces, logits, "word for the mask")
    against = _rival(replace(question, rival=_as_listed(question.rival, pieces)), pieces, logits, label)
    log_odds = MaskQuantity(positions=positions, backend=backend, pieces=(ids[label], ids[against]))
    return _of_two(trace, log_odds, pieces[label], pieces[against])


def _as_listed(given: int | str | None, pieces: Sequence[str]) -> int | str | None:
    """A word as it is listed: with the space before it, unless there is a piece without one."""
    is_spaced = isinstance(given, str) and given not in pieces and f"{SPACE}{given}" in pieces
    return f"{SPACE}{given}" if is_spaced else given


def _chosen(given: int | str | None, names: Sequence[str], logits: FloatArray, what: str) -> int:
    """The index of the one that a question is about; None = the likeliest. Raises SelectionError as `_index`."""
    return int(logits.argmax()) if given is None else _index(given, names, what)


def _rival(question: Question, names: Sequence[str], logits: FloatArray, label: int) -> int:
    """The one that a label is compared with. Raises SelectionError as `_index`."""
    rival = label if question.rival is None else _index(question.rival, names, "rival")
    if rival != label:
        return rival
    return next(index for index in map(int, np.argsort(-logits, kind="stable")) if index != label)


def _index(given: int | str, names: Sequence[str], what: str) -> int:
    """The index of a name, or a checked index. Raises SelectionError if there is none, or several are called so."""
    if not isinstance(given, str):
        if given % 1 or not 0 <= given < len(names):
            raise SelectionError(f"The {what} {given} was asked for; there are 0 to {len(names) - 1}.")
        return int(given)
    places = [index for index, name in enumerate(names) if name == given]
    if len(places) > 1:
        raise SelectionError(f"Each {what} of {places} is called {given!r}: give one of these numbers.")
    if not places:
        known = ", ".join(names[:MOST_LISTED]) + (" and others" if len(names) > MOST_LISTED else "")
        raise SelectionError(f"No {what} is called {given!r}: there are {known}.{did_you_mean(given, names)}")
    return places[0]


def _shift(run: RunText, question: Question) -> Target:
    trace, other = run(*question.texts), _other(run, question)
    if trace.tokens.ids == other.tokens.ids and question.word == question.other_word:
        raise ArgumentError(
            "The model reads A and B as the same tokens: the word has not shifted, and there is nothing to explain."
        )
    _check_layer(trace, question.layer)
    state_index = question.layer + 1
    reference_state = occurrence_states(
        other.hidden_states[state_index], positions_of_word(other.tokens, question.other_word)
    )  # (D,)
    quantity = ShiftQuantity(
        positions=positions_of_word(trace.tokens, question.word), state_index=state_index, other=reference_state
    )
    return _on_one_scale(trace, quantity, "cosine distance")


def _similarity(run: RunText, question: Question) -> Target:
    trace = run(*question.texts)
    return _on_one_scale(trace, SimilarityQuantity.to_text(_other(run, question)), "cosine")


def _on_one_scale(trace: Trace, quantity: OutputNumber, unit: str) -> Target:
    """A target that people read on the scale on which contributions add up."""
    return Target(tokens=trace.tokens, additive=quantity, additive_unit=unit, shown=quantity, unit=unit)


def _other(run: RunText, question: Question) -> Trace:
    if not question.other.strip():
        raise ArgumentError("This compares two texts: type a second sentence.")
    return run(question.other)


def _check_layer(trace: Trace, layer: int) -> None:
    if not 0 <= layer < trace.num_layers:
        raise SelectionError(f"Layer {layer} was asked for; {trace.model_name} has 0 to {trace.num_layers - 1}.")


_RESOLVERS: Mapping[QuestionKind, Callable[[RunText, Question], Target]] = {
    "class": _class,
    "score": _score,
    "tag": _model_tag,
    "start": _edge,
    "end": _edge,
    "part of speech": _tag,
    "shift": _shift,
    "similarity": _similarity,
}
