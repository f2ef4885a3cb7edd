"""Causes why a text was not found, each with a test of its own.

A cause that can be repaired holds if its repair brings the text among the first `FOUND`: reading the rest of a text
that is cut off, for example. What helps the text helps the texts before it, too: their parts are read, and their
similarity to other queries is subtracted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from encoder.collection.lexical import NUMBER, exact_words, words_of
from encoder.collection.missed_case import FOUND, MissedCase
from encoder.collection.search import rank
from encoder.measures.inference import is_clear, p_of_count
from encoder.measures.similarity import unit_vectors
from encoder.models.base import Backend
from encoder.text.common_words import fold_case
from encoder.text.readings import is_unknown, unlike_english
from encoder.text.tokens import Tokens

Cause = Literal[
    "cut off",
    "unknown words",
    "other language",
    "copies before it",
    "number or name",
    "negation",
    "several topics",
    "near to everything",
    "one word",
    "missing prompt",
]
MOST_AHEAD: Final = 20  # rows before the text that are read again
NEAREST_QUERIES: Final = 10  # whose mean similarity is subtracted
HUB: Final = 0.05  # of the queries that a text is among the first of: from here on it is near to everything
COPY: Final = 0.98  # cosine of two texts, from which they count as copies
MUCH_UNKNOWN: Final = 1 / 3  # of a text's words
FEWEST_WORDS: Final = 3  # of a text whose language is told
RARE: Final = 0.02  # share of the rows with a word that is taken for a name
SWAPS: Final = 5  # other numbers or names
_NEGATORS: Final = """
    cannot hardly neither never no nobody none nor not nothing nowhere scarcely without
"""
NEGATORS: Final = frozenset(_NEGATORS.split())
# Pairs of prompts that families of models were trained with; a folder may lack them.
PROMPTS: Final = (
    ("query: ", "passage: "),
    ("search_query: ", "search_document: "),
    ("Represent this sentence for searching relevant passages: ", ""),
)
# Twice as many that say nothing, as a control.
NO_PROMPTS: Final = (
    ("lorem: ", "ipsum: "),
    ("tempor: ", "magna: "),
    ("dolor_sit: ", "amet_elit: "),
    ("eiusmod_ut: ", "labore_et: "),
    ("Consectetur adipiscing elit sed do: ", ""),
    ("Incididunt ut labore et dolore magna aliqua: ", ""),
)
_SENTENCE = re.compile(r"(?<=[.!?\u3002])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One cause, tested.

    Attributes:
        place: of the text after the repair, counted from 1; None if there is none.
        chance: that a text is as often among the first if all were alike; NaN for other causes than nearness.
        detail: what the cause is about: words, a number; "" if it does not apply.
    """

    cause: Cause
    holds: bool
    place: int | None = None
    chance: float = float("nan")
    detail: str = ""


def _cut_off(case: MissedCase) -> Check:
    """Whether the end that is cut off would be found; texts before it that are cut off are read to their end, too."""
    rest = _rest_of(case.model, case.text)
    if not rest:
        return Check(cause="cut off", holds=False)
    ahead = case.ahead[:MOST_AHEAD]
    rests = [_rest_of(case.model, case.texts[row]) for row in (case.row, *ahead)]
    best = [_best_part(case, [part for text in rest for part in (_sentences_of(text) or [text])]) for rest in rests]
    place = _place_by_parts(case, best, ahead)
    return Check(cause="cut off", holds=place <= FOUND, place=place, detail=best[0])


def _rest_of(model: Backend, text: str) -> list[str]:
    """What the model does not read of a text, in parts that it can read."""
    reader, parts = model.for_role("document"), list[str]()
    while True:
        tokens = reader.tokenize(text)
        end = max((span[1] for span in tokens.spans if span), default=0)
        if not any(tokens.truncated) or not end or not text[end:].strip():
            return parts
        text = text[end:].strip()
        parts.append(text)


def _place_by_parts(case: MissedCase, parts: Sequence[str], ahead: Sequence[int]) -> int:
    """The place of the text if texts count by the better of their own score and that of a part, "" for none."""
    given = [part for part in parts if part]
    of_parts = iter(case.read([case.query], given)[0].tolist() if given else ())
    rows = [case.row, *ahead]
    better = [
        max(float(case.scores[row]), next(of_parts)) if part else float(case.scores[row])
        for row, part in zip(rows, parts, strict=True)
    ]
    return case.place_with(rows, better)


