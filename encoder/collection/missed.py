"""Why a text was not found: causes, each with a test of its own, and the smallest edit of the query that finds it.

A cause that can be repaired holds if its repair brings the text among the first `FOUND`: reading the rest of a text
that is cut off, for example. What helps the text helps the texts before it, too: their parts are read, and their
similarity to other queries is subtracted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from encoder.collection.lexical import NUMBER, WordIndex, exact_words, words_of
from encoder.collection.search import (
    GrowingVectors,
    Ranking,
    documents_of,
    hits_by_words,
    places_of_relevant,
    rank,
    scores_of_queries,
    search,
)
from encoder.collection.table import Collection
from encoder.columns import Columns
from encoder.comparison.exact_splits import Vectors, similarities_of, vectors_of_tokens
from encoder.errors import SelectionError
from encoder.measures.inference import Interval, is_clear, p_of_count, share
from encoder.measures.similarity import unit_vectors
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
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
FOUND: Final = 5  # places that count as found
MOST_AHEAD: Final = 20  # rows before the text that are read again
MOST_QUERIES: Final = 200  # that tell which rows are near to everything
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
MOST_RUNS: Final = 50  # edited queries
DRAWS: Final = 20  # random edits
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Words of the text that are added to the query.

    Attributes:
        words: none if no edit in `MOST_RUNS` runs brings the text nearer.
        place: of the text for the edited query.
        random_found: in how many of `DRAWS` edits by as many words of other texts it is found.
        runs: of the model.
    """

    words: tuple[str, ...]
    place: int
    random_found: int
    runs: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Missed(Columns):
    """Why a text was not found.

    Attributes:
        row: of the text, and winner, of the one that came first.
        place: of the text, counted from 1; found, whether it is among the first `FOUND`.
        scores: of the text, and of the first.
        checks: of all causes, in the order in which they are named.
        edit: None for a reranker, which would read every text again for each query.
        bm25: the place of the text by its words alone; None if it has no word of the query.
    """

    query: str
    row: int
    winner: int
    place: int
    scores: tuple[float, float]
    checks: tuple[Check, ...]
    edit: Edit | None
    bm25: int | None

    @property
    def found(self) -> bool:
        return self.place <= FOUND

    @property
    def cause(self) -> Cause | None:
        """The first cause that holds; None where none does, or where the text was found."""
        return next((check.cause for check in self.checks if check.holds and not self.found), None)

    @property
    def about(self) -> str:
        named = self.cause or ("found" if self.found else "no cause holds")
        return f"row {self.row} at place {self.place} for {self.query!r}: {named};"

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of a row for each cause: whether it holds, the place after its repair, and the chance of that."""
        names = ("cause", "holds", "place", "chance", "detail")
        return {name: [getattr(check, name) for check in self.checks] for name in names}

    @property
    def rest(self) -> dict[str, Any]:
        """The place and what came first; the edit; and the place by BM25."""
        edit = None if self.edit is None else {"words": self.edit.words, "place": self.edit.place}
        return {"cause": self.cause, "place": self.place, "winner": self.winner, "bm25": self.bm25, "edit": edit}


@dataclass(slots=True)
class _Case:
    """A query, the text that was expected, and all that the tests read."""

    model: Backend
    collection: Collection
    query: str
    row: int
    vectors: Vectors | None
    scores: FloatArray  # (N,)
    index: WordIndex
    others: Others
    ranking: Ranking = field(init=False)
    texts: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        self.ranking = rank(self.scores)
        self.texts = self.collection.column(documents_of(self.collection))

    @property
    def text(self) -> str:
        return self.texts[self.row]

    @property
    def place(self) -> int:
        return self.ranking.place_of(self.row)

    @property
    def winner(self) -> int:
        """The first row, or the second if the first is the text."""
        return int(self.ranking.rows[int(self.place == 1)])

    @property
    def ahead(self) -> list[int]:
        """The rows before the text, the best first."""
        return [int(row) for row in self.ranking.rows[: self.place - 1]]

    @property
    def unit(self) -> float:
        """The standard deviation of the scores of all rows: what counts as a small change."""
        return float(self.scores.std()) or 1.0

    def read(self, queries: Sequence[str], texts: Sequence[str]) -> FloatArray:
        """(Q, N) scores of other queries or texts."""
        if self.vectors is None:
            pairs = [(query, text) for query in queries for text in texts]
            scores = [reading.prediction.score for reading in self.model.readings(pairs) if reading.prediction]
            return np.array(scores, np.float32).reshape(len(queries), len(texts))
        return similarities_of(self.model, self.vectors_of(queries, "query"), self.vectors_of(texts, "document"))

    def vectors_of(self, texts: Sequence[str], role: Literal["query", "document"]) -> Vectors:
        reader = self.model.for_role(role)
        return vectors_of_tokens(self.model, [reader.tokenize(text) for text in texts], role)

    def place_with(self, rows: Sequence[int], scores: Sequence[float]) -> int:
        """The place of the text if rows, itself among them, had other scores."""
        changed = self.scores.copy()
        changed[rows] = scores
        return rank(changed).place_of(self.row)

    def place_among(self, kept: npt.NDArray[np.bool_]) -> int:
        """The place of the text among the rows that are kept, (N,)."""
        return int(kept[self.ahead].sum()) + 1

    def gap(self, query: str) -> float:
        """The score of the text less that of the winner."""
        first, second = self.read([query], [self.text, self.texts[self.winner]])[0].tolist()
        return float(first - second)


def why_not(model: Backend, collection: Collection, query: str, row: int, into: GrowingVectors | None = None) -> Missed:
    """Why a text is not among the first `FOUND` for a query.

    Args:
        row: of the text that was expected.
        into: vectors of the texts, as `search` takes them.
    Raises:
        SelectionError: the table has no such row.
        InputError, UnsupportedModelError, DataError: as `search`.
    """
    if not 0 <= row < len(collection):
        raise SelectionError(f"The table has no row {row:,}: its last is {len(collection) - 1:,}.")
    found = search(model, collection, query, into)
    index = WordIndex(collection.column(documents_of(collection)))
    return missed(model, collection, query, row, found.scores, found.vectors, index)


class Others(NamedTuple):
    """Queries that tell which rows are near to everything, and their (Q, N) scores."""

    queries: tuple[str, ...]
    scores: FloatArray


def other_queries(model: Backend, collection: Collection, vectors: Vectors | None) -> Others:
    """The first texts of pairs, else the texts, which do not score themselves; none unless a text has one vector."""
    draw = np.random.default_rng(0)
    if not isinstance(vectors, np.ndarray):
        return Others((), np.zeros((0, len(collection)), np.float32))
    texts = collection.column(collection.text)
    if collection.text_b is None:
        rows = np.sort(draw.permutation(len(vectors))[:MOST_QUERIES])
        scores = similarities_of(model, vectors[rows], vectors)
        scores[np.arange(len(rows)), rows] = scores.min()
        return Others(tuple(texts[row] for row in rows), scores)
    queries = list(dict.fromkeys(texts))
    drawn = tuple(queries[index] for index in np.sort(draw.permutation(len(queries))[:MOST_QUERIES]))
    return Others(drawn, scores_of_queries(model, drawn, vectors))


def missed(
    model: Backend,
    collection: Collection,
    query: str,
    row: int,
    scores: FloatArray,
    vectors: Vectors | None,
    index: WordIndex,
    *,
    others: Others | None = None,
    progress: Progress = no_progress,
) -> Missed:
    """The same of a ranking that is there.

    Args:
        scores, vectors: of all rows, from `search`.
        index: of the texts.
        others: from `other_queries`; None to ask them here.
        progress: called after each cause, and after the edits.
    """
    is_found, total = rank(scores).place_of(row) <= FOUND, len(TESTS) + 1
    others = others or other_queries(model, collection, None if is_found else vectors)
    case = _Case(model, collection, query, row, vectors, scores, index, others)
    checks = []
    for done, (cause, test) in enumerate(TESTS.items()):
        progress(done, total)
        checks.append(Check(cause=cause, holds=False) if is_found else test(case))
    edit = None if vectors is None or is_found else _smallest_edit(case, vectors)
    progress(total, total)
    return Missed(
        query=query,
        row=row,
        winner=case.winner,
        place=case.place,
        scores=(float(scores[row]), float(scores[case.winner])),
        checks=tuple(checks),
        edit=edit,
        bm25=_place_by_words(index, query, row),
    )


def _place_by_words(index: WordIndex, query: str, row: int) -> int | None:
    hits = hits_by_words(index, query)
    return hits.place_of(row) if row in hits.rows else None


def missed_queries(
    model: Backend,
    collection: Collection,
    wanted: Mapping[str, Sequence[int]],
    scores: FloatArray,
    vectors: Vectors | None,
    index: WordIndex,
    *,
    progress: Progress = no_progress,
) -> tuple[Missed, ...]:
    """Why no relevant text is among the first, of each query of which that is so; the worst first.

    Args:
        wanted: the relevant rows of each query.
        scores: (Q, N) of the queries and all rows.
        progress: called with the queries done and in total.
    """
    places, rows = places_of_relevant([rank(of_query) for of_query in scores], list(wanted.values()))
    order = [at for at in np.argsort(-places, kind="stable").tolist() if places[at] > FOUND]
    queries, found, others = list(wanted), list[Missed](), other_queries(model, collection, vectors)
    for at in order:
        progress(len(found), len(order))
        found.append(missed(model, collection, queries[at], int(rows[at]), scores[at], vectors, index, others=others))
    progress(len(order), len(order))
    return tuple(found)


def shares_of_causes(found: Sequence[Missed]) -> dict[Cause | None, Interval]:
    """The share of each cause among searches that failed, the most frequent first, and None, no cause, last."""
    counts = Counter(each.cause for each in found)
    order = sorted(counts, key=lambda cause: (cause is None, -counts[cause]))
    return {cause: share(counts[cause], len(found)) for cause in order}


def _cut_off(case: _Case) -> Check:
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


def _place_by_parts(case: _Case, parts: Sequence[str], ahead: Sequence[int]) -> int:
    """The place of the text if texts count by the better of their own score and that of a part, "" for none."""
    given = [part for part in parts if part]
    of_parts = iter(case.read([case.query], given)[0].tolist() if given else ())
    rows = [case.row, *ahead]
    better = [
        max(float(case.scores[row]), next(of_parts)) if part else float(case.scores[row])
        for row, part in zip(rows, parts, strict=True)
    ]
    return case.place_with(rows, better)


def _unknown_words(case: _Case) -> Check:
    """Whether the query has a word that the model does not know, or a third of the text's words are unknown."""
    query = _unknown_in(case.model.for_role("query").tokenize(case.query))
    text = case.model.for_role("document").tokenize(case.text)
    unknown = _unknown_in(text)
    holds = bool(query) or len(unknown) > MUCH_UNKNOWN * max(len(text.words), 1)
    return Check(cause="unknown words", holds=holds, detail=" ".join(query or unknown) if holds else "")


