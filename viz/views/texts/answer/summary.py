"""How right a model is on a table of texts: the finding in a sentence, and its confusion matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.collection.correctness import BetterOrder, better_order
from encoder.collection.kinds.base import Results
from encoder.collection.kinds.choices import Choices
from encoder.collection.kinds.classes import Classes, Labels, WithShares
from encoder.collection.kinds.mask import Mask
from encoder.collection.kinds.scores import Score, Scores
from encoder.collection.kinds.span import Span
from encoder.collection.kinds.tags import Tags
from encoder.collection.row_filters import AND, cell_of
from encoder.collection.row_labels import classes_of, rule_in_words
from encoder.collection.table import Collection
from encoder.measures.classification import cell_shares
from encoder.measures.inference import Interval
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.answers.collection.filters import filter_of_cell
from viz.figures.confusion import confusion_matrix as confusion_chart
from viz.figures.confusion import width_of_matrix
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, name_label, safe_name
from viz.wording.numbers import interval_in_words, percent, percent_counted, written
from viz.wording.readings import counted

EXPLANATION: Final = Explanation(
    "Every row is read by itself, and what the model says is compared with the row's own label. The loss is the "
    "cross-entropy in nats: 0 where the model is sure and right. Choose a row to open it in another view.",
    "An interval says how much the numbers would vary for other rows of the same kind, not for texts of another kind. "
    "From fewer than ten rows it is too narrow, except for shares of rows.",
)
UNTRAINED: Final = "**Untrained.** The predictions are noise: this head has never seen an example."
MOST_NAMED: Final = 4  # labels in a sentence
LEAST_ROW: Final = 38  # pixels of a class in the matrix
MOST_CLASSES: Final = 16  # of a confusion matrix as a chart
MOST_CONFUSIONS: Final = 200  # in the table of more classes


def summary(collection: Collection, results: Results) -> Answer:
    """The finding, with n and its interval, what guessing would reach, and rows that do not count."""
    parts: list[Part] = [Sentence(_finding(collection, results))]
    if remarks := _remarks(collection, results):
        parts.append(Sentence(" ".join(remarks), "caption"))
    if not results.trained:
        parts.append(Sentence(UNTRAINED, "error"))
    return Answer(tuple(parts))


def _finding(collection: Collection, results: Results) -> str:
    if not results.has_gold.any():
        return _without_labels(collection, results)
    match results:
        case Mask():
            among = results.partly_right
            right = _right(results, "The masked word is the likeliest one in")
            return f"{right} It is among the five likeliest in {percent(among.value)} ({_interval(among)})."
        case Tags():
            return _finding_of_tags(collection, results)
        case Span():
            words = results.partly_right
            right, f1 = _right(results, "The answer is exactly right in"), written(words.value, ".2f")
            return f"{right} F1 of its words is {f1} on average ({_interval(words, '.2f')})."
        case Score():
            return _finding_of_scores(results)
        case Labels():
            return f"{_right(results, 'All labels are right in')} {_guess(collection, results)}".strip()
        case _:
            return f"{_right(results, 'The model is right in')} {_guess(collection, results)}".strip()


def rows_in_words(results: Results, rows: NDArray[np.intp]) -> str:
    """How many rows are shown, and in how many of them the model is right, if some are and some are not."""
    if len(rows) == len(results):
        return f"{len(rows):,} rows"
    said, found = f"{len(rows):,} of {len(results):,} rows", results.select(rows).right
    if found is None or found.value in (0, 1):
        return said
    return f"{said}; {round(found.value * found.n):,} right ({percent_counted(found.value)}, {_interval(found)})"


def _right(results: Results, begin: str) -> str:
    found = results.right
    if found is None:
        return ""
    right = round(found.value * found.n)
    return f"{begin} **{right:,} of {found.n:,}** rows ({percent_counted(found.value)}, {_interval(found)})."


def _guess(collection: Collection, results: Results) -> str:
    """What always the same answer would reach."""
    labels = collection.labels(range(len(results)))
    if labels is None:
        return ""
    if isinstance(results, Choices):
        chance = float((1 / results.answers.counts[results.has_gold]).mean())
        return f"Guessing would be right in {percent(chance)}."
    if not isinstance(results, WithShares):
        return ""
    has, _ = results.memberships
    counts = Counter(map(tuple, has[results.has_gold].tolist()))
    [(held, count)] = counts.most_common(1)
    name = safe_name(", ".join(results.labels[index] for index in np.flatnonzero(held)) or "none")
    return f"Always saying “{name}”, the commonest label, would be right in {percent(count / counts.total())}."


def _finding_of_tags(collection: Collection, results: Tags) -> str:
    answers, has, found = results.answers, results.has_gold, results.partly_right
    words = answers.counts[has].astype(float)
    tags = Counter(
        tag
        for label, known in zip(collection.labels(range(len(results))) or [], has, strict=True)
        if known
        for tag in label.split()
    )
    [(commonest, count)] = tags.most_common(1)
    right, total = int(np.rint(answers.partly[has] * words).sum()), int(words.sum())
    return (
        f"The model tags **{right:,} of {total:,}** words right ({percent_counted(found.value)}, {_interval(found)}; "
        f"{found.n:,} rows). Always saying “{safe_name(commonest)}”, the commonest tag, would be right in "
        f"{percent(count / tags.total())}."
    )


def _finding_of_scores(results: Score) -> str:
    has = results.has_gold
    own = results.gold[has]
    if results.is_binary:
        found = results.area_under_curve
        positive = int((own == 1).sum())
        return (
            f"A row whose label is yes has a higher score than one whose label is no in **{percent(found.value)}** of "
            f"the pairs (AUC, {_interval(found)}; {positive:,} rows with yes, {found.n - positive:,} with no). Chance "
            "is 50 %."
        )
    error, ranks = results.errors
    best = float(np.abs(own - np.median(own)).mean())
    correlation = (
        ""
        if np.isnan(ranks.value)
        else (f" The rank correlation with the label is {written(ranks.value, '.2f')} ({_interval(ranks, '.2f')}).")
    )
    return (
        f"The score is off by **{written(error.value, '.3g')}** on average ({_interval(error, '.3g')}; {error.n:,} "
        f"rows). Always giving the median label would be off by {written(best, '.3g')}.{correlation}"
    )


def _without_labels(collection: Collection, results: Results) -> str:
    why = "No column holds labels" if collection.label is None else "No row has a label that fits this model"
    if isinstance(results, Scores):
        why = "The head gives several scores of each, which are compared with no label"
    if isinstance(results, (WithShares, Mask)) and len(results):
        counts = Counter(results.predictions)
        said = [f"“{safe_name(name)}” in {count:,}" for name, count in counts.most_common(MOST_NAMED)]
        more = f" and {len(counts) - MOST_NAMED:,} others" if len(counts) > MOST_NAMED else ""
        return f"The model says {', '.join(said)}{more} of {len(results):,} rows. {why}, so nothing says what is right."
    if isinstance(results, Score) and len(results):
        low, middle, high = np.quantile(results.scores, (0.05, 0.5, 0.95))
        return (
            f"The scores of {len(results):,} rows have a median of {written(middle, '.3g')}; nine of ten are between "
            f"{written(low, '.3g')} and {written(high, '.3g')}. {why}, so nothing says what is right."
        )
    return f"The model has read {len(results):,} rows. {why}, so nothing says what is right."


def _remarks(collection: Collection, results: Results) -> list[str]:
    """Rows that do not count, texts that were cut off, and rows without a text."""
    found = [rule_in_words(results.label_rule, collection.distinct_labels(), results.labels)]
    found.append(_as_chosen(collection, results.labels))
    if (order := better_order(results)) is not None:
        found.append(_in_another_order(order, results.labels))
    if results.unknown_labels and results.label_rule != "refused":
        count = sum(results.unknown_labels.values())
        named = [
            f"“{safe_name(label)}” ({number:,})" for label, number in list(results.unknown_labels.items())[:MOST_NAMED]
        ]
        more = len(results.unknown_labels) - MOST_NAMED
        listed = ", ".join(named) + (f" and {more:,} more" if more > 0 else "")
        known, are = _known_labels(results), "is" if count == 1 else "are"
        rows = counted(count, "row", "has", "have")
        found.append(f"{rows} a label that does not fit the model and {are} not counted: {listed}.{known}")
    if results.truncated.any():
        rows = counted(int(results.truncated.sum()), "row", "is", "are")
        found.append(f"{rows} longer than the model reads, and cut off.")
    if results.unread.any():
        found.append(
            f"The model knows no word of {counted(int(results.unread.sum()), 'row')}: what it says there is no reading."
        )
    if collection.num_blank:
        number = collection.num_blank
        found.append(f"{counted(number, 'row')} without a text {'is' if number == 1 else 'are'} left out.")
    found += map(escape_markdown, collection.remarks)
    return [remark for remark in found if remark]


def _as_chosen(collection: Collection, labels: Sequence[str]) -> str:
    """Which class each label stands for, if a user has said so."""
    chosen = {label: classes_of(named, labels, "names") for label, named in collection.label_classes.items()}
    named = [
        f"“{safe_name(label)}” stands for “{safe_name(labels[found[0]])}”" for label, found in chosen.items() if found
    ]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return f"The labels are read as chosen: {', '.join(named[:MOST_NAMED])}{more}." if named else ""


def _in_another_order(order: BetterOrder, labels: Sequence[str]) -> str:
    moved = [(labels[own], labels[best]) for own, best in enumerate(order.classes) if own != best]
    named = [f"“{safe_name(own)}” stands for “{safe_name(best)}”" for own, best in moved[:MOST_NAMED]]
    more = f" and {len(moved) - MOST_NAMED} more" if len(moved) > MOST_NAMED else ""
    now, then = percent(order.now.value), percent(order.right.value)
    return (
        f"**Do the labels count the classes in another order?** The model is right in {now} of the rows, and would "
        f"be in {then} if {', '.join(named)}{more}. If so, have them read in that order (`labels=` in Python)."
    )


def _known_labels(results: Results) -> str:
    if not results.labels:
        return ""
    named = ", ".join(safe_name(label) for label in results.labels[:MOST_NAMED])
    more = len(results.labels) - MOST_NAMED
    return f" It knows {named}{f' and {more:,} more' if more > 0 else ''}."


def confusions(results: Results, rows: str, *, room: int = 0) -> Answer | None:
    """The confusion matrix of a model with classes, of which a click on a cell shows its rows; None without labels.

    Args:
        rows: the filter, whose cell is framed.
        room: pixels in height that few classes fill; 0 for cells of the usual size.
    """
    if not isinstance(results, Classes) or not results.has_gold.any() or len(results.labels) > MOST_CLASSES:
        return None
    counts = results.confusions
    size, cells = len(results.labels), (cell_of(part, results) for part in rows.split(AND))
    chosen = next(filter(None, cells), None)
    names, height = _names(results), max(LEAST_ROW, room // size)
    right = f"{int(np.trace(counts)):,} of {int(counts.sum()):,}"
    chart = Chart(
        name="confusions",
        alt=f"A matrix of {size} own labels by {size} predicted ones: {right} rows are on its diagonal.",
        figure=lambda theme: confusion_chart(
            counts, names, intervals=cell_shares(counts), theme=theme, chosen=chosen, cell_height=height
        ),
        changes=[{"rows": filter_of_cell(own, predicted, results)} for own in range(size) for predicted in range(size)],
        width="figure",
        least_height=LEAST_ROW * size,
    )
    return Answer((chart,))


def width_of_confusions(results: Results) -> int:
    """Pixels of the confusion matrix."""
    return width_of_matrix(_names(results))


def _names(results: Results) -> list[str]:
    return [name_label(label) for label in results.labels]


def confused(counts: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The own class and the predicted one of each kind of error, the most frequent first."""
    errors = counts * ~np.eye(len(counts), dtype=bool)
    own, predicted = np.nonzero(errors)
    order = np.argsort(-errors[own, predicted], kind="stable")[:MOST_CONFUSIONS]
    return list(zip(own[order].tolist(), predicted[order].tolist(), strict=True))