def _unknown_words(case: MissedCase) -> Check:
    """Whether the query has a word that the model does not know, or a third of the text's words are unknown."""
    query = _unknown_in(case.model.for_role("query").tokenize(case.query))
    text = case.model.for_role("document").tokenize(case.text)
    unknown = _unknown_in(text)
    holds = bool(query) or len(unknown) > MUCH_UNKNOWN * max(len(text.words), 1)
    return Check(cause="unknown words", holds=holds, detail=" ".join(query or unknown) if holds else "")


def _unknown_in(tokens: Tokens) -> list[str]:
    words = {tokens.word_ids[at] for at in range(len(tokens)) if is_unknown(tokens, at)}
    return [tokens.words[word] for word in sorted(word for word in words if word is not None)]


def _other_language(case: MissedCase) -> Check:
    """Whether most words of only one of query and text are unlike the English of the model's vocabulary."""
    sides = case.model.for_role("query").tokenize(case.query), case.model.for_role("document").tokenize(case.text)
    foreign = [
        2 * (in_pieces + abroad) > words >= FEWEST_WORDS for in_pieces, abroad, words in map(unlike_english, sides)
    ]
    holds = foreign[0] != foreign[1]
    return Check(cause="other language", holds=holds, detail=("query" if foreign[0] else "text") if holds else "")


def _copies(case: MissedCase) -> Check:
    """Whether the text is found if one of each group of copies before it is counted."""
    ahead = case.ahead
    rows = [*ahead, case.row]
    if isinstance(case.vectors, np.ndarray):
        vectors = unit_vectors(case.vectors[rows])
        alike = vectors @ vectors.T > COPY
    else:
        folded = np.array([" ".join(case.index.words[row]) for row in rows])
        alike = folded[:, None] == folded
    kept: list[int] = []
    for at in range(len(rows)):
        if not alike[at, kept].any():
            kept.append(at)
    place, gone = min(len(kept), int(np.flatnonzero(alike[-1])[0]) + 1), len(rows) - len(kept)
    return Check(
        cause="copies before it", holds=place <= FOUND and gone > 0, place=place, detail=str(gone) if gone else ""
    )


def _number_or_name(case: MissedCase) -> Check:
    """Whether the text is found among rows with a number or a name of the query, which the winner lacks.

    And whether the model blurs it: the winner has another one in its place, or another one in the query hardly changes
    the distance of text and winner.
    """
    winner = case.texts[case.winner]
    for word, others in _exact_words(case):
        place = case.place_among(np.array([word in words for words in case.index.exact]))
        has_another = NUMBER.findall(winner) if NUMBER.fullmatch(word) else _names_in(winner) - {*words_of(case.query)}
        swapped = [re.sub(rf"\b{re.escape(word)}\b", other, case.query, flags=re.IGNORECASE) for other in others]
        if place > FOUND:
            continue
        if has_another or case.gap(case.query) - np.mean([case.gap(query) for query in swapped]) < case.unit:
            return Check(cause="number or name", holds=True, place=place, detail=word)
    return Check(cause="number or name", holds=False)


def _exact_words(case: MissedCase) -> Iterator[tuple[str, list[str]]]:
    """Numbers and rare words of the query that the text has and the winner lacks, each with others in its place."""
    counts, exact = case.index.counts, case.index.exact
    shared = exact_words(case.query).intersection(exact[case.row]).difference(exact[case.winner])
    draw = np.random.default_rng(0)
    for word in sorted(shared, key=lambda each: (not NUMBER.fullmatch(each), counts[each], each)):
        is_number = bool(NUMBER.fullmatch(word))
        if not is_number and (counts[word] > max(RARE * len(case.texts), 1) or word not in _names_in(case.text)):
            continue
        like = [each for each in counts if bool(NUMBER.fullmatch(each)) == is_number and each != word]
        like = sorted(each for each in like if is_number or counts[each] <= counts[word])
        if is_number:
            like += [str(number) for number in draw.integers(1, 10 ** max(len(word), 2), SWAPS)]
        yield word, [like[index] for index in draw.permutation(len(like))[:SWAPS]]


def _names_in(text: str) -> set[str]:
    """The words that are capitalised within a sentence."""
    return {fold_case(word) for word in re.findall(r"(?<=[\w,;:] )[^\W\d_]+", text) if word[0].isupper()}


def _negation(case: MissedCase) -> Check:
    """Whether the text is found among rows that are negated as the query is, and the winner says the opposite.

    It says so if it is among the first for the query without its negation, or without its own, as it is.
    """
    negated = np.array([bool(_negators(words)) for words in case.index.words])
    of_query = bool(_negators(words_of(case.query)))
    if of_query != negated[case.row] or of_query == negated[case.winner]:
        return Check(cause="negation", holds=False)
    place = case.place_among(negated == of_query)
    first, *others = (case.texts[row] for row in case.ahead[:MOST_AHEAD])
    detail = " ".join(_negators(words_of(case.query) if of_query else words_of(first)))
    query, first = (_affirmed(case.query), first) if of_query else (case.query, _affirmed(first))
    is_opposite = rank(case.read([query], [first, *others, case.text])[0]).place_of(0) <= FOUND
    return Check(cause="negation", holds=place <= FOUND and is_opposite, place=place, detail=detail)


