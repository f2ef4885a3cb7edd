"""How the model reads a text: characters as typed, normalised, pieces with their ids, and words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from encoder.runs.trace import Trace
from encoder.text.readings import ReadWord, TextReading, cut_differently, ids_of_words, reading_of
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer, Columns, Part, Sentence, Table, TokenRows
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, make_visible, shorten
from viz.wording.readings import counted, reading_in_words
from viz.wording.unknown_words import unknown_words

EXPLANATION: Final = Explanation(
    "From top to bottom: the characters as typed, what the tokenizer's normalizer makes of them, the pieces of the "
    "vocabulary with their ids, and the words. Marked characters are not read as they are typed. The ids are all that "
    "the model gets.",
    "A piece is a unit of the vocabulary, not of meaning.",
)
NOT_RECORDED: Final = (
    "This run was saved by an earlier version, which did not record what the normalizer changes: all characters are "
    "shown as typed."
)
LONGEST: Final = 24  # characters of a word in a sentence
MOST_NAMED: Final = 3  # pairs of words in a sentence
MOST_PIECES: Final = 8  # of a word in a sentence


def tokens(trace: Trace) -> Answer:
    """The sentence about a text or pair, its rows, and a table of its tokens."""
    whole, reading = reading_of((trace.whole or trace).tokens), reading_of(trace.tokens)
    parts: list[Part] = list(_said(whole, "The model"))
    if len(whole.tokens.sentences) > 1:
        parts += alike(whole.tokens, whole.tokens)
    if trace.tokens.rewritten is None:
        parts.append(Sentence(NOT_RECORDED, "info"))
    table = Table(
        name="tokens", title="The tokens as a table", columns=lambda: columns_of_tokens(reading), on_page="folded"
    )
    return Answer((*parts, TokenRows(reading=reading), table))


def tokens_of_texts(traces: Mapping[str, Trace]) -> dict[str, Answer]:
    """The same for a pair, or for two texts, by place; that of A begins with what is the same in both."""
    answers = {place: tokens(trace) for place, trace in traces.items()}
    if len(traces) > 1:
        same = alike(traces["A"].tokens, traces["B"].tokens)
        answers["A"] = Answer((*same, *answers["A"].parts))
    return answers


def _said(whole: TextReading, subject: str) -> Iterator[Sentence]:
    """How much is read, and how many words are known."""
    yield Sentence(reading_in_words(whole, subject), "subheading")
    unknown = unknown_words([whole.tokens])
    if unknown:
        yield Sentence(unknown, "warning")


def alike(a: Tokens, b: Tokens) -> list[Sentence]:
    """Whether A and B, or words of them that are typed differently, are the same to the model.

    Args:
        b: of B alone, or A's if they are a pair.
    """
    of_a, of_b = ids_of_words(a, 0), ids_of_words(b, len(b.sentences) - 1)
    typed = {ids: b.words[word] for word, ids in of_b.items()}
    pairs = [
        (a.words[word], typed[ids]) for word, ids in of_a.items() if typed.get(ids, a.words[word]) != a.words[word]
    ]
    if not pairs:
        return []
    named = [f"“{_word(one)}” and “{_word(other)}”" for one, other in dict.fromkeys(pairs)]
    said = "; ".join(named[:MOST_NAMED]) + (f" and {len(named) - MOST_NAMED:,} more" if named[MOST_NAMED:] else "")
    if [*of_a.values()] == [*of_b.values()]:
        return [Sentence(f"**A and B are the same to the model.** So are {said}.", "warning")]
    return [Sentence(f"The same to the model: {said}.")]


def beside(trace: Trace, other: Tokens) -> Answer:
    """The same text as another model reads it, with the words that the two cut differently."""
    reading, second = reading_of(trace.tokens), reading_of(other)
    differing = cut_differently(second, reading)
    positions = frozenset(position for word in differing for position in word.positions)
    words = counted(len(second.text_words), "word")
    said = f"It cuts all {words} as the page's model does."
    if differing:
        first = differing[0]
        there = _pieces(reading, [word for word in reading.words if _overlap(word, first)])
        said = (
            f"It cuts **{len(differing):,} of {words}** differently from the page's model: "
            f"“{_word(other.words[first.word or 0])}” is {_pieces(second, [first])} here and {there} there."
        )
    return Answer((*_said(second, "This model"), Sentence(said), TokenRows(reading=second, differing=positions)))


def _overlap(word: ReadWord, other: ReadWord) -> bool:
    spans = [[segment.span for segment in each.segments if segment.span is not None] for each in (word, other)]
    if word.sentence != other.sentence or not all(spans):
        return False
    return spans[0][0][0] < spans[1][-1][1] and spans[1][0][0] < spans[0][-1][1]


def _pieces(reading: TextReading, words: list[ReadWord]) -> str:
    """The pieces of words, as Markdown."""
    positions = [position for word in words for position in word.positions]
    named = [_word(reading.tokens.labels[position]) for position in positions[:MOST_PIECES]]
    return " · ".join([*named, "…"] if positions[MOST_PIECES:] else named)


def columns_of_tokens(reading: TextReading) -> Columns:
    """A row for each token, and for characters that are in none."""
    rows = list(_rows(reading))
    names = ("position", "typed", "normalised", "piece", "id", "word")
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def _rows(reading: TextReading) -> Iterator[tuple[object, ...]]:
    tokens = reading.tokens
    for word in reading.words:
        text = None if word.word is None else tokens.words[word.word]
        for segment in word.segments:
            typed = "".join(each.typed for each in segment.characters)
            read = "".join(each.read_as for each in segment.characters)
            for position in segment.positions:
                piece = tokens.pieces[position], tokens.ids[position]
                yield tokens.first + position, typed, read, *piece, text
            if not segment.positions:
                yield None, typed, read, None, None, text


def _word(text: str) -> str:
    return escape_markdown(shorten(make_visible(text), LONGEST))
