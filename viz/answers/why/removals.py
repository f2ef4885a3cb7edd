"""The removal test of a split: the output as words are removed, the largest first, and the remaining text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from encoder.attribution.questions import QuestionKind
from encoder.attribution.removal_curves import Verdict, removal_counts, verdict
from encoder.attribution.removals import Remainder
from encoder.attribution.target import Target
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction
from encoder.shipped.names import is_untrained
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.answers.verdicts import in_words
from viz.answers.why.measured import measured, measured_of
from viz.answers.why.words import shown_in_words
from viz.figures.removal_curves import removal_curves
from viz.wording.labels import escape_markdown, make_visible, shorten
from viz.wording.numbers import written

TEST: Final = Sentence("Does it hold for this sentence?", "heading")
GUIDED: Final[tuple[QuestionKind, ...]] = (
    "class",
    "score",
)  # integrated DecompX splits these
GUIDED_RUNS: Final = 44  # at most
MOST_CLASSES: Final = 3  # named in a sentence
LONGEST_CLASS: Final = 40  # characters


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curves:
    """The output as U units are removed, at S points; None for curves that are not computed.

    Attributes:
        own: (S,) in the tested order.
        random: (20, S) in random orders.
        greedy, guided: (S,) in the orders found by search.
    """

    units: int
    own: FloatArray
    random: FloatArray | None = None
    greedy: FloatArray | None = None
    guided: FloatArray | None = None


def removal_test(
    target: Target, curves: Curves, *, model_name: str, removed: int, curves_first: bool = False
) -> Answer:
    """The curves, and the verdicts on the tested order and on that of the guided search.

    Args:
        removed: number of units removed in the remaining text.
        curves_first: whether the curves come before the verdict.
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
        chart.append(Sentence(f"The curves show the {escape_markdown(shown_in_words(target))}.", "caption"))
    verdicts = _verdicts(curves, target.unit, model_name)
    table = Table(name="why-test", title="The curves as a table", columns=lambda: _columns(curves), on_page="folded")
    return Answer((*chart, *verdicts, table) if curves_first else (*verdicts, *chart, table))


def remainder(target: Target, kind: QuestionKind, left: Remainder) -> Answer:
    """The text without some of its words, and the model's output for it."""
    a, b = left.text
    classes = _classes(left.prediction, kind) if kind in ("class", "score") else ""
    said = escape_markdown(shown_in_words(target))
    return Answer(
        (
            Sentence("**What is left:**"),
            Sentence(" · ".join(make_visible(text) for text in (a, b) if text is not None), "plain"),
            Sentence(f"**What the model says of it:** {said}: {written(left.value, '.3f')}.{classes}"),
        )
    )


def _verdicts(curves: Curves, unit: str, model_name: str) -> list[Part]:
    random, greedy = curves.random, curves.greedy
    if random is None:
        return []
    own = verdict(curves.own, random, units=curves.units, greedy=greedy)
    found: list[Part] = [Sentence(in_words(own, unit, model_name=model_name))]
    if curves.guided is not None and not is_untrained(model_name):
        guided = verdict(curves.guided, random, units=curves.units, greedy=greedy)
        found.append(Sentence(_guided_in_words(guided, unit)))
    return found


def _guided_in_words(result: Verdict, unit: str) -> str:
    """What the guided search is, and its result here and over many sentences."""
    figures, guided, leading = measured(), measured_of("guided"), measured_of("integrated-decompx")
    area = f"{written(result.between, '+.3f')} ({unit})"
    here = f"better than random orders {result.beaten} times of {result.of}, area {area}"
    return (
        f"**Guided search**, an order without values: up to {GUIDED_RUNS} runs among the words that integrated DecompX "
        f"puts first. {f'Here {here}. ' if result.testable else ''}Over {guided['n']} sentences of {figures['data']} "
        f"it had an AOPC of {guided['aopc']:.3f} with {figures['model']}, integrated DecompX alone "
        f"{leading['aopc']:.3f}."
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


def _classes(prediction: Prediction | None, kind: QuestionKind) -> str:
    """The likeliest classes of a prediction, and the score if the question is about another output."""
    if prediction is None or prediction.probabilities is None:
        return ""
    likeliest = sorted(zip(prediction.probabilities.tolist(), prediction.labels, strict=True), reverse=True)
    named = ", ".join(
        f"{escape_markdown(shorten(label, LONGEST_CLASS))} {value:.2f}" for value, label in likeliest[:MOST_CLASSES]
    )
    score = "" if prediction.score is None or kind == "score" else f"; score {written(prediction.score, '.2f')}"
    return f" Among all classes: {named}{score}."
