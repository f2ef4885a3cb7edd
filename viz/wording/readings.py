"""How a model reads a text, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from encoder.offers import CATALOGUE, ModelName
from encoder.text.readings import Change, TextReading, is_unknown, reading_of, unlike_english
from encoder.text.tokens import Tokens
from viz.wording.labels import escape_markdown

CHANGES: Final[Mapping[Change, str]] = {
    "lowered": "lowered",
    "stripped": "without marks",
    "replaced": "replaced",
    "lost": "lost",
    "unknown": "in an unknown piece",
}
LOSSES: Final[Mapping[Change, tuple[str, str]]] = {  # of one character, and of several
    "lost": ("is lost", "are lost"),
    "stripped": ("loses its marks", "lose their marks"),
    "unknown": ("is in an unknown piece", "are in unknown pieces"),
}


FEWEST_WORDS: Final = 4  # with letters, in a text whose language is guessed


def counted(number: int, noun: str, one: str = "", several: str = "") -> str:
    """A number of things, and a verb for it: "1 word is", "7 words are"."""
    return f"{number:,} {noun} {one}".strip() if number == 1 else f"{number:,} {noun}s {several}".strip()


def reading_in_words(reading: TextReading, name: str) -> str:
    """The sentence on top; `name` is the model's, as Markdown."""
    said = f"{name} reads {counted(reading.num_words, 'word')} as {counted(reading.num_pieces, 'piece')}"
    losses: list[str] = []
    for change, (one, several) in LOSSES.items():
        if number := reading.counts[change]:
            subject = f"{number:,}" if losses else counted(number, "character")
            losses.append(f"{subject} {one if number == 1 else several}")
    if not losses:
        return f"{said}; no character is lost."
    return f"{said}; {' and '.join(filter(None, [', '.join(losses[:-1]), losses[-1]]))}."


def unknown_words(tokens: Tokens) -> str:
    """How many words of a text or pair the model knows, as Markdown; "" if it knows all of them.

    A word is known if none of its pieces is unknown.
    """
    total = known = 0
    unknown: list[str] = []
    for word in reading_of(tokens).words:
        of_word = [tokens.pieces[position] for position in word.positions if is_unknown(tokens, position)]
        total, known = total + len(word.words), known + (0 if of_word else len(word.words))
        unknown += of_word
    if known == total:
        return ""
    said = f"The model knows {known} of {total} words"
    if not known:
        return f"{said}: what it says is its answer to {escape_markdown(unknown[0])}."
    return f"{said}: it reads {escape_markdown(unknown[0])} for {'the other' if total - known == 1 else 'the others'}."


def other_language(tokens: Tokens, model_name: str) -> str:
    """That most words of a text are unlike those of one of the listed models, whose vocabulary is English; or "".

    It is said of 0.3 to 0.5 % of the rows of SST and EWT, and of messages of GNU programs (250 a language) of over
    93 % in French, Spanish, Italian, Portuguese, German, Dutch, Danish, Polish, Czech, Turkish and Russian, 88 % in
    Romanian and 71 % in Vietnamese.
    """
    name = ModelName(model_name).listed
    in_pieces, abroad, words = unlike_english(tokens)
    if name not in CATALOGUE or words < FEWEST_WORDS or 2 * (in_pieces + abroad) <= words:
        return ""
    also = f", and {abroad} {'is' if abroad == 1 else 'are'} common in other languages" if abroad else ""
    said = f"It reads {in_pieces} of {words} words in pieces{also}"
    return f"The model was made for English. {said}: is this another language?"
