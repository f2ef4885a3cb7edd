"""Search: the texts nearest to a query, what the nearness rests on, and whether that holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from encoder.attribution.explaining import WordValues
from encoder.attribution.target import Target
from encoder.collection.hit_test import PairTest, strongest_words, words_of_query
from encoder.collection.search import (
    COMPARED,
    MaxSim,
    PairsOfRows,
    Ranking,
    Score,
    documents_of,
    found_among,
    most_moved,
    places_of_relevant,
)
from encoder.collection.table import Collection, unique_names
from encoder.comparison.pair_differences import PairDifferences
from encoder.measures.inference import is_clear, wilson_interval
from encoder.measures.near_ties import largest_first
from encoder.measures.ranks import rank_correlation
from encoder.runs.arrays import FloatArray
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.figures.distributions import distributions
from viz.figures.pairs import similarity_matrix
from viz.state.selection import Selection
from viz.views.why.answer.words import words
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, in_markdown, make_visible, shorten
from viz.wording.numbers import interval_in_words, p_in_words, percent, percent_counted, written

EXPLANATION: Final = Explanation(
    "Texts are ranked by the cosine of their vectors with the query's, or by the similarity that the model's folder "
    "names, which also says how vectors are made and which prompts are read. A reranker's own score ranks instead "
    "where the model has one. “Similar because” splits a cosine over pairs of words; a score is split over the words "
    "of query and text. MaxSim shows, for each word of the query, the word of the text whose last state is most like "
    "its own; high numbers are usual in a model that was not trained for this, as ColBERT is. A sentence and its "
    "negation are often near.",
    "A hit that shares words with the query need not answer it.",
)
LONGEST: Final = 60  # characters of a text in a sentence
KS: Final = (1, 3, 10)
MOVED: Final = 5  # of them that are listed
NAMED: Final = 3  # pairs named in a sentence
YES: Final = re.compile(r"yes|true|relevant|[1-9]\d*(?:\.0+)?", re.IGNORECASE)


def hits(ranking: Ranking, text: str, *, title: str, score: Score) -> Answer:
    """The first hit in words.

    Args:
        text: of the first hit.
        title: of the model.
    """
    best, typical = ranking.scores[0], float(np.median(ranking.scores))
    sentence = (
        f"**{_quoted(text)}** comes first of {len(ranking.rows):,}, with a {score} of "
        f"{written(best, '.2f')}; the median of all is {written(typical, '.2f')} ({escape_markdown(title)})."
    )
    return Answer((Sentence(sentence),))


def place_of_hit(ranking: Ranking, text: str, row: int, *, score: Score) -> Answer:
    """At which place of a ranking a text is."""
    place = ranking.place_of(row)
    value = written(ranking.scores[place - 1], ".2f")
    sentence = f"**{_quoted(text)}** is at place {place:,} of {len(ranking.rows):,}, with a {score} of {value}."
    return Answer((Sentence(sentence),))


def first_hits(ranking: Ranking, collection: Collection, *, score: Score, most: int) -> Table:
    """The first hits with their columns, but those that are the same for all rows of a table of pairs."""
    rows = ranking.rows[:most].tolist()
    searched = documents_of(collection)
    others = [name for name in collection.columns if name not in (searched, collection.text)]
    return Table(
        name="search-hits",
        title=f"The first {len(rows):,} of {len(collection):,} texts",
        columns=lambda: {
            collection.unused_name("place"): list(range(1, len(rows) + 1)),
            collection.unused_name(score): scores_in_words(ranking.scores[:most]),
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
    places = [ranking.places.astype(np.float32) for ranking in (one, other)]
    agreement = written(rank_correlation(places[0], places[1]), ".2f") if count > 1 else "1.00"
    sentence = (
        f"**{len(firsts[0] & firsts[1])} of the first {count}** are the same. Over all {len(one.rows):,} texts, the "
        f"rank correlation is {agreement} ({first} and {second})."
    )
    return Answer((Sentence(sentence),))


def moved(one: Ranking, other: Ranking, collection: Collection, *, names: tuple[str, str]) -> Answer:
    """The texts among the first hits of either of two rankings whose places are furthest apart."""
    rows, places = most_moved(one, other), (one.places, other.places)
    apart, shown = np.abs(places[0] - places[1]), rows[:MOVED]
    if not apart[rows[0]]:
        return Answer(())
    texts, (first, second) = collection.column(documents_of(collection), shown), map(escape_markdown, names)
    sentence = (
        f"Of the {len(rows)} texts that are among the first {min(COMPARED, len(one.rows))} of either ranking, "
        f"the places of **{_quoted(texts[0])}** differ most: {places[0][rows[0]]:,} ({first}) and "
        f"{places[1][rows[0]]:,} ({second})."
    )
    table = Table(
        name="search-moved",
        title="The texts whose places differ most",
        columns=lambda: {
            "places apart": apart[shown],
            **{
                f"place: {name}": of_ranking[shown]
                for name, of_ranking in zip(unique_names(names), places, strict=True)
            },
            documents_of(collection): texts,
        },
        on_page="open",
        changes=[{"hit": row} for row in shown],
    )
    return Answer((Sentence(sentence), table))


def no_pair_differences() -> Answer:
    """Next to a reranker."""
    said = "Pairs of words are compared between two models that rank by vectors; a reranker's score splits over words."
    return Answer((Sentence(said, "caption"),))


def pair_differences(found: PairDifferences, *, names: tuple[str, str], places: tuple[int, int]) -> Answer:
    """The pairs of words that two models weigh most differently in the similarity of a query and a text.

    Args:
        names: of the models.
        places: of the text in their rankings.
    """
    first, second = map(escape_markdown, names)
    named = ", ".join(
        f"“{in_markdown(found.a[one])}” and “{in_markdown(found.b[other])}” "
        f"({percent(found.shares[0, one, other])} against {percent(found.shares[1, one, other])})"
        for one, other in found.largest[:NAMED]
    )
    table = Table(
        name="search-pair-differences",
        title="All pairs, those that differ most first",
        columns=lambda: dict(zip(("query", "text", *names), found.columns.values(), strict=True)),
    )
    return Answer(
        (
            Sentence(
                f"**The models weigh these pairs most differently:** {named}. The text is at place {places[0]:,} "
                f"({first}) and place {places[1]:,} ({second})."
            ),
            Sentence(
                "Each number is a share of all that the pairs of one model add and take away; each model's pairs split "
                "its own similarity.",
                "caption",
            ),
            table,
        )
    )


def late_interaction(found: MaxSim, *, read_together: bool = False, is_trained: bool = False) -> Answer:
    """The cosines of the words of the query with those of a text, and the best of each.

    Args:
        is_trained: to compare tokens in this way, which are shown then.
    """
    caveat = ""
    if is_trained:
        caveat = "These are the vectors that the folder makes of tokens; the largest of each row add up to the score."
    elif read_together:
        caveat = (
            "The reranker reads query and text together, so its states know of both; its head reads none of these "
            "cosines."
        )
    columns = len(found.a)
    pairs = largest_first(found.cosines.max(axis=1), 3)
    named = ", ".join(
        f"“{in_markdown(found.a[unit])}” with “{in_markdown(found.b[int(found.best[unit])])}” "
        f"{written(found.cosines[unit, found.best[unit]], '.2f')}"
        for unit in pairs
    )
    return Answer(
        (
            Chart(
                name="search-maxsim",
                title="MaxSim, word by word",
                alt="The cosine of every word of the query, downward, with every word of the text, across.",
                figure=lambda theme: similarity_matrix(found.cosines, found.a, found.b, theme=theme),
            ),
            Sentence(f"**Most alike:** {named}; {written(found.score / columns, '.2f')} on average."),
            *([Sentence(caveat, "caption")] if caveat else []),
        )
    )


def words_of_score(target: Target, found: WordValues, selection: Selection) -> Answer:
    """What each word of a query and of a text that are read together adds to a reranker's score."""
    start = words_of_query(found, target.tokens, level=selection.level)
    one, other = strongest_words(found, start)
    values = found.values[one], found.values[start + other], found.values[:start].sum(), found.values[start:].sum()
    of_one, of_other, of_query, of_text = (written(float(value), "+.2f") for value in values)
    largest = Sentence(
        f"**These words add most:** “{in_markdown(found.words[one])}” {of_one} in the query, "
        f"“{in_markdown(found.words[start + other])}” {of_other} in the text. All words of the query add {of_query}, "
        f"those of the text {of_text}."
    )
    caption = Sentence(
        "A reranker reads query and text together, so there are no two vectors whose cosine could be split. What each "
        "word adds is from integrated gradients, as in *Why this prediction?*.",
        "caption",
    )
    picture, *rest = words(target, found, selection, b_begins_a_line=True).parts
    return Answer((picture, largest, *rest, caption))