def confusions_table(results: Results) -> Table | None:
    """The most frequent errors of a model with classes, of which a click shows the rows; None without errors."""
    if not isinstance(results, Classes) or not results.has_gold.any():
        return None
    found = confused(results.confusions)
    if not found:
        return None
    return Table(
        name="confusions",
        title="The most frequent errors",
        columns=lambda: columns_of_cells(results, found),
        on_page="open",
        decimals=2,
        changes=[{"rows": filter_of_cell(own, predicted, results)} for own, predicted in found],
    )


def columns_of_cells(results: Classes, cells: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Cells of the confusion matrix: their rows, and the share of all rows with the own label."""
    counts = results.confusions
    shares = cell_shares(counts)
    found = [shares[own][predicted] for own, predicted in cells]
    return {
        "own label": [results.labels[own] for own, _ in cells],
        "predicted": [results.labels[predicted] for _, predicted in cells],
        "rows": [int(counts[cell]) for cell in cells],
        "of the label": [each.value for each in found],
        "from": [each.low for each in found],
        "to": [each.high for each in found],
    }


def _interval(found: Interval, number_format: str = "") -> str:
    def number(value: float) -> str:
        return written(value, number_format) if number_format else percent(value)

    return interval_in_words(found.low, found.high, number, n=found.n)
