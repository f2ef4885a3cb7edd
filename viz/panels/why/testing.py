"""The test of an order: its jobs, a slider over the removals, and a button that opens the remaining text."""

from __future__ import annotations

import streamlit as st

from encoder.attribution.exact_orders import MOST_UNITS
from encoder.attribution.explaining import WordValues
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import FEWEST_UNITS, RANDOM_ORDERS, removal_counts
from encoder.attribution.target import Target
from encoder.measures.near_ties import largest_first
from viz.answers.why.removals import GUIDED, GUIDED_RUNS, Curves, remainder, removal_test
from viz.caches import explaining_cache
from viz.caches.explaining_cache import Order
from viz.caches.run_cache import cached_job, cached_with_model
from viz.panels.answer import show_answer
from viz.panels.jobs import follow
from viz.panels.room import is_at_stop
from viz.state import session
from viz.state.selection import Selection

SLIDER = "why_removed"


def show_test(
    model_name: str,
    question: Question,
    target: Target,
    found: WordValues,
    selection: Selection,
) -> None:
    """The verdict, the curves, and the remaining text; at a stop of a tour, the curves.

    Raises:
        HeadlightError: words of this model cannot be removed.
    """
    order = largest_first(found.values)
    answer = st.container()
    curves = _follow_curves(model_name, question, target, order, selection)
    removed = min(selection.why.removed, len(order))
    with answer:
        show_answer(removal_test(target, curves, model_name=model_name, removed=removed), view="why")
    if is_at_stop(selection):
        return
    session.set_value(SLIDER, removed)  # sent on each run: a slow browser may miss a value that was sent once
    st.slider("Words removed, the one that adds most first", 0, len(order), key=SLIDER, on_change=_change_removed)
    _show_remainder(model_name, question, target, order[:removed], selection)


def _follow_curves(model_name: str, question: Question, target: Target, order: Order, selection: Selection) -> Curves:
    """The finished curves; shows the progress of the others."""
    level, removal = selection.level, selection.why.removal
    units, tokens = len(order), len(target.tokens)
    own = cached_with_model(explaining_cache.curve, model_name, question, order, level, removal)
    random = follow(
        cached_job(explaining_cache.random_orders, model_name, question, level, removal),
        model_name,
        tokens=RANDOM_ORDERS * len(removal_counts(units)) * tokens,
        what=f"{RANDOM_ORDERS} random orders",
        key="why_random",
    )
    greedy = follow(
        cached_job(explaining_cache.greedy, model_name, question, level, removal),
        model_name,
        tokens=units * (units + 1) // 2 * tokens,
        what="Greedy search for the best order",
        key="why_greedy",
    )
    guided = None
    if question.kind in GUIDED:
        guided = follow(
            cached_job(explaining_cache.guided, model_name, question, level, removal),
            model_name,
            tokens=GUIDED_RUNS * tokens,
            what="Guided search",
            key="why_guided",
        )
    exact = None
    if FEWEST_UNITS <= units <= MOST_UNITS:
        exact = follow(
            cached_job(explaining_cache.all_orders, model_name, question, level, removal),
            model_name,
            tokens=(1 << units) * tokens,
            what=f"All orders of {units} words",
            key="why_exact",
        )
    return Curves(units=units, own=own, random=random, greedy=greedy, guided=guided, exact=exact)


def _show_remainder(model_name: str, question: Question, target: Target, gone: Order, selection: Selection) -> None:
    """The text without some units, and a button that opens it in the heat map."""
    left = cached_with_model(
        explaining_cache.without_words, model_name, question, gone, selection.level, selection.why.removal
    )
    show_answer(remainder(target, question.kind, left), view="why")
    a, b = left.text
    if not a:
        return
    st.button(
        "Show this text in the heat map",
        key="why_open",
        on_click=session.change,
        kwargs={"a": a, "b": b or "", "view": "heat map"},
        help="The browser's Back returns to this view.",
    )
    if not left.is_read_alike:
        st.caption(
            "Read as a new text, some of it is split into other pieces, so the heat map shows a slightly different run."
        )


def _change_removed() -> None:
    if session.is_user_change(SLIDER):
        session.change(removed=st.session_state[SLIDER])