def removed_pair(found: PairTest, *, rows: int, score: Score) -> Answer:
    """Whether a hit falls when a pair of words is deleted, compared with random pairs."""
    one, other = found.pairs[0]
    a, b = f"“{in_markdown(found.a[one])}”", f"“{in_markdown(found.b[other])}”"
    before, after, *random = found.places.tolist()
    if after > before:
        as_far = sum(place >= after for place in random)
        place = f"The text falls from place {before:,} to {after:,} of {rows:,}"
        if random:
            place += f", as far as with {as_far or 'none'} of the random pairs"
    elif after < before:
        place = f"The text rises from place {before:,} to {after:,} of {rows:,}"
    else:
        place = f"The text stays at place {before:,}"
    whole, without = (written(float(value), ".2f") for value in found.scores[:2])
    begin = f"**Without {a} in the query and {b} in the text**, the {score} goes from {whole} to {without}."
    if not random:
        return Answer((Sentence(f"{begin} {place}. There is no other pair to compare with."),))
    median = written(float(np.median(found.scores[2:])), ".2f")
    alone = "this pair matters more" if is_clear(found.p) else "other pairs matter as much"
    sentence = (
        f"{begin} {found.falls_further} of {len(random)} random pairs lower it less (median {median}): {alone} "
        f"({p_in_words(found.p)}). {place}."
    )
    return Answer((Sentence(sentence),))


