"""Why this prediction?, Why here? and Similar because on slides: their numbers, as far as a slide has time for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from encoder.attribution.explaining import explain, guided_curve, removal_game
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import RANDOM_ORDERS, random_curves, removal_counts, removal_curve
from encoder.attribution.removals import PERMUTATIONS, RemovalGame, greedy_order, removable_units
from encoder.attribution.score_removals import CONTROLS
from encoder.attribution.score_removals import removal_test as test_without_term
from encoder.attribution.score_terms import SIDES, score_terms
from encoder.attribution.target import Target, resolve_target
from encoder.collection.search import exact_split_of_texts
from encoder.comparison.pair_removals import PairRemovals, largest_pairs_first, random_pair_curves
from encoder.comparison.similarity_map import similarity_map, tokens_to_run
from encoder.errors import HeadlightError, SelectionError
from encoder.measures.near_ties import largest_first
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import units_of
from encoder.runs.arrays import FloatArray
from viz.answers import similar_because as similar
from viz.answers.answer import Answer, Part, Row, Sentence
from viz.answers.why.measured import measured_methods
from viz.answers.why.question import METHODS, REMOVALS, asked
from viz.answers.why.removals import GUIDED, GUIDED_RUNS, TEST, Curves, remainder, removal_test
from viz.answers.why.words import words, words_heading
from viz.answers.why_here import OF_ONE_HEAD, PROOF, all_terms, cell_of, proof, score
from viz.claims.subject import MOST_TOKENS, Subject
from viz.saved_page.pages import HEADINGS
from viz.slides.models import Models
from viz.slides.static_slide import StaticSlide, check_tokens
from viz.state.selection import Selection
from viz.tours.pictures import why_picture
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Stop
from viz.wording.labels import escape_markdown

NO_SEARCH: Final = "The greedy search for the best order takes too long for a slide: the app runs it."


def why(stop: Stop, selection: Selection, subject: Subject, models: Models) -> StaticSlide:
    """The words' values; or the removal curves and the remainder after the stop's removals, if the stop is about them.

    Raises:
        HeadlightError: the question or the method does not apply, or the text is too long.
    """
    question = asked(subject.traces, selection, lambda text: models.trace(selection.model, text, None)).question
    target = resolve_target(subject.backend, question)
    method, removal, level = selection.why.method, selection.why.removal, selection.level
    if method == "shapley":
        check_tokens(PERMUTATIONS * len(target.tokens) ** 2)
    values = explain(subject.backend, target, method, level=level, removal=removal)
    if why_picture(stop) == "words":
        tokens = {"pair": target.tokens}
        points = placed_points(stop.points, Texts(queries=tokens, keys=tokens))
        parts = (words_heading(question, target), *words(target, values, selection, points=points).parts)
    else:
        parts = (TEST, *_test(question, target, largest_first(values.values), selection, subject))
    heading = f"{METHODS[method]}; words are removed by {REMOVALS[removal]}"
    return StaticSlide(answers=((heading, Answer((*parts, *measured_methods(selection.model).parts))),))


def _test(
    question: Question, target: Target, order: tuple[int, ...], selection: Selection, subject: Subject
) -> Iterator[Part | Row]:
    """The removal curves, and the remainder after the stop's removals; or why there are none."""
    try:
        game = removal_game(subject.backend, target, level=selection.level, removal=selection.why.removal)
        gone = order[: selection.why.removed]
        curves = _curves(order, question, target, game, selection, subject)
        yield from removal_test(target, curves, model_name=game.backend.name, removed=len(gone)).parts
        if curves.greedy is None:
            yield Sentence(NO_SEARCH, "caption")
        if gone:
            yield from remainder(target, question.kind, game.remainder(gone)).parts
    except HeadlightError as error:
        yield Sentence(escape_markdown(str(error)), "info")


def _curves(
    order: tuple[int, ...],
    question: Question,
    target: Target,
    game: RemovalGame,
    selection: Selection,
    subject: Subject,
) -> Curves:
    """Removal curves in the order of the values, in random orders, and in orders found by search if there is time."""
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
    """(20, S) curves of random orders, shared with claims about the same target."""
    a, *b = subject.first.tokens.sentences
    is_claimed = (question.kind, question.label, question.rival) == ("class", None, None) and question.texts == (
        a,
        b[0] if b else None,
    )
    if not is_claimed or selection.level != "wordpieces":
        return random_curves(game)
    known, removal = subject.random_curves, game.removal
    if removal not in known:
        known[removal] = random_curves(game)
    return known[removal]


def why_here(selection: Selection, subject: Subject) -> StaticSlide:
    """The terms of the score of the pinned query and key, else of the largest weight, and the test of the largest term.

    They are of the first run that has the pinned tokens.

    Raises:
        HeadlightError: no single head is selected, or the model cannot be decomposed.
    """
    if selection.head == MEAN:
        raise SelectionError(OF_ONE_HEAD)
    pinned = selection.place.pins.run
    place = pinned if pinned in subject.traces else next(iter(subject.traces))
    trace = subject.traces[place]
    shown = [members[0] for members in units_of(trace.tokens, special=selection.special).members]
    if not shown:
        raise SelectionError("This text has special tokens only, and the stop hides them.")
    cell, found = cell_of(trace, selection, shown, place)
    terms = score_terms(subject.backend, trace, cell)
    parts: list[Part | Row] = [*score(trace, terms, selection).parts]
    if found:
        parts.append(Sentence(found, "caption"))
    parts.append(PROOF)
    try:
        check_tokens(len(SIDES) * (1 + CONTROLS) * len(trace.tokens))
        tests = [test_without_term(subject.backend, trace, terms, side) for side in SIDES]
        parts.extend(proof(trace, terms, tests).parts)
    except HeadlightError as error:
        parts.append(Sentence(escape_markdown(str(error)), "info"))
    return StaticSlide(answers=((HEADINGS[place], Answer((*parts, all_terms(terms)))),))


def similar_because(selection: Selection, subject: Subject) -> StaticSlide:
    """The pairs of words, and the test of their order.

    Raises:
        HeadlightError: there is only one sentence, the texts are too long, or the model cannot be decomposed.
    """
    if len(subject.traces) < 2:
        raise SelectionError(similar.NEEDS_TWO)
    backend, level = subject.backend, selection.level
    traces = tuple(subject.traces.values())
    a, b = (trace.tokens for trace in traces)
    if backend.pooling.splits_exactly:
        exact = similar.exact(exact_split_of_texts(backend, a.sentences[0], b.sentences[0], level))
        return StaticSlide(answers=(("", exact),))
    units_a, units_b = (removable_units(tokens, level=level) for tokens in (a, b))
    check_tokens(tokens_to_run((len(a), len(units_a)), (len(b), len(units_b))))
    found = similarity_map(backend, a, b, level=level)
    order = largest_pairs_first(found.values)
    check_tokens(RANDOM_ORDERS * len(removal_counts(len(order))) * (len(a) + len(b)))
    removals = PairRemovals(backend=backend, a=a, b=b, units_a=units_a, units_b=units_b)
    own, random = removals.curve(order), random_pair_curves(removals)
    parts = (
        *similar.similarity(*traces, pooling=backend.pooling).parts,
        *similar.pairs(found, (a, b), level).parts,
        *similar.removals(own, random, units=len(order), model_name=backend.name, texts=(a, b)).parts,
    )
    return StaticSlide(answers=(("", Answer(parts)),))
