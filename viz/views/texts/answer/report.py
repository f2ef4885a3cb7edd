"""What a model gets wrong in a table, on one page: errors, groups of rows and driving words, with examples of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from encoder.collection import correctness
from encoder.collection.driving_words import DrivingWords
from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Classes
from encoder.collection.row_filters import filtered, is_error
from encoder.collection.table import Collection
from encoder.measures.classification import cell_shares
from viz.answers.answer import Answer, Part, Row, Sentence
from viz.answers.collection.row_titles import title_of_rows
from viz.views.texts.answer.details import conclusion, value_in_words
from viz.views.texts.answer.summary import confused, rows_in_words, summary
from viz.wording.labels import escape_markdown, safe_name, shorten
from viz.wording.numbers import interval_in_words, p_in_words, percent, percent_counted, written

SHOWN: Final = 3  # kinds of errors, groups of rows, words, and examples of each
ARROWS: Final = "A row's own label → what the model says."
LONGEST: Final = 200  # characters of an example
NO_WORDS: Final = "They are in the report once the view *Driving words* has found those of the errors."
Rows = Sequence[int]


def report(
    collection: Collection, results: Results, *, rows: str = "all", words: DrivingWords | None = None, link: str = ""
) -> Answer:
    """The finding, then errors, groups and words, each with its numbers and up to three rows.

    Args:
        rows: the filter that is looked at.
        words: those that drive the errors; None if they are not known.
        link: to the view.
    """
    said = conclusion(collection, results)
    parts: list[Part | Row] = [*summary(collection, results).parts, *(said.parts if said else ())]
    members = filtered(collection, results, rows)
    if members is not None and not members.all():
        title, kept = title_of_rows(rows, collection, results), np.flatnonzero(members)
        parts.append(Sentence(f"**{escape_markdown(title)}**: {rows_in_words(results, kept)}."))
        parts.append(_examples(_worst_first(results, kept), collection, results))
    if results.has_gold.any():
        parts += [Sentence("Errors", "subheading"), Sentence(ARROWS, "caption"), *_errors(collection, results)]
        parts += [Sentence("Groups of rows", "subheading"), *_groups(collection, results)]
    if results.unit:
        parts += [Sentence("Driving words", "subheading"), *_words(words, collection, results)]
    if link:
        parts.append(Sentence(f"The view: {link}", "plain"))
    return Answer(tuple(parts))


def _errors(collection: Collection, results: Results) -> list[Part]:
    """The most frequent kinds of errors, or the worst rows of a head without classes."""
    if not isinstance(results, Classes):
        return [_examples(_worst_first(results, np.flatnonzero(results.has_gold)), collection, results)]
    counts, parts = results.confusions, list[Part]()
    shares = cell_shares(counts)
    for own, predicted in confused(counts)[:SHOWN]:
        found = shares[own][predicted]
        interval = interval_in_words(found.low, found.high, percent, n=found.n)
        names = " → ".join(safe_name(results.labels[each]) for each in (own, predicted))
        parts.append(
            Sentence(
                f"**{names}**: {int(counts[own, predicted]):,} of {found.n:,} rows with this label "
                f"({percent_counted(found.value)}, {interval})."
            )
        )
        rows = np.flatnonzero(results.has_gold & (results.gold == own) & (results.predicted == predicted))
        parts.append(_examples(_worst_first(results, rows), collection, results))
    return parts or [Sentence("There are none.")]


def _groups(collection: Collection, results: Results) -> list[Part]:
    """The slices that differ most from the other rows."""
    compared = correctness.compared_slices(collection, results)
    parts: list[Part] = []
    if compared is None:
        return parts
    for each in compared.slices[:SHOWN]:
        title = escape_markdown(title_of_rows(each.name, collection, results))
        value, outside = (value_in_words(number, compared.measure) for number in (each.inside.value, each.outside))
        parts.append(
            Sentence(
                f"**{title}**: {compared.measure} {value} in {each.inside.n:,} rows, elsewhere {outside}; corrected "
                f"{p_in_words(each.corrected)}."
            )
        )
        rows = np.flatnonzero(compared.rows[each.name].members & results.has_gold)
        if results.correct is not None:
            rows = rows[~results.correct[rows]]
        parts.append(_examples(_worst_first(results, rows), collection, results))
    return parts or [Sentence("No column has groups of at least five rows.")]


def _words(words: DrivingWords | None, collection: Collection, results: Results) -> list[Part]:
    """The words that push the errors most, with the rows where they add most."""
    if words is None:
        return [Sentence(NO_WORDS, "caption")]
    parts: list[Part] = []
    for index, word in enumerate(words.words[:SHOWN]):
        count = len(words.rows[index])
        p = "" if np.isnan(words.p[index]) else f", {p_in_words(float(words.p[index]))}"
        mean = written(float(words.means[index]), "+.2f")
        parts.append(Sentence(f"**“{safe_name(word)}”**: {mean} {results.unit} on average in {count:,} errors{p}."))
        parts.append(_examples(words.rows[index][:SHOWN].tolist(), collection, results))
    return parts


def _worst_first(results: Results, rows: np.ndarray) -> Rows:
    """The first of some rows: errors before others, by their loss."""
    losses = np.nan_to_num(results.losses[rows], nan=-1)
    order = np.lexsort((rows, -losses, ~is_error(results)[rows]))
    found: list[int] = rows[order][:SHOWN].tolist()
    return found


def _examples(rows: Rows, collection: Collection, results: Results) -> Sentence:
    """Rows as a list, with their labels and what the model says."""
    labels = collection.labels(rows) or [""] * len(rows)
    lines = []
    for row, text, label, said in zip(
        rows, collection.column(collection.text, rows), labels, results.predictions_of(rows), strict=True
    ):
        own = f"{safe_name(label)} → " if label else ""
        number = collection.numbers(row) + 1
        lines.append(f"- Row {number:,}: {escape_markdown(shorten(text, LONGEST))} *({own}{safe_name(said)})*")
    return Sentence("\n".join(lines))