def _unknown_in(tokens: Tokens) -> list[str]:
    words = {tokens.word_ids[at] for at in range(len(tokens)) if is_unknown(tokens, at)}
    return [tokens.words[word] for word in sorted(word for word in words if word is not None)]


def _other_language(case: _Case) -> Check:
    """Whether most words of only one of query and text are unlike the English of the model's vocabulary."""
    sides = case.model.for_role("query").tokenize(case.query), case.model.for_role("document").tokenize(case.text)
    foreign = [
        2 * (in_pieces + abroad) > words >= FEWEST_WORDS for in_pieces, abroad, words in map(unlike_english, sides)
    ]
    holds = foreign[0] != foreign[1]
    return Check(cause="other language", holds=holds, detail=("query" if foreign[0] else "text") if holds else "")


def _copies(case: _Case) -> Check:
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


def _number_or_name(case: _Case) -> Check:
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


def _exact_words(case: _Case) -> Iterator[tuple[str, list[str]]]:
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


def _negation(case: _Case) -> Check:
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


def _topics(case: _Case) -> Check:
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


def _best_part(case: _Case, parts: Sequence[str]) -> str:
    """The part that is nearest to the query; "" of none."""
    return parts[int(np.argmax(case.read([case.query], parts)[0]))] if parts else ""


