"""Where a model is right and wrong in a table: each class, its calibration, and slices of the rows."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.collection.results import Results
from encoder.collection.table import Collection
from encoder.measures.classification import ClassScores, Interval, Slice, auc, calibration, class_scores, slices
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.answers.collection.slices import FEWEST, is_in_address, slices_to_compare, title_of
from viz.answers.collection.summary import counts_of
from viz.figures.confusion import calibration_chart
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, make_visible, shorten
from viz.wording.numbers import percent, written

OF_CALIBRATION: Final = Explanation(
    "Rows are put in ten bins by the probability of their prediction. A point on the dashed line is right as often as "
    "its probability says; below it, the model is too sure. The error is the mean distance over the rows.",
    "A model can be calibrated over all rows and not in a slice of them.",
)
OF_SLICES: Final = Explanation(
    "Each slice is compared with all other rows. p is corrected by Holm's method for all slices that were tried: where "
    "it is below 0.05, at most one table in twenty shows such a difference by chance alone.",
    "A slice says where the model fails, not why: slices overlap.",
)
OPEN_SLICE: Final = "Choose a slice to see its rows in the table."
SIGNIFICANT: Final = 0.05
LONGEST: Final = 40  # characters of a slice's value
MEASURES: Final = {"tags": "words right", "span": "F1 of words"}


def classes(results: Results) -> Answer | None:
    """F1, precision and recall of each class or label; None where rows have no classes."""
    if results.kind not in ("classes", "labels") or not results.has_gold.any():
        return None
    if results.kind == "classes":
        scores = class_scores(counts_of(results))
        found = _columns_of_classes(results, scores)
        average = scores.macro_f1
    else:
        each = [_label_scores(results, index) for index in range(len(results.labels))]
        found = {name: [row[name] for row in each] for name in each[0]} | {"label": list(results.labels)}
        found = {"label": found.pop("label"), **found}
        values = np.array([row["F1"] for row in each])
        average = Interval(float(np.nanmean(values)) if np.isfinite(values).any() else np.nan, np.nan, np.nan, 0)
    said = f"F1 is {written(average.value, '.2f')} on average over the {_named(results)}"
    if np.isfinite(average.low):
        said += f" (95 % interval {written(average.low, '.2f')} to {written(average.high, '.2f')}; {average.n:,} rows)"
    parts: list[Part] = [Sentence(f"{said}. F1 is the harmonic mean of precision and recall.")]
    if len(results.labels) == 2 and results.kind == "classes" and results.probabilities is not None:
        has = results.has_gold
        area = auc(results.probabilities[has, 1], results.gold[has] == 1)
        if np.isfinite(area.value):
            label = escape_markdown(shorten(make_visible(results.labels[1]), LONGEST))
            parts.append(
                Sentence(
                    f"The probability of “{label}” ranks a row that has this label above one that does not in "
                    f"{percent(area.value)} of the pairs (AUC, 95 % interval {100 * area.low:.0f} to "
                    f"{percent(area.high)})."
                )
            )
    parts.append(Table(name="classes", title="Each class", columns=lambda: found, on_page="open", decimals=2))
    return Answer(tuple(parts))


def _named(results: Results) -> str:
    return f"{len(results.labels):,} {'labels' if results.kind == 'labels' else 'classes'}"


def _columns_of_classes(results: Results, scores: ClassScores) -> dict[str, Any]:
    return {
        "label": list(results.labels),
        "rows": [each.n for each in scores.f1],
        "precision": scores.precision,
        "recall": scores.recall,
        "F1": np.array([each.value for each in scores.f1]),
        "F1 from": np.array([each.low for each in scores.f1]),
        "F1 to": np.array([each.high for each in scores.f1]),
    }


def _label_scores(results: Results, index: int) -> dict[str, Any]:
    """One label against its absence."""
    has = results.has_gold
    own = results.gold[has, index]
    holds = np.zeros(len(own), int) if results.probabilities is None else results.probabilities[has, index] >= 0.5
    counts = np.array([[((own == a) & (holds == b)).sum() for b in (0, 1)] for a in (0, 1)])
    scores = class_scores(counts)
    f1 = scores.f1[1]
    numbers = {"precision": scores.precision[1], "recall": scores.recall[1], "F1": f1.value}
    return {"label": "", "rows": f1.n} | numbers | {"F1 from": f1.low, "F1 to": f1.high}


def calibration_of(results: Results) -> Answer | None:
    """How often the model is right at each probability; None where it gives none or no row has a label."""
    correct, confidence = results.correct, results.confidence
    if correct is None or confidence is None or results.kind == "labels":
        return None
    has = results.has_gold & ~np.isnan(confidence)
    if not has.any():
        return None
    found = calibration(confidence[has], correct[has])
    low, high = found.by_chance
    error = found.error
    verdict = "which chance explains" if error.value <= high else "more than chance explains"
    side = float(confidence[has].mean() - correct[has].mean())
    sure = f"On average it is too {'sure' if side > 0 else 'unsure'} by {percent(abs(side))}."
    accuracy = {
        "accuracy": np.array([each.value for each in found.accuracy]),
        "low": np.array([each.low for each in found.accuracy]),
        "high": np.array([each.high for each in found.accuracy]),
    }
    counts = [each.n for each in found.accuracy]
    return Answer(
        (
            Sentence(
                f"The probabilities are off by **{percent(error.value)}** on average (expected calibration error, 95 % "
                f"interval {100 * error.low:.0f} to {percent(error.high)}; {error.n:,} rows), {verdict}: a perfectly "
                f"calibrated model would be off by {100 * low:.0f} to {percent(high)} on as many rows. {sure}"
            ),
            Chart(
                name="calibration",
                alt="The share of right rows by the probability of the prediction, in ten bins.",
                figure=lambda theme: calibration_chart(
                    found.edges, found.confidence, **accuracy, counts=counts, theme=theme
                ),
            ),
            Table(
                name="calibration",
                title="The bins as a table",
                columns=lambda: {
                    "from": found.edges[:-1],
                    "to": found.edges[1:],
                    "rows": counts,
                    "mean_probability": found.confidence,
                    "right": accuracy["accuracy"],
                    "right_from": accuracy["low"],
                    "right_to": accuracy["high"],
                },
                on_page="folded",
            ),
        ),
        explanation=OF_CALIBRATION,
    )


def slices_of(collection: Collection, results: Results) -> Answer | None:
    """Slices by the values of every column and by length, compared with all other rows; None without labels."""
    has = results.has_gold
    if not has.any():
        return None
    values, measure = row_values(results)
    compared = {each.rows: each for each in slices_to_compare(collection, results)}
    found = slices(values[has], [(rows, each.members[has]) for rows, each in compared.items()])
    if not found:
        return Answer(
            (Sentence(f"No column has a value that at least {FEWEST} rows share, and others do not.", "info"),)
        )
    shown = [(each, title_of(compared[each.name])) for each in found]
    parts = Sentence(_finding(shown, measure)), _slices_table(shown, measure), Sentence(OPEN_SLICE, "caption")
    return Answer(parts, explanation=OF_SLICES)


def row_values(results: Results) -> tuple[NDArray[np.floating[Any]], str]:
    """(N,) a number for each row that slices and models are compared by, and what it is."""
    if results.answers is not None and results.kind in MEASURES:
        return results.answers.partly.astype(np.float64), MEASURES[results.kind]
    if results.correct is not None:
        return results.correct.astype(np.float64), "right"
    if results.is_binary:
        return results.losses.astype(np.float64), "loss"
    return np.abs(results.logits[:, 0] - results.gold).astype(np.float64), "absolute error"


def _finding(shown: list[tuple[Slice, str]], measure: str) -> str:
    found = [each for each, _ in shown]
    first, title = shown[0]
    tried = f"{len(found)} slice{'' if len(found) == 1 else 's'}"
    if first.corrected >= SIGNIFICANT:
        return (
            f"None of {tried} differs from the other rows by more than chance (smallest corrected p: "
            f"{_p(first.corrected)})."
        )
    number = sum(each.corrected < SIGNIFICANT for each in found)
    inside, outside = (_value(value, measure) for value in (first.inside.value, first.outside))
    rows = f"{first.inside.n:,} rows"
    what = f"is right in {inside} of {rows}" if measure == "right" else f"has {measure} {inside} ({rows})"
    return (
        f"**{number} of {tried}** {'differs' if number == 1 else 'differ'} from the other rows by more than chance. In "
        f"“{escape_markdown(title)}” the model {what}, elsewhere {outside} (corrected p: {_p(first.corrected)})."
    )


def _slices_table(shown: list[tuple[Slice, str]], measure: str) -> Table:
    found = [each for each, _ in shown]
    return Table(
        name="slices",
        title="The slices",
        columns=lambda: {
            "slice": [title for _, title in shown],
            "rows": [each.inside.n for each in found],
            measure: [each.inside.value for each in found],
            "from": [each.inside.low for each in found],
            "to": [each.inside.high for each in found],
            "other rows": [each.outside for each in found],
            "p": [each.p for each in found],
            "corrected p": [each.corrected for each in found],
        },
        on_page="open",
        decimals=3,
        changes=[{"rows": each.name} if is_in_address(each.name) else {} for each in found],
    )


def _value(value: float, measure: str) -> str:
    return percent(value) if measure in ("right", "words right") else written(value, ".3g")


def _p(p: float) -> str:
    return "less than 0.001" if p < 0.001 else written(p, ".2g")
