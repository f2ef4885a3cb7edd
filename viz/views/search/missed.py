"""Why a text was not found: its cause in a sentence, the words that cost most, and words that would find it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from encoder.collection.missed import Missed, shares_of_causes
from encoder.collection.missed_case import FOUND
from encoder.collection.missed_causes import Cause
from encoder.collection.query_edits import DRAWS, MOST_RUNS
from encoder.collection.search import Score, documents_of
from encoder.collection.table import Collection
from encoder.comparison.pair_differences import SplitCosine
from encoder.comparison.similarity_map import SimilarityMap
from encoder.measures.inference import Interval
from encoder.measures.near_ties import largest_first
from encoder.measures.units import Level, units_of
from encoder.runs.arrays import FloatArray
from viz.answers.answer import Answer, Chart, Sentence, Table
from viz.figures.score_terms import term_bars
from viz.wording.labels import escape_markdown, in_markdown, make_visible, shorten
from viz.wording.numbers import interval_in_words, percent, written

LONGEST: Final = 80  # characters of a text in a sentence
MOST_BARS: Final = 12
NAMED: Final = 3
IN_WORDS: Final[Mapping[Cause, Callable[[str], str]]] = {
    "cut off": lambda said: f"its end is cut off: read alone, “{said}” would be found",
    "unknown words": lambda said: f"the model does not know “{said}”",
    "other language": lambda said: f"the {said} is in another language than the model's vocabulary",
    "copies before it": lambda said: f"{said} texts before it are copies of others",
    "missing prompt": lambda said: f"the model's folder names no prompt, and with “{said}” in front it would be found",
    "number or name": lambda said: f"the model blurs “{said}”: another in its place changes little",
    "negation": lambda said: f"the model blurs “{said}”: the first text says the opposite",
    "several topics": lambda said: f"it is about several things: “{said}” alone would be found",
    "near to everything": lambda said: f"a text before it is near to everything: it is found for {said} other queries",
    "one word": lambda said: f"“{said}” is all that the query says",
}
ABOUT_CAUSES: Final = (
    f"A cause holds if its repair brings the text among the first {FOUND}, where it has one. Other texts get the same "
    "repair."
)


def why_missed(found: Missed, wanted: str, winner: str, *, rows: int, score: Score) -> Answer:
    """The cause, the edit, and all causes as a table.

    Args:
        wanted, winner: the text, and the one that came first.
        rows: of the table.
    """
    place = f"place {found.place:,} of {rows:,}"
    bm25 = "It has no word of the query."
    if found.bm25 is not None:
        bm25 = f"By its words alone (BM25) it is at place {found.bm25:,}."
    if found.found:
        return Answer((Sentence(f"This text is found: it is at {place}. {bm25}"),))
    first = f"“{_short(winner)}” comes first, with a {score} of {written(found.scores[1], '.2f')}"
    own = written(found.scores[0], ".2f")
    causes = [check for check in found.checks if check.holds]
    named = IN_WORDS[causes[0].cause](_short(causes[0].detail)) if causes else "none of the causes below holds"
    sentence = (
        f"**Not among the first {FOUND}: {named}.** “{_short(wanted)}” is at {place}, with {own}; {first}. {bm25}"
    )
    table = Table(
        name="why-not",
        title="All causes and their tests",
        columns=lambda: {
            "cause": [check.cause for check in found.checks],
            "holds": ["yes" if check.holds else "no" for check in found.checks],
            "place after its repair": ["–" if check.place is None else f"{check.place:,}" for check in found.checks],
            "what": [make_visible(shorten(check.detail, LONGEST)) or "–" for check in found.checks],
        },
    )
    return Answer((Sentence(sentence), *_edit(found), table, Sentence(ABOUT_CAUSES, "caption")))


def _edit(found: Missed) -> tuple[Sentence, ...]:
    edit = found.edit
    if edit is None:
        return (Sentence("A reranker would read all texts again for each edit of the query: none was tried."),)
    if not edit.words:
        return (Sentence(f"No word of the text brings it nearer ({edit.runs} edits of the query)."),)
    words = escape_markdown(" ".join(edit.words))
    reached = "it is found" if edit.place <= FOUND else f"it rises no further in {MOST_RUNS} edits"
    random = f"{edit.random_found} of {DRAWS} edits by as many words of other texts find it"
    return (Sentence(f"With **“{words}”** added to the query, {reached}: place {edit.place:,}. {random}."),)


def by_cause(found: Sequence[Missed], collection: Collection, *, queries: int) -> Answer:
    """The causes of all searches of a table that fail, and these searches.

    Args:
        found: of the failures.
        queries: of the table, that have a relevant text.
    """
    if not found:
        return Answer((Sentence(f"A relevant text is among the first {FOUND} for all {queries:,} queries."),))
    shares = shares_of_causes(found)
    first = next(iter(shares))
    said = "none of the tested causes holds for any of them"
    if first is not None:
        said = f"the most frequent cause is “{first}”, in {_share(shares[first])}"
        said += f"; for {sum(each.cause is None for each in found):,}, none holds" if None in shares else ""
    failures = sorted(found, key=lambda each: [*shares].index(each.cause))
    column = documents_of(collection)
    return Answer(
        (
            Sentence(
                f"**For {len(found):,} of {queries:,} queries, no relevant text is among the first {FOUND}**: {said}."
            ),
            Table(
                name="causes",
                title="How often is each cause named?",
                columns=lambda: {
                    "cause": [cause or "none holds" for cause in shares],
                    "failures": [round(each.value * each.n) for each in shares.values()],
                    "share": [percent(each.value) for each in shares.values()],
                    "95 % interval": [f"{percent(each.low)} to {percent(each.high)}" for each in shares.values()],
                },
                on_page="open",
            ),
            Table(
                name="failures",
                title="The failures by cause",
                columns=lambda: {
                    "cause": [each.cause or "none holds" for each in failures],
                    "query": [each.query for each in failures],
                    "place": [each.place for each in failures],
                    "place by words": ["–" if each.bm25 is None else f"{each.bm25:,}" for each in failures],
                    "relevant text": collection.column(column, [each.row for each in failures]),
                    "first text": collection.column(column, [each.winner for each in failures]),
                },
                on_page="open",
                changes=[{"find": each.query, "hit": each.row} for each in failures],
            ),
            Sentence(
                "A click shows why. Where several causes hold, the first one of the list there counts.", "caption"
            ),
        )
    )


def _share(found: Interval) -> str:
    """How many of all, with the interval of their share."""
    interval = interval_in_words(found.low, found.high, percent, n=found.n)
    return f"{round(found.value * found.n):,} of {found.n:,} ({percent(found.value)}, {interval})"


class QueryParts(NamedTuple):
    """What the words of a query add to the score of a text.

    Attributes:
        values: (U,) of the query's words.
        of_text: what the text's own words add to a reranker's score; 0 where each part belongs to a word of the query.
        whole: the score, in the unit in which parts add up.
    """

    words: tuple[str, ...]
    values: FloatArray
    of_text: float
    whole: float
    unit: str


def parts_of_split(split: SplitCosine, level: Level) -> QueryParts:
    """Those of a similarity that is split over pairs of words."""
    pairs, (query, _) = split
    words = units_of(query, level=level, special="hide").labels
    whole = pairs.cosine if isinstance(pairs, SimilarityMap) else pairs.score
    return QueryParts(words, pairs.values.sum(axis=1), 0.0, whole, "")


def difference(wanted: QueryParts, winner: QueryParts) -> Answer:
    """What each word of the query adds to the score of the text, less what it adds to that of the first one.

    The bars add up to the difference of the two scores.
    """
    if wanted.words != winner.words:
        said = "The query is cut off before one of the two texts, so that its words are not compared."
        return Answer((Sentence(said, "caption"),))
    values, of_texts = wanted.values - winner.values, wanted.of_text - winner.of_text
    whole = wanted.whole - winner.whole
    order = list(largest_first(np.abs(values), MOST_BARS))
    bars, names = values[order].tolist(), [make_visible(wanted.words[index]) for index in order]
    if of_texts:
        bars, names = [*bars, of_texts], [*names, "words of the texts"]
    bars, names = np.array([*bars, whole - sum(bars)], np.float32), [*names, "the rest"]
    lowest = [index for index in np.argsort(values, kind="stable")[:NAMED].tolist() if values[index] < 0]
    cost = ", ".join(f"“{in_markdown(wanted.words[at])}” {written(float(values[at]), '+.2f')}" for at in lowest)
    said = f"**These words of the query cost most:** {cost}." if lowest else "No word of the query costs it anything."
    chart = Chart(
        name="why-not-words",
        alt=f"What {len(order)} words of the query, and the rest, add to the difference of the two scores.",
        figure=lambda theme: term_bars(
            names, bars, [""] * len(names), limits=(float(bars.min()), float(bars.max())), theme=theme
        ),
    )
    unit = f" ({wanted.unit})" if wanted.unit else ""
    caption = f"This text less the first one: {written(whole, '+.2f')}{unit}, which the bars add up to."
    if of_texts:
        caption += " The rest is what integrated gradients give to no word."
    return Answer((Sentence(said), chart, Sentence(caption, "caption")))


def _short(text: str) -> str:
    return escape_markdown(make_visible(shorten(text, LONGEST)))