def pairs_of_rows(found: PairsOfRows, collection: Collection) -> Answer:
    """How near the two texts of each row are, compared with texts of different rows."""
    own, others = (float(np.median(values)) for values in (found.cosines, found.others))
    count, nearest = len(found.cosines), int(found.nearest.sum())
    sentence = (
        f"The two texts of a row have a cosine of **{written(own, '.2f')}** in the median, texts of different rows "
        f"{written(others, '.2f')}. In **{nearest:,} of {count:,} rows** "
        f"({interval_in_words(*wilson_interval(nearest, count), percent, n=count)}), no other second text is nearer "
        "to the first one."
    )
    parts: list[Part] = [Sentence(sentence), *(Sentence(said, "caption") for said in found.unread.sentences)]
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
        ),
    ]
    return Answer(tuple(parts))


def found_relevant(
    rankings: Sequence[Ranking],
    by_words: Sequence[Ranking],
    wanted: Mapping[str, Sequence[int]],
    collection: Collection,
    *,
    name: str,
) -> Answer:
    """How often a relevant text is among the first hits of the table's own queries, and of which it is not.

    Args:
        by_words: the rows that have words of each query, by BM25; none while they are computed.
        name: of the model.
    """
    queries, rows_of_queries = list(wanted), list(wanted.values())
    places, _ = places_of_relevant(rankings, rows_of_queries)
    order = np.argsort(-places, kind="stable")
    return Answer(
        (
            Sentence(
                f"A text that the table calls relevant comes {_found(rankings, rows_of_queries)} "
                f"({escape_markdown(name)})."
            ),
            *([Sentence(f"By words alone (BM25), it comes {_found(by_words, rows_of_queries)}.")] if by_words else []),
            Table(
                name="queries",
                title="The place of the relevant text of each query, the worst first",
                columns=lambda: {
                    name: [column[index] for index in order]
                    for name, column in columns_of_queries(rankings, wanted, collection).items()
                },
                on_page="open",
                decimals=2,
                changes=[{"find": queries[index], "hit": None} for index in order],
            ),
        )
    )


