"""The question that a selection asks about the texts: which output, for which words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from encoder import Tokens, Trace
from encoder.attribution.questions import Method, Question, QuestionKind, Removal
from encoder.errors import SelectionError
from encoder.measures.word_tags import edge_words, entities, word_tags
from encoder.models.labels import TAGS
from encoder.runs.trace import TokenTask
from encoder.shipped.probes import has_probes
from encoder.text.common_words import common_words, find_word, longest_word, suggest_word
from viz.state.selection import Selection

COMPARING: Final = ("similarity", "shift")  # outputs for two sentences, each encoded alone
OF_TEXT: Final[tuple[QuestionKind, ...]] = ("class", "score")
OF_TOKENS: Final[Mapping[TokenTask, tuple[QuestionKind, ...]]] = {
    "tags": ("tag",),
    "span": ("start", "end"),
    "mask": ("masked word",),
}
SCORE_LABEL: Final = "score"  # of a head with one logit
METHODS: Final[Mapping[Method, str]] = {
    "integrated-gradients": "Integrated gradients",
    "decompx": "DecompX, biases shared",
    "integrated-decompx": "DecompX, integrated",
    "leave-one-out": "Leave one out",
    "shapley": "Shapley (precise)",
}
REMOVALS: Final[Mapping[Removal, str]] = {"mask": "[MASK]", "delete": "Deletion"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """A question, and the alternatives.

    Attributes:
        trace: of the text that the question is about.
        words: entries of `trace.tokens.words` that can be chosen; empty if the output belongs to no word.
        labels: classes, choices, tags, parts of speech, or words of an answer, by index; empty if the output has none.
        compares: whether the label is compared with a rival.
    """

    question: Question
    trace: Trace
    words: tuple[int, ...] = ()
    labels: Mapping[int, str] = field(default_factory=dict)
    compares: bool = False


def kinds_of(trace: Trace) -> tuple[QuestionKind, ...]:
    """The outputs that can be explained, those of the model's own head first.

    Without a head, classes and the score are among them, and the view says that there is none.
    """
    by_token, prediction = trace.token_prediction, trace.prediction
    own: tuple[QuestionKind, ...] = ()
    if prediction is not None and not (prediction.of == "choices" or prediction.labels == (SCORE_LABEL,)):
        own = ("class",)
    if prediction is not None and (prediction.score is not None or prediction.of == "choices"):
        own = (*own, "score")
    if by_token is not None:
        own = (*own, *OF_TOKENS.get(by_token.task, ()))
    return (*(own or OF_TEXT), "part of speech", "similarity", "shift")


def kind_of(trace: Trace, selection: Selection) -> QuestionKind:
    """The chosen output, or the first one of the model's head if that has no such output."""
    kinds = kinds_of(trace)
    return selection.why.kind if selection.why.kind in kinds else kinds[0]


def asked(traces: Mapping[str, Trace], selection: Selection, read: Callable[[str], Trace]) -> Asked:
    """The question of a selection about its runs.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
        read: runs the model over one sentence alone.
    Raises:
        SelectionError: the texts share no word, or have none.
        InputError: a text that is read alone here cannot be encoded.
    """
    kind = kind_of(next(iter(traces.values())), selection)
    own, other = selection.texts.a, selection.texts.b
    if kind not in COMPARING and len(traces) == 1:
        trace = next(iter(traces.values()))
    else:
        if kind in COMPARING and not other.strip():
            raise SelectionError("This compares two sentences: type a second one.")
        if other.strip() and selection.why.side == "B":
            own, other = other, own
        trace = read(own)
    layer = min(selection.why.layer, trace.num_layers - 1)
    question = Question(kind=kind, texts=trace.tokens.texts, layer=layer)
    if kind == "class" and trace.prediction is not None:
        labels, compares = dict(enumerate(trace.prediction.labels)), trace.prediction.is_choice
        return _with_labels(Asked(question=question, trace=trace, labels=labels, compares=compares), selection)
    if kind == "score" and trace.prediction is not None and trace.prediction.of == "choices":
        choices = trace.prediction.labels if len(trace.prediction.labels) > 1 else ()
        question = replace(question, texts=(question.texts[0], "\n".join(choices) or question.texts[1]))
        labels = dict(enumerate(choices))
        return _with_labels(Asked(question=question, trace=trace, labels=labels, compares=True), selection)
    if kind == "masked word":
        return _masked(question, trace, selection)
    if kind == "tag" and trace.token_prediction is not None:
        labels, words = dict(enumerate(trace.token_prediction.labels)), trace.tokens.words_read
        question = replace(question, word=_tagged_word(trace, words, selection.why.word))
        return _with_labels(Asked(question=question, trace=trace, words=words, labels=labels, compares=True), selection)
    if kind in ("start", "end") and trace.token_prediction is not None:
        places = edge_words(trace.token_prediction, trace.tokens, trace.token_prediction.labels.index(kind))
        labels = {word: trace.tokens.words[word] for word in sorted(places)}
        return _with_labels(Asked(question=question, trace=trace, labels=labels, compares=True), selection)
    if kind == "part of speech" and has_probes(trace.model_name):
        words = trace.tokens.words_read
        question = replace(question, word=_word(trace.tokens, words, selection.why.word))
        labels = dict(enumerate(TAGS))
        return _with_labels(Asked(question=question, trace=trace, words=words, labels=labels, compares=True), selection)
    if kind in COMPARING:
        return _compared(question, trace, read(other), selection)
    return Asked(question=question, trace=trace)


