"""Similar because: the cosine of two sentences, split over pairs of their words, and whether that holds."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Tokens, Trace
from encoder.attribution.removal_curves import RANDOM_ORDERS, removal_counts
from encoder.collection.search import exact_split_of_texts
from encoder.comparison.pair_removals import largest_pairs_first
from encoder.comparison.similarity_map import POINTS, SimilarityMap, tokens_to_run
from encoder.errors import HeadlightError, NotFiniteError
from encoder.measures.units import Level, units_of
from encoder.text.tokens import USUAL_TOKENS
from viz.answers import similar_because as answers
from viz.caches import run_cache, similarity_cache
from viz.caches.run_cache import cached_job, cached_with_model
from viz.caches.similarity_cache import ESTIMATE_POINTS, Texts
from viz.panels.answer import show_answer
from viz.panels.jobs import follow
from viz.panels.room import is_at_stop
from viz.state import session
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown

MOST_AT_ONCE = 10**11  # multiplications while the page waits: about a second on two cores


def similar_because(traces: Mapping[str, Trace], selection: Selection, *_: object) -> Explanation | None:
    """The cosine, its pairs and the test of their order; a sentence says what does not apply.

    Args:
        traces: of "A" and "B", each alone, or of the one sentence that there is.
    """
    if len(traces) < 2:
        st.info(answers.NEEDS_TWO)
        return None
    a, b = traces.values()
    try:
        _show(a, b, selection.level)
    except NotFiniteError:
        raise
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return None
    return answers.EXPLANATION


def _show(a: Trace, b: Trace, level: Level) -> None:
    """Raises HeadlightError."""
    name, tokens = a.model_name, (a.tokens, b.tokens)
    texts = (a.tokens.sentences[0], b.tokens.sentences[0])
    pooling = run_cache.model(name).pooling
    if pooling.splits_exactly:
        found_exact = cached_with_model(exact_split_of_texts, name, *texts, level)
        show_answer(answers.exact(found_exact), view="similar")
        return
    show_answer(answers.similarity(a, b, pooling=pooling), view="similar")
    if max(map(len, tokens)) > USUAL_TOKENS:
        st.caption(answers.NO_PAIRS_OF_LONG)
        return
    place = st.container()

    def show_pairs(found: SimilarityMap) -> None:
        with place:
            new = (name, texts, level, found.points)
            show_answer(answers.pairs(found, tokens, level), view="similar", new=new)

    estimate = _estimate(name, texts, tokens, level)
    if estimate is not None:
        show_pairs(estimate)
    found = follow(
        cached_job(similarity_cache.similarity, name, texts, level),
        name,
        tokens=_tokens_to_run(tokens, level, POINTS),
        what="Pairs of words",
        key="similar_map",
    )
    if found is None:
        return
    if estimate is not None:  # another page has just computed the split
        st.rerun()
    show_pairs(found)
    if not is_at_stop(session.current()):  # no claim is about the test
        _show_test(name, texts, tokens, found, level)


def _estimate(model_name: str, texts: Texts, tokens: tuple[Tokens, Tokens], level: Level) -> SimilarityMap | None:
    """The map at fewer points, which is shown at once; None for long texts, and if the map itself is cached."""
    is_there = cached_job(similarity_cache.similarity, model_name, texts, level).result is not None
    work = run_cache.model(model_name).multiplications(_tokens_to_run(tokens, level, ESTIMATE_POINTS))
    if is_there or work > MOST_AT_ONCE:
        return None
    return similarity_cache.estimate(model_name, texts, level)


def _tokens_to_run(tokens: tuple[Tokens, Tokens], level: Level, points: int) -> int:
    a, b = ((len(each), len(units_of(each, level=level, special="hide"))) for each in tokens)
    return tokens_to_run(a, b, points=points)


def _show_test(
    model_name: str, texts: Texts, tokens: tuple[Tokens, Tokens], found: SimilarityMap, level: Level
) -> None:
    pairs = largest_pairs_first(found.values)
    own = cached_with_model(similarity_cache.curve, model_name, texts, pairs, level)
    place = st.container()
    random = follow(
        cached_job(similarity_cache.random_pairs, model_name, texts, level),
        model_name,
        tokens=RANDOM_ORDERS * len(removal_counts(len(pairs))) * sum(map(len, tokens)),
        what=f"{RANDOM_ORDERS} random orders of random pairs",
        key="similar_random",
    )
    with place:
        show_answer(
            answers.removals(own, random, units=len(pairs), model_name=model_name, texts=tokens), view="similar"
        )