def _found(rankings: Sequence[Ranking], wanted: Sequence[Sequence[int]]) -> str:
    """How often a wanted row is among the first."""
    first, count = found_among(rankings, wanted, KS[0]), len(rankings)
    interval = interval_in_words(*wilson_interval(first * count, count), percent, n=count)
    others = ", ".join(f"among the first {k} for {percent_counted(found_among(rankings, wanted, k))}" for k in KS[1:])
    return f"**first for {percent_counted(first)}** of its {count} queries ({interval}), {others}"


def by_words(hits: Ranking, own: Ranking, collection: Collection) -> Answer:
    """The first hits by words alone.

    Args:
        hits: the rows that have a word of the query, by BM25.
        own: the model's ranking.
    """
    if not len(hits.rows):
        return Answer((Sentence("No text has a word of the query."),))
    rows, column = hits.rows[:COMPARED].tolist(), documents_of(collection)
    texts, both = collection.column(column, rows), {*rows} & {*own.rows[:COMPARED].tolist()}
    having = f"{len(hits.rows):,} of {len(own.rows):,} texts have a word of the query."
    return Answer(
        (
            Sentence(
                f"**By words alone (BM25), {_quoted(texts[0])} comes first.** {having} The first "
                f"{min(COMPARED, len(own.rows))} of both "
                f"rankings share {len(both)}."
            ),
            Table(
                name="search-by-words",
                title="The first by words alone",
                columns=lambda: {
                    "place": list(range(1, len(rows) + 1)),
                    "BM25": scores_in_words(hits.scores[:COMPARED]),
                    "place by the model": own.places[rows],
                    column: texts,
                },
                on_page="open",
                changes=[{"hit": row} for row in rows],
            ),
        )
    )


def columns_of_queries(
    rankings: Sequence[Ranking], wanted: Mapping[str, Sequence[int]], collection: Collection
) -> dict[str, list[Any]]:
    """A row for each query: the place of its relevant text, counted from 1, and what came first, with their scores."""
    places, rows = places_of_relevant(rankings, list(wanted.values()))
    firsts = [int(ranking.rows[0]) for ranking in rankings]
    column = documents_of(collection)
    return {
        "query": list(wanted),
        "place": places.tolist(),
        "relevant text": collection.column(column, rows.tolist()),
        "its score": [float(ranking.scores[place - 1]) for ranking, place in zip(rankings, places, strict=True)],
        "first text": collection.column(column, firsts),
        "score of the first": [float(ranking.scores[0]) for ranking in rankings],
    }


def row_with(collection: Collection, given: str) -> int | None:
    """The first row whose text has some words, in any case, or the row of a number from 1; None if there is none."""
    words = given.strip().casefold()
    if words.isascii() and words.isdigit() and 1 <= int(words) <= len(collection):
        return int(words) - 1
    texts = collection.column(documents_of(collection)) if words else []
    return next((row for row, text in enumerate(texts) if words in text.casefold()), None)


def relevant_rows(collection: Collection) -> dict[str, list[int]]:
    """The rows that a label calls relevant, and those with the same text, by their query."""
    wanted: dict[str, set[str]] = {}
    labels, documents = collection.labels() or [], collection.column(documents_of(collection))
    for query, document, label in zip(collection.column(collection.text), documents, labels, strict=False):
        if YES.fullmatch(label):
            wanted.setdefault(query, set()).add(document)
    rows: dict[str, list[int]] = {}
    for row, document in enumerate(documents):
        rows.setdefault(document, []).append(row)
    return {query: sorted(row for text in texts for row in rows[text]) for query, texts in wanted.items()}


def scores_in_words(values: FloatArray) -> list[str]:
    """Scores with two digits."""
    return [written(value, ".2f") for value in values]


def _quoted(text: str) -> str:
    return f"“{escape_markdown(shorten(make_visible(text), LONGEST))}”"
