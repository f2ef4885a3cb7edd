"""Why this prediction? on a slide: what each word adds to a number, and the test of it by taking words away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.attribution.explaining import WordValues, explain, removal_game
from encoder.attribution.orders import largest_first
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import RANDOM_ORDERS, random_curves, removal_counts, removal_curve
from encoder.attribution.removals import PERMUTATIONS, RemovalGame, greedy_order
from encoder.attribution.target import Target, resolve_target
from encoder.measures.units import units_of
from encoder.runs.arrays import FloatArray
from viz.claims.subject import MOST_TOKENS, Subject
from viz.exports.charts import Box, Chart
from viz.panels.why.choice import METHODS, REMOVALS
from viz.panels.why.question import asked
from viz.panels.why.words import shown_in_words, sum_in_words, title_in_words
from viz.slides.models import Models
from viz.slides.removal_charts import plain, removal_chart
from viz.slides.signed_charts import Bar, signed_chart
from viz.slides.still import Still, check_tokens
from viz.state.selection import Selection
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Stop
from viz.wording.labels import make_visible

REMARK = "Other numbers and methods, and the sentence that is left, are in the app."
MOST_BARS = 24  # words with a bar of their own
FEW_DECIMALS = 0.2  # values up to this are written with three decimals, as in the app


@dataclass(frozen=True, slots=True, eq=False)
class _Explained:
    """A number of a stop, and what its words add."""

    stop: Stop
    selection: Selection
    subject: Subject
    question: Question
    number: Target
    values: WordValues
    player: RemovalGame


def why(stop: Stop, selection: Selection, subject: Subject, models: Models) -> Still:
    """The words' values as bars, and the number as words are taken away.

    Raises:
        HeadlightError: the number cannot be asked about, the method does not split it, or the text is too long.
    """
    question = asked(subject.traces, selection, lambda text: models.trace(selection.model, text, None)).question
    number = resolve_target(subject.backend, question)
    method, removal, level = selection.why.method, selection.why.removal, selection.level
    if method == "shapley":
        check_tokens(PERMUTATIONS * len(number.tokens) ** 2)
    values = explain(subject.backend, number, method, level=level, removal=removal)
    player = removal_game(subject.backend, number, level=level, removal=removal)
    explained = _Explained(stop, selection, subject, question, number, values, player)
    return Still(charts=(_words(explained), _test(explained)), remark=REMARK)


def _words(explained: _Explained) -> Chart:
    """A bar for each word, in their order; of a long text the largest."""
    found, chosen = explained.values, explained.selection.why
    units = units_of(explained.number.tokens, level=explained.selection.level, special="hide")
    labels = [make_visible(units.labels[units.members.index(unit)]) for unit in found.units]
    high = float(np.abs(found.values).max())
    largest = sorted(largest_first(np.abs(found.values))[:MOST_BARS])
    others = np.delete(found.values, largest)
    bars = [Bar(labels[unit], float(found.values[unit])) for unit in largest]
    if len(others):
        bars.append(Bar(f"{len(others)} others", float(others.sum())))
    method = METHODS[chosen.method]
    if chosen.method in ("leave-one-out", "shapley"):
        method = f"{method}, {REMOVALS[chosen.removal]}"
    return signed_chart(
        f"{title_in_words(explained.question, explained.number)}, by {method}",
        bars,
        said=plain(sum_in_words(found)),
        unit=found.unit,
        digits=2 if high >= FEW_DECIMALS else 3,
        rings=_rings(explained, [found.units[unit] for unit in largest]),
    )


def _rings(explained: _Explained, units: list[tuple[int, ...]]) -> list[Box]:
    """Around the words that the stop points at."""
    tokens = {"pair": explained.number.tokens}
    points = placed_points(explained.stop.points, Texts(queries=tokens, keys=tokens))
    pointed = {position for point in points if point["kind"] == "token" for position in point["token"]}
    return [(0, bar, 1, 1) for bar, unit in enumerate(units) if pointed & set(unit)]


def _test(explained: _Explained) -> Chart:
    """The number in the order of the values, beside random orders and the one that a greedy search finds."""
    player, number, chosen = explained.player, explained.number, explained.selection.why
    units, tokens = len(player.units), len(number.tokens)
    counts = removal_counts(units)
    own = removal_curve(player, largest_first(explained.values.values))  # (S,)
    check_tokens(RANDOM_ORDERS * len(counts) * tokens)
    random = _random_curves(explained)  # (20, S)
    greedy = None
    if units * (units + 1) // 2 * tokens <= MOST_TOKENS:
        greedy = removal_curve(player, greedy_order(player))
    return removal_chart(
        f"Words are taken away by {REMOVALS[chosen.removal]}, those first that add most: {shown_in_words(number)}",
        own,
        random,
        counts=counts,
        unit=number.unit,
        taken="words",
        model_name=player.backend.name,
        greedy=greedy,
        limits=number.limits,
        removed=min(chosen.removed, units),
    )


def _random_curves(explained: _Explained) -> FloatArray:
    """(20, S) of random orders; those of the claims where these are about the same number."""
    subject, question = explained.subject, explained.question
    a, *b = subject.first.tokens.sentences
    is_claimed = (question.kind, question.label) == ("class", None) and question.texts == (a, b[0] if b else None)
    if not is_claimed or explained.selection.level != "wordpieces":
        return random_curves(explained.player)
    known, removal = subject.random_curves, explained.player.removal
    if removal not in known:
        known[removal] = random_curves(explained.player)
    return known[removal]