def _masked(question: Question, trace: Trace, selection: Selection) -> Asked:
    """The question of a masked token, with the words that the model says for it."""
    found = trace.token_prediction
    if found is None or not found.positions:
        raise SelectionError("No word of this text is masked: write [MASK] instead of one.")
    words = tuple(word for position in found.positions if (word := trace.tokens.word_ids[position]) is not None)
    word = selection.why.word if selection.why.word in words else words[0]
    labels = dict(enumerate(found.candidates[words.index(word)]))
    question = replace(question, word=word)
    return _with_labels(Asked(question=question, trace=trace, words=words, labels=labels, compares=True), selection)


def _with_labels(found: Asked, selection: Selection) -> Asked:
    """The question with the chosen label and rival, if they exist; None stands for the likeliest."""
    label, rival = (index if index in found.labels else None for index in (selection.why.label, selection.why.rival))
    return replace(found, question=replace(found.question, label=label, rival=rival))


def _compared(question: Question, trace: Trace, other: Trace, selection: Selection) -> Asked:
    question = replace(question, other=other.tokens.sentences[0])
    if question.kind == "similarity":
        return Asked(question=question, trace=trace)
    words = common_words(trace.tokens, other.tokens)
    suggested = suggest_word(words)
    if suggested is None:
        raise SelectionError("A and B share no word, so none can shift from one to the other: choose another number.")
    shared = tuple(sorted({place for word in words for place in word.a}))
    chosen = selection.why.word if selection.why.word in shared else suggested.a[0]
    word = _word(trace.tokens, shared, chosen)
    places, _ = find_word(other.tokens, trace.tokens.words[word])
    return Asked(question=replace(question, word=word, other_word=places[0]), trace=trace, words=shared)


def _tagged_word(trace: Trace, words: tuple[int, ...], chosen: int | None) -> int:
    """The chosen word, or the first word of the first entity, or the longest."""
    tags = word_tags(trace)
    named = entities(tags, trace.tokens) if tags is not None else []
    return _word(trace.tokens, words, named[0].words[0] if chosen not in words and named else chosen)


def _word(tokens: Tokens, words: tuple[int, ...], chosen: int | None) -> int:
    """The chosen word, or the longest."""
    longest = longest_word(tokens, words)
    if longest is None:
        raise SelectionError("This sentence has no word: type one.")
    return longest if chosen is None or chosen not in words else chosen


def with_answer(selection: Selection, trace: Trace) -> Selection:
    """The selection, with an output that the model has: without a head of its own, a part of speech or a similarity."""
    kind = kind_of(trace, selection)
    has_head = trace.prediction is not None or trace.token_prediction is not None
    if has_head or kind not in OF_TEXT:
        return selection
    kind = "part of speech" if has_probes(trace.model_name) else "similarity"
    return replace(selection, why=replace(selection.why, kind=kind))