def _near_to_everything(case: _Case) -> Check:
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


def _one_word(case: _Case) -> Check:
    words = words_of(case.query)
    return Check(cause="one word", holds=len(words) == 1, detail=words[0] if len(words) == 1 else "")


def _prompt(case: _Case) -> Check:
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


TESTS: Final[dict[Cause, Callable[[_Case], Check]]] = {
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


def _smallest_edit(case: _Case, vectors: Vectors) -> Edit:
    """Words of the text that bring it among the first, added to the query one by one: rare words first.

    A greedy search: it may miss a smaller edit.
    """
    counts = case.index.counts
    known = set(words_of(case.query))
    words = sorted(
        dict.fromkeys(word for word in case.index.words[case.row] if word not in known), key=counts.__getitem__
    )
    added: list[str] = []
    place, runs = case.place, 0
    while place > FOUND and words and runs < MOST_RUNS:
        tried = words[: MOST_RUNS - runs] if not added else words[: min(10, MOST_RUNS - runs)]
        places = _places(case, vectors, [" ".join((case.query, *added, word)) for word in tried])
        runs += len(tried)
        best = int(np.argmin(places))
        if places[best] >= place:
            break
        place = places[best]
        added.append(tried[best])
        words = [word for _, word in sorted(zip(places, tried, strict=True)) if word != tried[best]]
    draw = np.random.default_rng(0)
    others = sorted(set(counts) - set(case.index.words[case.row]) - known)
    drawn = [draw.choice(len(others), size=len(added), replace=False) for _ in range(DRAWS if added and others else 0)]
    random = [" ".join((case.query, *(others[index] for index in indices))) for indices in drawn]
    found = sum(each <= FOUND for each in _places(case, vectors, random)) if random else 0
    return Edit(words=tuple(added), place=place, random_found=found, runs=runs)


def _places(case: _Case, vectors: Vectors, queries: Sequence[str]) -> list[int]:
    """The place of the text for other queries."""
    return [rank(scores).place_of(case.row) for scores in scores_of_queries(case.model, queries, vectors)]