def _negators(words: Sequence[str]) -> list[str]:
    return [word for word in words if word in NEGATORS or word.endswith(("n't", "n’t"))]


def _affirmed(text: str) -> str:
    """The text without its negations."""
    kept = re.sub(r"(?i)n['’]t\b", "", text)
    return re.sub(rf"(?i)\b(?:{'|'.join(sorted(NEGATORS))})\b ?", "", kept).strip() or text


def _topics(case: MissedCase) -> Check:
    """Whether one of several sentences would be found by itself; texts before it are read by sentences, too."""
    if not _sentences_of(case.text):
        return Check(cause="several topics", holds=False)
    ahead = case.ahead[:MOST_AHEAD]
    best = [_best_part(case, _sentences_of(case.texts[row])) for row in (case.row, *ahead)]
    place = _place_by_parts(case, best, ahead)
    return Check(cause="several topics", holds=place <= FOUND, place=place, detail=best[0])


def _sentences_of(text: str) -> list[str]:
    """The sentences of a text; none of a text of one."""
    parts = [part for part in _SENTENCE.split(text.strip()) if part.strip()]
    return parts if len(parts) > 1 else []


def _best_part(case: MissedCase, parts: Sequence[str]) -> str:
    """The part that is nearest to the query; "" of none."""
    return parts[int(np.argmax(case.read([case.query], parts)[0]))] if parts else ""


def _near_to_everything(case: MissedCase) -> Check:
    """Whether one before the text is a hub, and the text is found if rows lose their similarity to the nearest queries.

    Source: Radovanović et al. (2010), Hubs in Space; CSLS of Conneau et al. (2018), Word Translation Without Parallel
    Data.
    """
    scores = case.others.scores[[query != case.query for query in case.others.queries]]  # (Q, N)
    if len(scores) < NEAREST_QUERIES:
        return Check(cause="near to everything", holds=False)
    firsts = np.argsort(-scores, axis=1, kind="stable")[:, :FOUND]
    count = max(int((firsts == row).any(axis=1).sum()) for row in case.ahead[:FOUND])
    chance = min(FOUND * p_of_count(count, len(scores), min(FOUND / len(case.texts), 1.0)), 1.0)
    nearest = np.sort(scores, axis=0)[-NEAREST_QUERIES:].mean(axis=0)  # (N,)
    place = rank((case.scores - nearest).astype(np.float32)).place_of(case.row)
    holds = place <= FOUND and is_clear(chance) and count > HUB * len(scores)
    detail = f"{count} of {len(scores)}"
    return Check(cause="near to everything", holds=holds, place=place, chance=chance, detail=detail)


def _one_word(case: MissedCase) -> Check:
    words = words_of(case.query)
    return Check(cause="one word", holds=len(words) == 1, detail=words[0] if len(words) == 1 else "")


def _prompt(case: MissedCase) -> Check:
    """Whether a usual prompt that the model's folder lacks brings the text up, and one that says nothing does not.

    Models that compare tokens have markers in place of prompts, and rerankers neither.
    """
    if not isinstance(case.vectors, np.ndarray) or any(case.model.pooling.prompts.values()):
        return Check(cause="missing prompt", holds=False)
    ahead = case.ahead[:MOST_AHEAD]
    texts = [case.text, *(case.texts[row] for row in ahead)]

    def place_with(prompts: tuple[str, str]) -> int:
        scores = case.read([prompts[0] + case.query], [prompts[1] + text for text in texts])[0]
        return case.place_with([case.row, *ahead], scores.tolist())

    places = {prompts: place_with(prompts) for prompts in PROMPTS}
    best = min(places, key=places.__getitem__)
    place = places[best]
    holds = place <= FOUND and 2 * place <= min(map(place_with, NO_PROMPTS))
    return Check(cause="missing prompt", holds=holds, place=place, detail=best[0].strip())


TESTS: Final[dict[Cause, Callable[[MissedCase], Check]]] = {
    "cut off": _cut_off,
    "unknown words": _unknown_words,
    "other language": _other_language,
    "copies before it": _copies,
    "number or name": _number_or_name,
    "negation": _negation,
    "several topics": _topics,
    "near to everything": _near_to_everything,
    "one word": _one_word,
    "missing prompt": _prompt,
}
