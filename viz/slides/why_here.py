"""Why here? on a slide: the numbers of its answer, of the first run that has the pinned tokens."""

from __future__ import annotations

from encoder.attribution.score_removals import CONTROLS, removal_test
from encoder.attribution.score_terms import SIDES, score_terms
from encoder.errors import HeadlightError, SelectionError
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import units_of
from viz.answers.answer import Answer, Part, Row, Sentence
from viz.answers.why_here import OF_ONE_HEAD, PROOF, all_terms, cell_of, proof, score
from viz.claims.subject import Subject
from viz.saved_page.pages import HEADINGS
from viz.slides.static_slide import StaticSlide, check_tokens
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown


def why_here(selection: Selection, subject: Subject) -> StaticSlide:
    """The terms of the pinned query and key, or of the largest weight, and the run without the largest term.

    Raises:
        HeadlightError: the score belongs to no head, or the model cannot be decomposed.
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
        tests = [removal_test(subject.backend, trace, terms, side) for side in SIDES]
        parts.extend(proof(trace, terms, tests).parts)
    except HeadlightError as error:
        parts.append(Sentence(escape_markdown(str(error)), "info"))
    return StaticSlide(answers=((HEADINGS[place], Answer((*parts, all_terms(terms)))),))
