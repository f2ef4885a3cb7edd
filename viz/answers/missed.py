"""Why a text was not found: its cause in a sentence, the words that cost most, and words that would find it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from encoder.collection.missed import DRAWS, FOUND, MOST_RUNS, Cause, Missed
from encoder.collection.search import Score
from encoder.comparison.exact_splits import ExactSplit
from encoder.comparison.pair_differences import SplitCosine
from encoder.comparison.similarity_map import SimilarityMap
from encoder.measures.near_ties import largest_first
from encoder.measures.units import Level, units_of
from viz.answers.answer import Answer, Chart, Sentence, Table
from viz.figures.score_terms import term_bars
from viz.wording.labels import escape_markdown, in_markdown, make_visible, shorten
from viz.wording.numbers import written

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


def why_missed(found: Missed, winner: str, *, rows: int, score: Score) -> Answer:
    """The cause, the edit, and all causes as a table.

    Args:
        winner: the text that came first.
        rows: of the table.
    """
    place, bm25 = f"place {found.place:,} of {rows:,}", f"By its words alone (BM25) it is at place {found.bm25:,}."
    if found.found:
        return Answer((Sentence(f"This text is found: it is at {place}. {bm25}"),))
    first = f"“{_short(winner)}” comes first, with a {score} of {written(found.scores[1], '.2f')}"
    own = written(found.scores[0], ".2f")
    causes = [check for check in found.checks if check.holds]
    named = IN_WORDS[causes[0].cause](_short(causes[0].detail)) if causes else "none of the causes below holds"
    sentence = f"**Not among the first {FOUND}: {named}.** It is at {place}, with {own}; {first}. {bm25}"
    table = Table(
        name="why-not",
        title="All causes and their tests",
        columns=lambda: {
            "cause": [check.cause for check in found.checks],
            "holds": ["yes" if check.holds else "no" for check in found.checks],
            "place after its repair": ["–" if check.place is None else f"{check.place:,}" for check in found.checks],
            "what": [make_visible(shorten(check.detail, LONGEST)) or "–" for check in found.checks],
        },
        on_page="folded",
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


def difference(wanted: SplitCosine, winner: SplitCosine, level: Level) -> Answer:
    """What each word of the query adds to the similarity of the text, less what it adds to that of the first one.

    The bars add up to the difference of the two similarities.
    """
    values = wanted[0].values.sum(axis=1) - winner[0].values.sum(axis=1)  # (U,)
    whole = _whole(wanted[0]) - _whole(winner[0])
    words = units_of(wanted[1][0], level=level, special="hide").labels
    order = list(largest_first(np.abs(values), MOST_BARS))
    bars = np.append(values[order], np.float32(whole - float(values[order].sum())))
    names = [*(make_visible(words[index]) for index in order), "the rest"]
    lowest = [index for index in np.argsort(values, kind="stable")[:NAMED].tolist() if values[index] < 0]
    cost = ", ".join(f"“{in_markdown(words[at])}” {written(float(values[at]), '+.2f')}" for at in lowest)
    said = f"**These words of the query cost most:** {cost}." if lowest else "No word of the query costs it anything."
    chart = Chart(
        name="why-not-words",
        alt=f"What {len(order)} words of the query, and the rest, add to the difference of the two similarities.",
        figure=lambda theme: term_bars(
            names, bars, [""] * len(names), limits=(float(bars.min()), float(bars.max())), theme=theme
        ),
    )
    caption = f"This text less the first one: {written(whole, '+.2f')}, which the bars add up to."
    return Answer((Sentence(said), chart, Sentence(caption, "caption")))


def _whole(split: SimilarityMap | ExactSplit) -> float:
    return split.cosine if isinstance(split, SimilarityMap) else split.score


def _short(text: str) -> str:
    return escape_markdown(make_visible(shorten(text, LONGEST)))
