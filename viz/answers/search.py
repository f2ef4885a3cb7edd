"""Search: the texts nearest to a query, what the nearness rests on, and whether that holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from encoder.collection.search import MaxSim, PairsOfRows, PairTest, Ranking, documents_of, found_among
from encoder.collection.table import Collection
from encoder.measures.ranks import rank_correlation
from encoder.measures.units import Level, units_of
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.figures.distributions import distributions
from viz.figures.pairs import similarity_matrix
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, make_visible, shorten
from viz.wording.numbers import percent, written

EXPLANATION: Final = Explanation(
    "Texts are ranked by the cosine of their vectors with the query's, as the model's folder makes vectors of texts; a "
    "reranker's own score ranks instead where the model has one. “Similar because” splits a cosine over pairs of "
    "words. MaxSim shows, for each word of the query, the word of the text whose last state is most like its own.",
    "A hit that shares words with the query need not answer it, and a sentence and its negation are often near.",
)
LONGEST: Final = 60  # characters of a text in a sentence
KS: Final = (1, 3, 10)
COMPARED: Final = 10  # first hits of two rankings that are compared
YES: Final = ("yes", "true", "1", "relevant")


def hits(ranking: Ranking, texts: Sequence[str], *, title: str, score: str) -> Answer:
    """The first hit in words.

    Args:
        texts: of all rows.
        title: of the model.
        score: "cosine", or "score" of a reranker.
    """
    best, typical = ranking.scores[0], float(np.median(ranking.scores))
    sentence = (
        f"**{_quoted(texts[int(ranking.rows[0])])}** comes first of {len(texts):,}, with a {score} of "
        f"{written(best, '.2f')}; the median of all is {written(typical, '.2f')} ({escape_markdown(title)})."
    )
    return Answer((Sentence(sentence),))


def place_of_hit(ranking: Ranking, text: str, row: int) -> Answer:
    """At which place of a ranking by cosine a text is."""
    place = ranking.place_of(row)
    cosine = written(ranking.scores[place - 1], ".2f")
    sentence = f"**{_quoted(text)}** is at place {place:,} of {len(ranking.rows):,}, with a cosine of {cosine}."
    return Answer((Sentence(sentence),))


def first_hits(ranking: Ranking, collection: Collection, *, score: str, most: int) -> Table:
    """The first hits with their columns, but those that are the same for all rows of a table of pairs."""
    rows = ranking.rows[:most].tolist()
    searched = documents_of(collection)
    others = [name for name in collection.columns if name not in (searched, collection.text)]
    return Table(
        name="search-hits",
        title=f"The first {len(rows):,} of {len(collection):,} texts",
        columns=lambda: {
            "place": list(range(1, len(rows) + 1)),
            score: scores_in_words(ranking.scores[:most]),
            searched: collection.column(searched, rows),
            **{name: collection.column(name, rows) for name in others},
        },
        on_page="open",
    )


def two_rankings(one: Ranking, other: Ranking, *, names: tuple[str, str]) -> Answer:
    """How far two rankings of the same rows agree."""
    firsts = [set(ranking.rows[:COMPARED].tolist()) for ranking in (one, other)]
    count = min(COMPARED, len(one.rows))
    first, second = map(escape_markdown, names)
    places = [np.argsort(ranking.rows).astype(np.float32) for ranking in (one, other)]
    agreement = written(rank_correlation(places[0], places[1]), ".2f") if count > 1 else "1.00"
    sentence = (
        f"**{len(firsts[0] & firsts[1])} of the first {count}** are the same. Over all {len(one.rows):,} texts, the "
        f"rank correlation is {agreement} ({first} and {second})."
    )
    return Answer((Sentence(sentence),))


def late_interaction(found: MaxSim) -> Answer:
    """The cosines of the words of the query with those of a text, and the best of each."""
    columns = len(found.a)
    pairs = sorted(range(columns), key=lambda unit: -found.cosines[unit, found.best[unit]])[:3]
    named = ", ".join(
        f"“{_name(found.a[unit])}” with “{_name(found.b[int(found.best[unit])])}” "
        f"{written(found.cosines[unit, found.best[unit]], '.2f')}"
        for unit in pairs
    )
    return Answer(
        (
            Chart(
                name="search-maxsim",
                title="MaxSim: last states, word by word",
                alt="The cosine of every word of the query, downward, with every word of the text, across.",
                figure=lambda theme: similarity_matrix(found.cosines, found.a, found.b, theme=theme),
            ),
            Sentence(f"**Most alike:** {named}. Mean over the query's words: {written(found.score / columns, '.2f')}."),
            Sentence(
                "As far as its files say, this model was not trained to compare words in this way, as ColBERT is: all "
                "words of a sentence are alike in it, and high numbers are usual.",
                "caption",
            ),
        )
    )


def removed_pair(found: PairTest, tokens: tuple[Tokens, Tokens], *, level: Level, rows: int) -> Answer:
    """Whether a hit falls when a pair of words is deleted, compared with random pairs.

    Args:
        tokens: of the query and of the hit.
    """
    a, b = (
        f"“{_name(units_of(each, level=level, special='hide').labels[unit])}”"
        for each, unit in zip(tokens, found.pair, strict=True)
    )
    count = len(found.random)
    if found.after > found.before:
        as_far = int((found.random >= found.after).sum())
        place = (
            f"The text falls from place {found.before:,} to place {found.after:,} of {rows:,}; {as_far} of the {count} "
            "random pairs make it fall as far"
        )
    else:
        place = f"The place of the text goes from {found.before:,} to {found.after:,} of {rows:,}"
    median = written(float(np.median(found.cosines_random)), ".2f")
    sentence = (
        f"**Without {a} in the query and {b} in the text**, the cosine goes from {written(found.cosine_before, '.2f')} "
        f"to {written(found.cosine_after, '.2f')}. Without a random pair it goes to {median} in the median; "
        f"{found.falls_further} of {count} random pairs lower it less. {place}."
    )
    return Answer((Sentence(sentence),))


def pairs_of_rows(found: PairsOfRows, collection: Collection) -> Answer:
    """How near the two texts of each row are, compared with texts of different rows."""
    own, others = (float(np.median(values)) for values in (found.cosines, found.others))
    count, nearest = len(found.cosines), int(found.nearest.sum())
    sentence = (
        f"The two texts of a row have a cosine of **{written(own, '.2f')}** in the median, texts of different rows "
        f"{written(others, '.2f')}. In **{nearest:,} of {count:,} rows** ({percent(nearest / count, 1)}), the second "
        "text is the nearest of all texts in the table to the first one."
    )
    parts: list[Part] = [Sentence(sentence)]
    if collection.name == "Negations":
        parts.append(
            Sentence(
                "The second text says the opposite of the first. Most sentence encoders ignore that: a text and its "
                "negation share their words and their topic, which is what a cosine measures here."
            )
        )
    rows = {"texts of a row": found.cosines, "texts of different rows": found.others}
    parts += [
        Chart(
            name="search-rows",
            alt="How many rows have which cosine: of the two texts of a row, and of texts of different rows.",
            figure=lambda theme: distributions(rows, value="cosine", theme=theme),
        ),
        Table(
            name="cosines-of-rows",
            title="The cosine of each row",
            columns=lambda: {
                "text": collection.column(collection.text),
                "second text": collection.column(collection.text_b or collection.text),
                "cosine": found.cosines,
            },
            on_page="folded",
        ),
    ]
    return Answer(tuple(parts))


def found_relevant(rankings: Sequence[Ranking], wanted: Sequence[Sequence[int]], *, name: str) -> Answer:
    """How often a relevant text is among the first hits of the table's own queries."""
    shares = ", ".join(f"among the first {k} for {percent(found_among(rankings, wanted, k))}" for k in KS[1:])
    first = percent(found_among(rankings, wanted, KS[0]))
    count = len(rankings)
    half = written(1.96 * 50 / max(count, 1) ** 0.5, ".0f")
    return Answer(
        (
            Sentence(
                f"A text that the table calls relevant comes **first for {first}** of its {count} queries, {shares} "
                f"({escape_markdown(name)}; with {count} queries such a share is uncertain by up to ±{half} points)."
            ),
        )
    )


def is_relevant(label: str) -> bool:
    """Whether a label says that a text answers its query."""
    return label.strip().lower() in YES


def scores_in_words(values: FloatArray) -> list[str]:
    """Scores with two digits."""
    return [written(value, ".2f") for value in values]


def _quoted(text: str) -> str:
    return f"“{escape_markdown(shorten(make_visible(text), LONGEST))}”"


def _name(label: str) -> str:
    return escape_markdown(shorten(make_visible(label), 24))
