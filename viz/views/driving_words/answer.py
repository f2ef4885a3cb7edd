"""Which words push rows to a class: the first of them in a sentence, all as a chart and a table, and the test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from encoder.attribution.exact_orders import MOST_UNITS
from encoder.collection.driving_heads import Head, SilencedHeads
from encoder.collection.driving_words import FEWEST_ROWS, DrivingWords, WordRemoval
from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Classes
from encoder.collection.kinds.scores import Score
from encoder.collection.order_quality import OrderQuality
from encoder.collection.row_filters import (
    ALL,
    ERRORS,
    FALSE_POSITIVES,
    cell_of,
    filtered,
    is_about_labels,
    mistakes_of,
)
from encoder.collection.table import Collection
from encoder.runs.arrays import FloatArray
from encoder.shipped.names import is_untrained
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.answers.collection.filters import chosen_parts
from viz.answers.collection.row_titles import title_of_rows
from viz.answers.head_maps import chart_of_heads
from viz.answers.room import PAGE, Room
from viz.answers.verdicts import untrained_caveat
from viz.figures.mean_dots import mean_dots
from viz.state.selection import Table as TableSelection
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, head_in_words, name_label, safe_name
from viz.wording.numbers import interval_in_words, p_in_words, percent, written
from viz.wording.readings import counted

EXPLANATION: Final = Explanation(
    "A dot is what a word adds to the log odds of the class, as a mean over the rows that have it, with its 95 % "
    "interval: to the right it pushes to the class. The grey range is where 95 % of means lie if the values of each "
    "row are shuffled among its words. p is how often some word is then as far beyond its range; a dot is filled if p "
    "is below 0.05. Words found in at least three rows are sorted by their total contribution beyond the shuffled "
    "values. Values are DecompX at one point, halfway from masked words to the row; what it misses is divided "
    "over the words in proportion to their sizes, so that they add up. As a test, each word is deleted from all rows "
    "that have it, and so is another, random word of the same rows.",
    "A word acts in its sentence: “not” pushes nowhere by itself.",
)
SHOWN: Final = 12  # words in the chart and the table
SHUFFLED: Final = "shuffled among the words of each row"
PREDICTED: Final = "the predicted class"
WRONG: Final = "the wrong class"
ORDER: Final = "Does the order hold on these rows?"
HEADS: Final = "Which heads change the most rows?"
FRAMED: Final = (
    "A frame marks heads above 95 % of those that can change a row. Among many heads one always ranks first by chance, "
    "so it is chosen on one half of the rows and measured on the other. Click a head to see its errors."
)


def chosen_rows(table: TableSelection, collection: Collection, results: Results) -> tuple[str, str]:
    """The rows that are shown, as a filter, and the class that words push to, "" for the predicted one.

    Those of another table or model are all rows, and the predicted class.
    """
    rows = table.rows if filtered(collection, results, table.rows) is not None else ALL
    return rows, table.driven if table.driven in results.labels else ""


def words(
    found: DrivingWords,
    collection: Collection,
    results: Results,
    *,
    rows: str,
    driven: str,
    model_name: str,
    room: Room = PAGE,
) -> Answer:
    """The word that pushes most, in a sentence, and a chart of the first words.

    Args:
        rows: the filter.
        driven: the class that words push to; "" for the predicted class.
    """
    shown = slice(0, room.rows or SHOWN)
    names = found.words[shown]
    chart = Chart(
        name="driving-words",
        alt=f"What each of {len(names)} words adds, with intervals, on the range of shuffled values.",
        figure=lambda theme: mean_dots(
            found.means[shown],
            np.stack([found.low, found.high], axis=1)[shown],
            names,
            found.counts[shown].tolist(),
            title=f"mean {results.unit}, by word and number of rows",
            number_format="+.2f",
            theme=theme,
            filled=found.exceeds[shown],
            legend=("mean, p < 0.05", "mean of other words"),
            control=(SHUFFLED, np.stack([found.control_low, found.control_high], axis=1)[shown]),
        ),
    )
    caveat = untrained_caveat(model_name)
    kind, pushed = _rows_and_class(rows, collection, results)
    parts: list[Part] = [Sentence(_first_word(found, kind, safe_name(driven) if driven else pushed, results)), chart]
    return Answer((Sentence(caveat, "warning"), *parts) if caveat else tuple(parts))


def _rows_and_class(rows: str, collection: Collection, results: Results) -> tuple[str, str]:
    """What the rows of a filter are, and the predicted class of each."""
    parts = chosen_parts(rows, collection, results)
    about = next((part for part in parts if is_about_labels(part, results)), ALL)
    kind, pushed = "rows", PREDICTED
    if about == ERRORS:
        kind, pushed = "errors", WRONG
    elif (mistakes := mistakes_of(about, results)) is not None:
        of_kind, name = mistakes[0], safe_name(results.labels[mistakes[1]])
        kind, pushed = (
            ("false positives", name) if of_kind == FALSE_POSITIVES else (f"false negatives of {name}", WRONG)
        )
    elif (cell := cell_of(about, results)) is not None:
        pushed = safe_name(results.labels[cell[1]])
    titles = [title_of_rows(part, collection, results) for part in parts if part != about or kind == "rows"]
    named = escape_markdown(", ".join(f"{title[0].lower()}{title[1:]}" for title in titles))
    return f"{kind} ({named})" if titles else kind, pushed


def _first_word(found: DrivingWords, kind: str, to: str, results: Results) -> str:
    """The first word that is beyond chance, or that there is none.

    Args:
        kind: what the rows are.
        to: the class that words push to.
    """
    beyond = np.flatnonzero(found.exceeds)
    compared = int((found.counts >= FEWEST_ROWS).sum())
    first = int(beyond[0]) if len(beyond) else 0
    count = len(found.rows[first])

    def value(number: float) -> str:
        return written(number, ".1f")

    interval = interval_in_words(float(found.low[first]), float(found.high[first]), value, n=count)
    unit = "" if isinstance(results, Score) else f" {results.unit}"
    mean = f"{value(float(found.means[first]))}{unit} on average ({interval})"
    if len(beyond):
        others = len(beyond) - 1
        more = f" {counted(others, 'other word', 'is', 'are')} beyond chance, too." if others else ""
        return (
            f"**“{safe_name(found.words[first])}” pushes {count:,} of {found.num_rows:,} {kind} to {to}**, by {mean}. "
            f"Corrected for {compared:,} words, {p_in_words(float(found.p[first]))}.{more}"
        )
    rows = f"these {found.num_rows:,} {kind}" if found.num_rows > 1 else "this row"
    least = p_in_words(float(np.nanmin(found.p))) if compared else f"none is in at least {FEWEST_ROWS} of them"
    why = f"of {compared:,} words of at least {FEWEST_ROWS} rows, the smallest {least}" if compared else least
    return (
        f"**No word pushes {rows} to {to} beyond chance**: {why}. “{safe_name(found.words[0])}” leads, in {count:,} of "
        f"them, by {mean}."
    )


def table(found: DrivingWords, removals: Sequence[WordRemoval], results: Results) -> Columns:
    """The first words as columns; what happens without each as soon as it is measured."""
    shown = range(min(SHOWN, len(found.words)))
    of_word = {removal.words[0]: removal for removal in removals if len(removal.words) == 1}
    tested = [of_word.get(found.words[index]) for index in shown]
    columns: dict[str, list[object]] = {
        "word": [found.words[index] for index in shown],
        "rows": [len(found.rows[index]) for index in shown],
        "adds": [_rounded(found.means[index]) for index in shown],
        "p": [None if np.isnan(found.p[index]) else round(float(found.p[index]), 3) for index in shown],
    }
    if of_word:
        columns |= {
            "without it": [None if each is None else _rounded(each.change.value) for each in tested],
            "random word": [None if each is None else _rounded(each.control) for each in tested],
            "rows tested": [None if each is None else each.count for each in tested],
            "flips": [None if each is None else each.flips for each in tested],
        }
    if of_word and isinstance(results, Classes) and results.correct is not None:
        columns |= {
            "become right": [None if each is None else each.repaired for each in tested],
            "become wrong": [None if each is None else each.broken for each in tested],
        }
    return columns


def removals_in_words(removals: Sequence[WordRemoval], results: Results, *, driven: str, model_name: str) -> Answer:
    """What happens without the first word, and without all tested words together.

    Args:
        driven: the class that words push to; "" for the predicted class.
    """
    if not removals or is_untrained(model_name):
        return Answer(())
    first, *_, last = removals[0], removals[-1]
    sentences = [_removal(f"**Without “{safe_name(first.words[0])}”**", first, results, driven)]
    if len(last.words) > 1:
        sentences.append(_removal(f"**Without the first {len(last.words)} words together**", last, results, driven))
    return Answer((Sentence(" ".join(sentences)),))


def _removal(subject: str, removal: WordRemoval, results: Results, driven: str) -> str:
    flips = right = ""
    if not isinstance(results, Score):
        word = "another, random word" if len(removal.words) == 1 else "as many random words"
        count, verb = f"{removal.flips:,}" if removal.flips else "none", "change" if removal.flips > 1 else "changes"
        flips = f"; {count} of them {verb} {results.one} ({removal.control_flips:,} without {word})"
    if removal.flips and isinstance(results, Classes) and results.correct is not None:
        verb = "becomes" if removal.repaired == 1 else "become"
        right = f": {removal.repaired:,} {verb} right and {removal.broken:,} wrong"
    what = (
        results.unit if isinstance(results, Score) else f"probability of {safe_name(driven) if driven else PREDICTED}"
    )
    changes = f"changes by {written(removal.change.value, '+.2f')}"
    if len(removal.words) > 1:
        return f"{subject}, it {changes} in {counted(removal.count, 'row')}{flips}{right}."
    having = f"{counted(removal.count, 'row')} of the whole table that {'has' if removal.count == 1 else 'have'} it"
    return f"{subject}, the {what} {changes} in the {having}{flips}{right}."


def rows_of_word(found: DrivingWords, word: str, collection: Collection, results: Results) -> Columns:
    """The chosen rows that have a word, the one where it adds most first."""
    index = found.words.index(word)
    rows = found.rows[index].tolist()
    columns: dict[str, Sequence[object] | FloatArray] = {
        collection.unused_name("row"): (collection.numbers(rows) + 1).tolist(),
        collection.unused_name("adds"): found.values[index],
        collection.text: collection.column(collection.text, rows),
        collection.unused_name("prediction"): [results.predictions[row] for row in rows],
    }
    labels = collection.labels(rows)
    return columns if labels is None else columns | {collection.unused_name("own label"): labels}


def chosen_word(found: DrivingWords, wanted: str) -> str:
    """The word whose rows are listed: as wanted, else the first."""
    return wanted if wanted in found.words else found.words[0]


def words_and_rows(
    found: DrivingWords, removals: Sequence[WordRemoval], wanted: str, collection: Collection, results: Results
) -> Answer:
    """For a file: the first words as a table, and the rows of one of them."""
    word = chosen_word(found, wanted)
    of_words = Table(
        name="driving-words", title="The words", columns=lambda: table(found, removals, results), on_page="open"
    )
    rows = Table(
        name="driving-rows",
        title=f"Rows with “{name_label(word)}”",
        columns=lambda: rows_of_word(found, word, collection, results),
        on_page="open",
        decimals=2,
    )
    return Answer((of_words, rows))


def heading_of_rows(found: DrivingWords, word: str) -> Sentence:
    """Above the rows of a word."""
    return Sentence(
        f"{counted(len(found.rows[found.words.index(word)]), 'row')} with “{safe_name(word)}”", "subheading"
    )


def order_quality(found: OrderQuality, results: Results) -> Answer:
    """Whether the order of the words holds on these rows: against random orders, and between the worst and the best."""
    if len(found.areas) < 2:
        return Answer((Sentence("These rows have too few words for their order to be tested.", "info"),))
    gain = found.gain
    what = "probability of the class" if isinstance(results, Classes) else results.unit
    interval = interval_in_words(gain.low, gain.high, lambda end: written(end, "+.2f"), n=gain.n)
    verdict = "better than" if gain.low > 0 else "no better than"
    if np.isnan(gain.low):
        verdict = "not tested against"
    parts: list[Part] = [
        Sentence(
            f"**On these rows the order is {verdict} random orders.** With the words that add most masked first, the "
            f"{what} falls by {written(found.areas.mean(), '.2f')} on average; in random orders by "
            f"{written(found.random.mean(), '.2f')}. The difference is {written(gain.value, '+.2f')} ({interval}; "
            f"{gain.n} rows)."
        )
    ]
    tried = np.isfinite(found.places)
    if tried.any():
        parts.append(
            Sentence(
                f"In {tried.sum()} of these rows, of at most {MOST_UNITS} words, all orders were tried. With the "
                f"worst at 0 % and the best at 100 %, this order is at {percent(float(found.places[tried].mean()))} on "
                f"average, and a random one at {percent(float(found.random_places[tried].mean()))}."
            )
        )
    return Answer(tuple(parts))


def heads(found: SilencedHeads, chosen: Head, results: Results) -> Answer:
    """The head that changes most rows, against all heads; the map of all; and the errors of the chosen head."""
    counts, name = _head_numbers(found, results)
    layers, num_heads = counts.shape
    limit = float(np.percentile(counts[found.reaching], 95))
    chart = chart_of_heads(
        "driving-heads",
        counts,
        counts > limit,
        alt=f"A map of {layers} layers by {num_heads} heads: the {name} when each is silenced.",
        name=name,
        number_format=".3f" if isinstance(results, Score) else ".0f",
        signed=False,
        high=float(counts.max()),
        chosen=chosen,
    )
    table = Table(
        name="driving-heads",
        title="All heads as a table",
        columns=lambda: found.columns,
    )
    return Answer((Sentence(_first_head(found, results)), chart, Sentence(FRAMED, "caption"), table))


def _head_numbers(found: SilencedHeads, results: Results) -> tuple[FloatArray, str]:
    """(L, H) numbers of the map, and what they are."""
    if isinstance(results, Score):
        return found.changes, f"mean change of the {results.unit}"
    return found.flips.astype(np.float32), f"rows that change {results.one}"


def _first_head(found: SilencedHeads, results: Results) -> str:
    counts, _ = _head_numbers(found, results)
    count, first, reaching = len(found.rows), found.largest(counts), found.reaching
    median, others = float(np.median(counts[reaching])), f"the {reaching.sum():,} heads that can change a row"
    if isinstance(results, Score):
        return (
            f"**Without {head_in_words(*first)} the {results.unit} changes most**, by "
            f"{written(counts[first], '.3f')} on average over {count:,} rows; the median of {others} is "
            f"{written(median, '.3f')}."
        )
    head, flips, held_out = found.on_other_half
    said = (
        f"**Without {head_in_words(*first)}, {int(counts[first]):,} of {count:,} rows change {results.one}**, "
        f"more than without any other head; the median of {others} is {written(median, '.0f')}. Chosen "
        f"on every second row, {head_in_words(*head)} changes {flips:,} of the other {held_out:,}."
    )
    if not found.num_wrong:
        return said
    repaired, broken = found.repaired.sum(-1), found.broken.sum(-1)  # (L, H) each
    best = found.largest(repaired)
    of_errors = f"{int(repaired[best]):,} of {found.num_wrong:,} errors become right"
    at_random = f"one of those heads at random makes {written(float(repaired[reaching].mean()), '.1f')} right"
    if found.num_wrong == count:
        return f"{said}\n\n**Without {head_in_words(*best)}, {of_errors}**; {at_random}."
    return (
        f"{said}\n\n**Without {head_in_words(*best)}, {of_errors}** and {int(broken[best]):,} right rows wrong; "
        f"{at_random} and {written(float(broken[reaching].mean()), '.1f')} wrong."
    )


def errors_of_head(found: SilencedHeads, head: Head, collection: Collection, results: Results) -> Answer:
    """The errors that become right when a head is silenced."""
    rows = found.errors_of(head)
    if not rows:
        return Answer((Sentence(f"Without {head_in_words(*head)} no error becomes right.", "caption"),))
    labels = collection.labels(rows) or []
    table = Table(
        name="errors-of-head",
        title="Errors of a head",
        columns=lambda: {
            collection.unused_name("row"): (collection.numbers(rows) + 1).tolist(),
            collection.text: collection.column(collection.text, rows),
            collection.unused_name("prediction"): [results.predictions[row] for row in rows],
            collection.unused_name("own label"): labels,
        },
        on_page="open",
    )
    return Answer((Sentence(f"Without {head_in_words(*head)} these errors become right:"), table))


def _rounded(value: float) -> float:
    """With two digits, and no minus sign before zero."""
    return round(float(value), 2) + 0.0
