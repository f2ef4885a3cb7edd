"""Why this prediction? on a slide: the numbers of its answer, as far as a slide has time for them."""

from __future__ import annotations

from typing import Final

from encoder.attribution.explaining import explain, guided_curve, removal_game
from encoder.attribution.orders import largest_first
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import RANDOM_ORDERS, random_curves, removal_counts, removal_curve
from encoder.attribution.removals import PERMUTATIONS, RemovalGame, greedy_order
from encoder.attribution.target import Target, resolve_target
from encoder.errors import HeadlightError
from encoder.runs.arrays import FloatArray
from viz.answers.answer import Answer, Part, Row, Sentence
from viz.answers.why.measured import measured_methods
from viz.answers.why.question import METHODS, REMOVALS, asked
from viz.answers.why.removals import GUIDED, GUIDED_RUNS, TEST, Curves, remainder, removal_test
from viz.answers.why.words import words, words_heading
from viz.claims.subject import MOST_TOKENS, Subject
from viz.slides.models import Models
from viz.slides.static_slide import StaticSlide, check_tokens
from viz.state.selection import Selection
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Stop
from viz.wording.labels import escape_markdown

NO_SEARCH: Final = "The greedy search for the best order takes too long for a slide: the app runs it."


def why(stop: Stop, selection: Selection, subject: Subject, models: Models) -> StaticSlide:
    """The words' values, the number as words are removed, and what remains where the stop removes some.

    Raises:
        HeadlightError: the number cannot be asked about, the method does not split it, or the text is too long.
    """
    question = asked(subject.traces, selection, lambda text: models.trace(selection.model, text, None)).question
    target = resolve_target(subject.backend, question)
    method, removal, level = selection.why.method, selection.why.removal, selection.level
    if method == "shapley":
        check_tokens(PERMUTATIONS * len(target.tokens) ** 2)
    values = explain(subject.backend, target, method, level=level, removal=removal)
    game = removal_game(subject.backend, target, level=level, removal=removal)
    order = largest_first(values.values)
    gone = order[: selection.why.removed]
    tokens = {"pair": target.tokens}
    points = placed_points(stop.points, Texts(queries=tokens, keys=tokens))
    shown = words(target, values, selection, points=points)
    parts: list[Part | Row] = [words_heading(question, target), *shown.parts, TEST]
    try:
        curves = _curves(order, question, target, game, selection, subject)
        test = removal_test(target, curves, model_name=game.backend.name, removed=len(gone))
        parts.extend(test.parts)
        if curves.greedy is None:
            parts.append(Sentence(NO_SEARCH, "caption"))
        if gone:
            parts.extend(remainder(target, question.kind, game.remainder(gone)).parts)
    except HeadlightError as error:
        parts.append(Sentence(escape_markdown(str(error)), "info"))
    parts.extend(measured_methods().parts)
    heading = f"{METHODS[method]}; words are removed by {REMOVALS[removal]}"
    return StaticSlide(answers=((heading, Answer(tuple(parts))),))


def _curves(
    order: tuple[int, ...],
    question: Question,
    target: Target,
    game: RemovalGame,
    selection: Selection,
    subject: Subject,
) -> Curves:
    """The output in the order of the values, in random orders, and in those that searches find in time."""
    units, tokens = len(order), len(target.tokens)
    own = removal_curve(game, order)
    check_tokens(RANDOM_ORDERS * len(removal_counts(units)) * tokens)
    greedy = guided = None
    if units * (units + 1) // 2 * tokens <= MOST_TOKENS:
        greedy = removal_curve(game, greedy_order(game))
    if question.kind in GUIDED and GUIDED_RUNS * tokens <= MOST_TOKENS:
        guided = guided_curve(subject.backend, target, level=selection.level, removal=selection.why.removal)
    random = _random_curves(question, game, selection, subject)
    return Curves(units=units, own=own, random=random, greedy=greedy, guided=guided)


def _random_curves(question: Question, game: RemovalGame, selection: Selection, subject: Subject) -> FloatArray:
    """(20, S) of random orders; those of the claims where these are about the same target."""
    a, *b = subject.first.tokens.sentences
    is_claimed = (question.kind, question.label) == ("class", None) and question.texts == (a, b[0] if b else None)
    if not is_claimed or selection.level != "wordpieces":
        return random_curves(game)
    known, removal = subject.random_curves, game.removal
    if removal not in known:
        known[removal] = random_curves(game)
    return known[removal]
