"""The removal test of a split: the output as words are removed, the largest first, and the remaining text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial
from typing import Final

from encoder.attribution.exact_orders import ExactOrders
from encoder.attribution.questions import QuestionKind
from encoder.attribution.removal_curves import Verdict, removal_counts, verdict
from encoder.attribution.removals import Remainder
from encoder.attribution.target import Target
from encoder.runs.arrays import FloatArray
from encoder.shipped.names import is_untrained
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.answers.verdicts import area_in_words, in_words
from viz.figures.removal_curves import removal_curves
from viz.views.why.answer.measured import is_comparable, measured, measured_of
from viz.views.why.answer.words import shown_in_words
from viz.wording.labels import escape_markdown, make_visible, safe_name
from viz.wording.numbers import percent, written

TEST: Final = Sentence("Does it hold for this sentence?", "heading")
GUIDED: Final[tuple[QuestionKind, ...]] = (
    "class",
    "score",
)  # integrated DecompX splits these
GUIDED_RUNS: Final = 44  # at most
MOST_CLASSES: Final = 3  # named in a sentence


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curves:
    """The output as U units are removed, at S points; None for curves that are not computed.

    Attributes:
        own: (S,) in the tested order.
        random: (20, S) in random orders.
        greedy, guided: (S,) in the orders found by search.
        exact: the worst and the best of all orders, of a short text.
    """

    units: int
    own: FloatArray
    random: FloatArray | None = None
    greedy: FloatArray | None = None
    guided: FloatArray | None = None
    exact: ExactOrders | None = None


def removal_test(target: Target, curves: Curves, *, model_name: str, removed: int) -> Answer:
    """The verdict on the tested order, the curves, their table, and below it what all orders and the guided search say.

    Args:
        removed: number of units removed in the remaining text.
    """
    chart: list[Part] = [
        Chart(
            name="removals",
            alt=f"The {shown_in_words(target)} as words are removed: in this order, and in others.",
            figure=lambda theme: removal_curves(
                curves.own,
                removal_counts(curves.units),
                unit=target.unit,
                random=curves.random,
                greedy=curves.greedy,
                guided=curves.guided,
                limits=target.limits,
                removed=min(removed, curves.units),
                theme=theme,
            ),
        )
    ]
    if target.against:
        label, against = map(safe_name, (target.label, target.against))
        chart.append(Sentence(f"The curves show P({label}) compared with {against} only.", "caption"))
    verdicts: list[Part] = []
    note = ""
    if curves.random is not None:
        own = verdict(curves.own, curves.random, units=curves.units, greedy=curves.greedy)
        verdicts.append(Sentence(in_words(own, model_name=model_name, texts=[target.tokens])))
        note = _details(curves, own, target.unit, model_name)
    table = Table(
        name="why-test",
        title="Details and numbers of the test",
        columns=lambda: _columns(curves),
        note=note,
    )
    return Answer((*verdicts, *chart, table))


def remainder(target: Target, kind: QuestionKind, left: Remainder) -> Answer:
    """The text without some of its words, and the model's output for it."""
    a, b = left.text
    return Answer(
        (
            Sentence("**What is left:**"),
            Sentence(" · ".join(make_visible(text) for text in (a, b) if text is not None), "plain"),
            Sentence(f"**The model's output for it:** {_said(target, kind, left)}."),
        )
    )


def _said(target: Target, kind: QuestionKind, left: Remainder) -> str:
    """The probabilities of all classes if the model chooses one; else the output that is explained."""
    prediction = left.prediction
    if kind == "class" and target.against and prediction is not None and prediction.probabilities is not None:
        return _classes(prediction.labels, prediction.probabilities)
    return f"{escape_markdown(shown_in_words(target))}: {written(left.value, '.3f')}"


def _exact(exact: ExactOrders, own: Verdict) -> list[str]:
    """Where the order and random orders are between the worst and the best of all orders; nothing if all are equal."""
    place, of_random = exact.place(own.area), exact.place(exact.mean)
    if place is None or of_random is None:
        return []
    found = (
        f"**Of all {factorial(own.units):,} orders of these {own.units} words**, with the worst at 0 % and the best at "
        f"100 %, this one is at {percent(place)}; a random order is at {percent(of_random)} on average."
    )
    return [found]


def _details(curves: Curves, own: Verdict, unit: str, model_name: str) -> str:
    """How good the order is among all and next to random ones, and the guided search; nothing if untrained."""
    if is_untrained(model_name) or curves.random is None:
        return ""
    found = [] if curves.exact is None else _exact(curves.exact, own)
    found += [area_in_words(own, unit)] if own.testable else []
    if curves.guided is not None:
        guided = verdict(curves.guided, curves.random, units=curves.units, greedy=curves.greedy)
        found.append(_guided_in_words(guided, unit, model_name))
    return " ".join(found)


def _guided_in_words(result: Verdict, unit: str, model_name: str) -> str:
    """What the guided search is, its result here, and beside a model of ours its result over many sentences."""
    area = f"{written(result.between, '+.3f')} ({unit})"
    here = f"better than {result.beaten} of {result.of} random orders, area {area}"
    said = (
        f"**Guided search** gives an order without values, in up to {GUIDED_RUNS} runs among the words that integrated "
        f"DecompX puts first.{f' Here it is {here}.' if result.testable else ''}"
    )
    if not is_comparable(model_name):
        return said
    figures, guided, leading = measured(), measured_of("guided"), measured_of("integrated-decompx")
    return (
        f"{said} Over {guided['n']} sentences of {figures['data']}, {figures['model']}, its AOPC was "
        f"{guided['aopc']:.3f}; integrated DecompX alone had {leading['aopc']:.3f}."
    )


def _columns(curves: Curves) -> Columns:
    """A row for each point, a column for each order."""
    columns: dict[str, FloatArray | tuple[int, ...]] = {
        "words_removed": removal_counts(curves.units),
        "this_order": curves.own,
    }
    searches = {"greedy_search": curves.greedy, "guided_search": curves.guided}
    columns |= {name: curve for name, curve in searches.items() if curve is not None}
    if curves.random is not None:
        columns |= {f"random_{index}": curve for index, curve in enumerate(curves.random)}
    return columns


def _classes(labels: Sequence[str], probabilities: FloatArray) -> str:
    """The likeliest classes with their probabilities."""
    likeliest = sorted(zip(probabilities.tolist(), labels, strict=True), reverse=True)
    return ", ".join(f"{safe_name(label)} {percent(value)}" for value, label in likeliest[:MOST_CLASSES])
