"""How the model reads a text: characters as typed, normalised, pieces with their ids, and words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from encoder.runs.trace import Trace
from encoder.text.readings import ReadWord, TextReading, cut_differently, ids_of_words, reading_of
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer, Columns, Part, Sentence, Table, TokenRows
from viz.wording.explanations import Explanation
from viz.wording.labels import in_markdown
from viz.wording.readings import counted, reading_in_words, unknown_words

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
    table = Table(name="tokens", title="The tokens as a table", columns=lambda: _columns_of_tokens(reading))
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
    unknown = unknown_words(whole.tokens)
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
    named = [f"“{in_markdown(one)}” and “{in_markdown(other)}”" for one, other in dict.fromkeys(pairs)]
    said = "; ".join(named[:MOST_NAMED]) + (f" and {len(named) - MOST_NAMED:,} more" if named[MOST_NAMED:] else "")
    if [*of_a.values()] == [*of_b.values()]:
        return [Sentence(f"**A and B are the same to the model.** So are {said}.", "warning")]
    return [Sentence(f"The same to the model: {said}.")]


def by_another_model(trace: Trace, other: Tokens) -> Answer:
    """The same text as another model reads it, with the words that the two cut differently."""
    own, second = reading_of(trace.tokens), reading_of(other)
    differing = cut_differently(other, trace.tokens)
    words = counted(second.num_words, "word")
    said = f"It cuts all {words} as the page's model does."
    if differing:
        named = other.words[differing[0]]
        here, there = (
            next((_pieces(each.tokens, word) for word in each.words if named in _names(each.tokens, word)), "elsewhere")
            for each in (second, own)
        )
        said = (
            f"It cuts **{len(differing):,} of {words}** differently from the page's model: “{in_markdown(named)}” is "
            f"{here} here and {there} there."
        )
    rows = TokenRows(reading=second, differing=frozenset(differing))
    return Answer((*_said(second, "This model"), Sentence(said), rows))


def _names(tokens: Tokens, word: ReadWord) -> list[str]:
    return [tokens.words[index] for index in word.words]


def _pieces(tokens: Tokens, word: ReadWord) -> str:
    """The pieces of a word, as Markdown."""
    named = [in_markdown(tokens.labels[position]) for position in word.positions[:MOST_PIECES]]
    return " · ".join([*named, "…"] if word.positions[MOST_PIECES:] else named)


def _columns_of_tokens(reading: TextReading) -> Columns:
    """A row for each word and what stands between words: the characters, what they are read as, and the pieces."""
    tokens = reading.tokens
    return {
        "typed": ["".join(each.typed for each in word.characters) for word in reading.words],
        "normalised": ["".join(each.read_as for each in word.characters) for word in reading.words],
        "pieces": [" ".join(tokens.pieces[position] for position in word.positions) for word in reading.words],
        "ids": [" ".join(str(tokens.ids[position]) for position in word.positions) for word in reading.words],
        "word": [" ".join(_names(tokens, word)) for word in reading.words],
    }
