"""Where a model is right and wrong in a table: each class, its calibration, and slices of the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from encoder.collection import correctness
from encoder.collection.correctness import ComparedSlices
from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Classes, Labels, WithShares
from encoder.collection.kinds.scores import Score
from encoder.collection.kinds.tags import WORDS_BY_ROW, Tags
from encoder.collection.label_errors import LabelErrors, label_errors, planted
from encoder.collection.near_duplicates import LIKENESS, NearDuplicates
from encoder.collection.row_filters import name_of_rows
from encoder.collection.row_slices import FEWEST, TriedSlices
from encoder.collection.table import Collection
from encoder.collection.tag_scores import TagScores, scores_of_entities, scores_of_tags
from encoder.measures.classification import Calibration, ClassScores
from encoder.measures.inference import Interval, is_clear
from encoder.measures.prediction_sets import FEWEST as FEWEST_SPLIT
from encoder.measures.prediction_sets import PredictionSets, prediction_sets
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.answers.collection.slices import is_in_address, title_of
from viz.figures.confusion import calibration_chart
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, safe_name
from viz.wording.numbers import by_chance, interval_in_words, p_in_words, percent, written
from viz.wording.readings import counted

OF_CALIBRATION: Final = Explanation(
    "Rows are put in ten bins by the probability of their prediction. A point on the dashed line is right as often as "
    "its probability says; below it, the model is too sure. The error is the mean distance over the rows.",
    "A model can be calibrated over all rows and not in a slice of them.",
)
OF_LABELS: Final = Explanation(
    "Every label of every row is put in one of ten bins by its probability. A point on the dashed line holds as often "
    "as its probability says; below it, the probability is too high. The error is the mean distance over all of them.",
    "A model can be calibrated over all labels and not for one of them. The intervals of the bins assume that the "
    "labels of a row are independent.",
)
OF_YES: Final = Explanation(
    "Rows are put in ten bins by the probability of yes, which is the sigmoid of the score. A point on the dashed line "
    "is yes as often as its probability says; below it, the score is too high.",
    "A reranker needs no calibration to rank: only the order of its scores counts.",
)
OF_SCORES: Final = Explanation(
    "Rows are put in at most ten bins by their score, as many rows in each. On the dashed line the mean label equals "
    "the mean score; below it, the score is too high. The error is the mean distance over the rows.",
    "A score on another scale than the labels is not calibrated, even if it ranks the rows well.",
)
OF_SLICES: Final = Explanation(
    "Each slice is compared with all other rows. p is corrected by Holm's method for all comparisons: where "
    "it is below 0.05, at most one table in twenty shows such a difference by chance alone.",
    "A slice says where the model fails, not why: slices overlap.",
)
OF_LABEL_ERRORS: Final = Explanation(
    "Confident learning (Northcutt et al., 2021): a row is listed if the model predicts another class, with at least "
    "the mean probability that this class has in the rows with that label. The model must not have been trained on the "
    "table. How many are found is tried out: 20 times, 5 % of the labels are replaced by other classes of the table.",
    "Where the model is often wrong, most of these labels are right: read them before you change one.",
)
OF_DUPLICATES: Final = Explanation(
    "Of the different words of two texts, whatever their order, at least four of five are in both.",
    "A “not” or another number is one word: such pairs may mean different things. Texts that say the same in other "
    "words are not listed: “Search for it” ranks them for a row.",
)
FEWEST_TESTED: Final = 100  # labels
MOST_LISTED: Final = 200  # labels or pairs in a table
WANTED: Final = (0.9, 0.8, 0.95, 0.99)  # shares of rows in which the right class is to be named
OPEN_SLICE: Final = "Choose a slice to see its rows in the table."
MOST_NAMED: Final = 4  # columns in a sentence


def classes(results: Results) -> Answer | None:
    """F1, precision and recall of each class or label; None where rows have no classes."""
    if not isinstance(results, WithShares) or (scores := results.class_scores) is None:
        return None
    parts: list[Part] = [Sentence(f"{_average(results, scores)}. F1 is the harmonic mean of precision and recall.")]
    area = results.area_under_curve
    if area is not None and np.isfinite(area.value):
        label = safe_name(results.labels[1])
        parts.append(
            Sentence(
                f"The probability of “{label}” ranks a row that has this label above one that does not in "
                f"{percent(area.value)} of the pairs (AUC, {_interval(area, percent)})."
            )
        )
    table = Table(
        name="classes",
        title="Each class",
        columns=lambda: columns_of_classes(results, scores),
        on_page="open",
        decimals=2,
    )
    return Answer((*parts, table))


def _average(results: Results, scores: ClassScores) -> str:
    """F1 on average over the classes that have one."""
    of_all, average = len(scores.f1), scores.macro_f1
    counted = sum(np.isfinite(each.value) for each in scores.f1)
    kind = results.several
    if not counted:
        return f"No row has or gets any of the {of_all:,} {kind}, so there is no F1"
    over = f"{of_all:,} {kind}" if counted == of_all else f"{counted:,} of {of_all:,} {kind} that rows have or get"
    interval = _interval(average, lambda value: written(value, ".2f"))
    said = f"F1 is {written(average.value, '.2f')} on average over the {over} ({interval}; {average.n:,} rows)"
    absent = [index for index, each in enumerate(scores.f1) if np.isfinite(each.value) and not each.n]
    if not absent:
        return said
    present = written(float(np.mean([each.value for each in scores.f1 if each.n])), ".2f")
    named = ", ".join(f"“{safe_name(results.labels[index])}”" for index in absent)
    return f"{said}. No row has the label {named}: without {'it' if len(absent) == 1 else 'them'}, F1 is {present}"


def tags(collection: Collection, results: Results) -> Answer | None:
    """F1, precision and recall of whole entities and of each tag; None without tags of the model."""
    by_tag, by_entity = scores_of_tags(collection, results), scores_of_entities(collection, results)
    if by_tag is None:
        return None
    parts: list[Part] = []
    if by_entity is not None:
        f1, own, said = (each[0] for each in (by_entity.scores.f1, by_entity.scores.recall, by_entity.scores.precision))
        interval = _interval(f1, lambda value: written(value, ".2f"))
        sentence = (
            f"**F1 of whole entities is {written(f1.value, '.2f')}** ({interval}): {percent(own.value)} of {own.n:,} "
            f"are found, and {percent(said.value)} of {said.n:,} that are said are right. All words of an entity, its "
            "kind and its beginning must be right, as in seqeval's strict mode."
        )
        parts.append(Sentence(sentence))
        parts.append(_table_of_tags("entities", "Each kind of entity", by_entity))
    parts.append(_table_of_tags("tags", "Each tag", by_tag))
    return Answer(tuple(parts))


def _table_of_tags(name: str, title: str, found: TagScores) -> Table:
    columns = partial(columns_of_scores, found.names, found.scores)
    return Table(name=name, title=title, columns=columns, on_page="open", decimals=2)


def columns_of_classes(results: Results, scores: ClassScores) -> dict[str, Any]:
    """Each class: the rows that have it, those that get it, and each measure with its interval."""
    return columns_of_scores(results.labels, scores)


def columns_of_scores(names: Sequence[str], scores: ClassScores) -> dict[str, Any]:
    """As `columns_of_classes`, of any names."""
    columns: dict[str, Any] = {
        "label": list(names),
        "rows": [each.n for each in scores.recall],
        "predicted": [each.n for each in scores.precision],
    }
    for name, of_classes in (("F1", scores.f1), ("precision", scores.precision), ("recall", scores.recall)):
        columns |= _with_interval(name, of_classes)
    return columns


def _with_interval(name: str, found: Sequence[Interval]) -> dict[str, Any]:
    """A column of numbers, and those of the ends of their intervals."""
    ends = {name: "value", f"{name} from": "low", f"{name} to": "high"}
    return {title: np.array([getattr(each, end) for each in found]) for title, end in ends.items()}


class _Calibrated(NamedTuple):
    """Calibration in words.

    Attributes:
        subject: what is off.
        over: what the error is taken over; "" for the rows.
        titles: of the predictions, and of the labels.
        counted: in a bin.
        way: what is on average too much, and too little.
    """

    subject: str
    over: str
    titles: tuple[str, str]
    counted: str
    way: tuple[str, str]
    explanation: Explanation


OF_ROWS: Final = _Calibrated(
    "The probabilities are",
    "",
    ("probability of the prediction", "right"),
    "rows",
    ("the model is too sure", "the model is too unsure"),
    OF_CALIBRATION,
)


def _calibrated(results: Results) -> _Calibrated:
    match results:
        case Labels():
            return _Calibrated(
                "The probabilities of the labels are",
                f" over {len(results.labels):,} labels of each row",
                ("probability of a label", "holds"),
                "labels",
                ("these probabilities are too high", "these probabilities are too low"),
                OF_LABELS,
            )
        case Tags():
            return OF_ROWS._replace(
                over=" over the words", counted="words", titles=("probability of the tags", "right")
            )
        case Score() if results.is_binary:
            return _Calibrated(
                "Read as the log odds of yes, the scores are",
                "",
                ("probability of yes", "yes"),
                "rows",
                ("the probability of yes is too high", "the probability of yes is too low"),
                OF_YES,
            )
        case Score():
            return _Calibrated(
                "The scores are",
                " in bins of equal size",
                ("score", "label"),
                "rows",
                ("they are too high", "they are too low"),
                OF_SCORES,
            )
        case _:
            return OF_ROWS


def title_of_calibration(results: Results) -> str:
    """Of the fold."""
    if isinstance(results, Score) and not results.is_binary:
        return "Calibration: is the score the label?"
    return "Calibration: is 90 % right in 90 %?"


def calibration_of(results: Results) -> Answer | None:
    """Whether probabilities are shares of right rows, or scores the labels; None where no row has a label."""
    found = results.calibration
    if found is None:
        return None
    words, is_share = _calibrated(results), not isinstance(results, Score) or results.is_binary
    number = percent if is_share else _number
    said, right = words.titles
    counts = [each.n for each in found.accuracy]
    accuracy, low, high = _with_interval(right, found.accuracy).values()
    chart = Chart(
        name="calibration",
        alt=f"{right.capitalize()} by {said}, in {len(counts)} bins.",
        figure=lambda theme: calibration_chart(
            found.edges,
            found.confidence,
            accuracy,
            low=low,
            high=high,
            counts=counts,
            theme=theme,
            titles=words.titles,
            counted=words.counted,
            is_share=is_share,
        ),
    )
    table = Table(
        name="calibration",
        title="The bins as a table",
        columns=lambda: columns_of_bins(results, found),
    )
    parts = [Sentence(_calibration_in_words(found, words, number)), chart, table, *_sets_of(results)]
    return Answer(tuple(parts), explanation=words.explanation)


def _sets_of(results: Results) -> list[Part]:
    """How many classes a model has to name to be right as often as wanted; nothing for other heads, or few rows."""
    has = results.has_gold
    if not isinstance(results, Classes) or len(results.labels) < 2 or has.sum() < FEWEST_SPLIT:
        return []
    found = [prediction_sets(results.probabilities[has], results.gold[has], wanted) for wanted in WANTED]
    first = found[0]
    size, covered = written(first.size.value, ".1f"), percent(first.covered.value)
    said = (
        f"To be right in {percent(first.wanted)} of the rows, the model has to name **{size} of "
        f"{len(results.labels):,} classes** on average: all of at least {percent(first.threshold)}. Of the half of the "
        f"rows that this was not chosen on, {covered} have the right one among them "
        f"({_interval(first.covered, percent)})."
    )
    table = Table(
        name="prediction-sets",
        title="Other risks",
        columns=lambda: columns_of_sets(found),
        decimals=2,
    )
    return [Sentence(said), table]


def columns_of_sets(found: Sequence[PredictionSets]) -> dict[str, Any]:
    """For each wanted share of rows: the least probability, the classes to name, and the rows that are right."""
    return {
        "wanted": [each.wanted for each in found],
        "least probability": [each.threshold for each in found],
        **_with_interval("classes", [each.size for each in found]),
        **_with_interval("right", [each.covered for each in found]),
    }


def columns_of_bins(results: Results, found: Calibration) -> dict[str, Any]:
    """Each bin of the calibration: its edges, its size, the mean confidence, and the share that is right."""
    words = _calibrated(results)
    said, right = words.titles
    return {
        "from": found.edges[:-1],
        "to": found.edges[1:],
        words.counted: [each.n for each in found.accuracy],
        f"mean {said}": found.confidence,
        **_with_interval(right, found.accuracy),
    }


def _calibration_in_words(found: Calibration, words: _Calibrated, number: Callable[[float], str]) -> str:
    error, (low, high) = found.error, found.by_chance
    verdict = f"{'more than chance explains' if is_clear(found.p) else 'which chance explains'}, {p_in_words(found.p)}"
    excess, sign = found.excess, 1 if found.excess.value > 0 else -1
    begin, end = sorted((sign * excess.low, sign * excess.high))
    of_excess = interval_in_words(begin, end, number, n=excess.n)
    return (
        f"{words.subject} off by **{number(error.value)}** on average (expected calibration error{words.over}, "
        f"{_interval(error, number)}; {error.n:,} rows), {verdict}: a perfectly calibrated model would be off by "
        f"{number(low).removesuffix(' %')} to {number(high)} on as many rows. On average {words.way[sign < 0]} by "
        f"{number(abs(excess.value))} ({of_excess})."
    )


def _interval(found: Interval, number: Callable[[float], str]) -> str:
    return interval_in_words(found.low, found.high, number, n=found.n)


def _number(value: float) -> str:
    return written(value, ".3g")


def label_errors_of(collection: Collection, results: Results) -> Answer | None:
    """The labels to check; None where rows have no two classes."""
    if not isinstance(results, Classes) or len(np.unique(results.gold[results.has_gold])) < 2:
        return None
    found = label_errors(results)
    if not len(found.rows):
        said = "Where the model contradicts a label, it is too unsure for the label to be suspected."
        return Answer((Sentence(said, "info"),), explanation=OF_LABEL_ERRORS)
    rows = found.rows[:MOST_LISTED].tolist()
    table = Table(
        name="label-errors",
        title="Labels to check",
        columns=lambda: columns_of_label_errors(found, collection, results, MOST_LISTED),
        on_page="open",
        decimals=2,
        changes=[{"rows": name_of_rows([row])} for row in rows],
    )
    first = "" if len(rows) == len(found.rows) else f" The table has the first {len(rows)}."
    named = f"**{len(found.rows):,} of {int(results.has_gold.sum()):,} labels** to check, the surest first."
    return Answer((Sentence(f"{named}{_rates(results)}{first}"), table), explanation=OF_LABEL_ERRORS)


def _rates(results: Classes) -> str:
    if results.has_gold.sum() < FEWEST_TESTED:
        return ""
    share, others = planted(results)
    return (
        f" If 5 % of the labels were wrong, this list would have {percent(share)} of them, and also {percent(others)} "
        "of the others."
    )


def columns_of_label_errors(
    found: LabelErrors, collection: Collection, results: Classes, most: int | None = None
) -> dict[str, Any]:
    """The rows with their texts, and their numbers from 1."""
    columns = {name: cells[:most] for name, cells in found.columns(results).items()}
    texts = collection.column(collection.text, columns["row"].tolist())
    return {"row": collection.numbers(columns.pop("row")) + 1, "text": texts, **columns}


def near_duplicates_of(found: NearDuplicates, collection: Collection) -> Answer:
    """Pairs of texts that share nearly all words, what of copies would be found, and what chance alone gives."""
    columns = columns_of_duplicates(found, collection)
    count, differ = len(found.pairs), 0
    if "label" in columns:
        differ = sum(a != b for a, b in zip(columns["label"], columns["other label"], strict=True))
    labels = f"; **in {differ:,} of them the labels differ**" if differ else ""
    least = "At least " if found.is_cut else ""
    share = percent(found.copies_found)
    copies = "" if np.isnan(found.copies_found) else f" Of copies without one word, {share} are found."
    pairs = f"**{least}{counted(count, 'pair')} of texts**"
    said = (
        f"{pairs} share {percent(LIKENESS)} of their words or more{labels}.{copies} "
        f"With the words shuffled among the rows there {'is' if found.by_chance == 1 else 'are'} "
        f"{counted(found.by_chance, 'such pair')}."
    )
    if not count:
        return Answer((Sentence(said),), explanation=OF_DUPLICATES)
    shown = found.pairs[:MOST_LISTED].tolist()
    table = Table(
        name="near-duplicates",
        title="The pairs",
        columns=lambda: {name: cells[:MOST_LISTED] for name, cells in columns.items()},
        on_page="open",
        decimals=2,
        note="" if count <= MOST_LISTED else f"The first {MOST_LISTED} pairs.",
        changes=[{"rows": name_of_rows(pair)} for pair in shown],
    )
    return Answer((Sentence(said), table), explanation=OF_DUPLICATES)


def columns_of_duplicates(found: NearDuplicates, collection: Collection) -> dict[str, Any]:
    """Each pair: its rows, from 1, the share of their words that both have, their texts and their labels."""
    columns: dict[str, Any] = {"words in common": found.likeness}
    for name, rows in zip(("", "other "), found.pairs.T.tolist(), strict=True):
        columns |= {f"{name}row": collection.numbers(rows) + 1, f"{name}text": _documents(collection, rows)}
        if (labels := collection.labels(rows)) is not None:
            columns[f"{name}label"] = labels
    return columns


def _documents(collection: Collection, rows: list[int]) -> list[str]:
    return collection.column(collection.text_b or collection.text, rows)


def conclusion(collection: Collection, results: Results) -> Answer | None:
    """Where the errors are, for a reader without statistics; None without labels, or without slices."""
    compared = correctness.compared_slices(collection, results)
    return Answer((Sentence(_finding(compared)),)) if compared and compared.slices else None


def slices_of(collection: Collection, results: Results) -> Answer | None:
    """Slices by every column and by length, compared with all other rows; None without labels."""
    compared = correctness.compared_slices(collection, results)
    if compared is None:
        return None
    left_out = _left_out(compared.tried)
    if not compared.slices:
        said = f"No column has a value that at least {FEWEST} rows share, and others do not. {left_out}"
        return Answer((Sentence(said.strip(), "info"),))
    table = Table(
        name="slices",
        title="The slices",
        columns=lambda: columns_of_slices(compared),
        on_page="open",
        decimals=3,
        changes=[{"rows": each.name} if is_in_address(each.name) else {} for each in compared.slices],
    )
    caption = Sentence(f"{OPEN_SLICE} {left_out}".strip(), "caption")
    return Answer((Sentence(_test_in_words(compared)), table, caption), explanation=OF_SLICES)


def _left_out(tried: TriedSlices) -> str:
    """Which values are no slices."""
    compared = Counter(each.column for each in tried.slices)
    said = [
        f"Of “{safe_name(column)}”, the {compared[column]} most frequent values are compared; {count:,} others are "
        "left out."
        for column, count in tried.left_out.items()
    ]
    if tried.rare:
        named = ", ".join(f"“{safe_name(column)}”" for column in tried.rare[:MOST_NAMED])
        others = len(tried.rare) - MOST_NAMED
        more = f" and {counted(others, 'other column')}" if others > 0 else ""
        said.append(f"No value of {named}{more} is in at least {FEWEST} rows.")
    return " ".join(said)


def _finding(compared: ComparedSlices) -> str:
    """The worst slice in a sentence, or that none stands out."""
    clear = [each for each in compared.slices if is_clear(each.corrected)]
    higher_is_better = _is_share(compared.measure)
    worse = [each for each in clear if (each.inside.value < each.outside) == higher_is_better]
    found = (worse or clear or compared.slices)[0]
    title = escape_markdown(title_of(compared.rows[found.name]))
    if not clear:
        return (
            "No group of rows stands out: by chance alone, one differs from the others as much as "
            f"“{title}” in {by_chance(found.corrected)}."
        )
    inside, outside = (value_in_words(value, compared.measure) for value in (found.inside.value, found.outside))
    if compared.measure == "right":
        inside = f"{round(found.inside.value * found.inside.n):,} of {found.inside.n:,} rows right"
        outside = f"{outside} of the others"
    else:
        inside, outside = f"{compared.measure} {inside} ({found.inside.n:,} rows)", f"elsewhere {outside}"
    return (
        f"The model is **{'worst' if worse else 'best'} in “{title}”**: {inside}, {outside}. By chance alone, one of "
        f"{counted(len(compared.slices), 'group')} of rows differs as much in {by_chance(found.corrected)}."
    )


def _test_in_words(compared: ComparedSlices) -> str:
    """How many slices differ, and by which test."""
    number, tried = sum(is_clear(each.corrected) for each in compared.slices), len(compared.slices)
    smallest = p_in_words(min(each.corrected for each in compared.slices))
    test = "Fisher's exact test" if compared.measure == "right" else "the ranks of the rows"
    verb = "differs" if number < 2 else "differ"
    return (
        f"**{number or 'None'} of {counted(tried, 'slice')}** {verb} from the other rows by more than chance, by "
        f"{test} (smallest corrected {smallest})."
    )


def columns_of_slices(compared: ComparedSlices) -> dict[str, Any]:
    """Each slice: its rows, the measure inside with its interval and outside, and p."""
    found = compared.slices
    return {
        "slice": [title_of(compared.rows[each.name]) for each in found],
        "rows": [each.inside.n for each in found],
        compared.measure: [each.inside.value for each in found],
        "from": [each.inside.low for each in found],
        "to": [each.inside.high for each in found],
        "other rows": [each.outside for each in found],
        "p": [each.p for each in found],
        "corrected p": [each.corrected for each in found],
    }


def value_in_words(value: float, measure: str) -> str:
    """What slices are compared by: a share of rows that are right, or another number."""
    return percent(value) if _is_share(measure) else written(value, ".3g")


def _is_share(measure: str) -> bool:
    return measure in ("right", WORDS_BY_ROW)
