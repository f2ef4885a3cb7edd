"""The test: the number as words are taken away in the order of their values, beside random orders and the best one."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from encoder.attribution.explaining import WordValues
from encoder.attribution.orders import largest_first
from encoder.attribution.questions import Question, QuestionKind
from encoder.attribution.removal_curves import RANDOM_ORDERS, Verdict, removal_counts, verdict
from encoder.attribution.target import Target
from encoder.runs.arrays import FloatArray
from encoder.shipped.names import is_untrained
from viz.caches import explaining_cache
from viz.caches.explaining_cache import Searched
from viz.caches.run_cache import cached_job, cached_with_model
from viz.figures.config import plot_config
from viz.figures.removal_curves import removal_curves
from viz.panels.common import fit_stage, theme
from viz.panels.jobs import follow
from viz.panels.tables import show_table
from viz.panels.verdicts import in_words
from viz.panels.why.left import show_what_is_left
from viz.panels.why.measured import measured, measured_of
from viz.panels.why.words import shown_in_words
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown
from viz.wording.numbers import written

GUIDED: tuple[QuestionKind, ...] = ("class", "score")  # that integrated DecompX splits, which leads the search
GUIDED_RUNS = 44  # at most


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Curves:
    """The number as U units are taken away, at S points; None as long as it is worked out.

    Attributes:
        own: (S,) in the order that is tested.
        random: (20, S) in random orders.
        greedy, guided: what the searches find; `guided` stays None for a number that integrated DecompX does not
            split.
    """

    units: int
    own: FloatArray
    random: FloatArray | None
    greedy: Searched | None
    guided: Searched | None

    @property
    def counts(self) -> tuple[int, ...]:
        """How many units are gone at each point."""
        return removal_counts(self.units)


def show_test(
    model_name: str,
    question: Question,
    number: Target,
    found: WordValues | None,
    selection: Selection,
    *,
    curve_first: bool,
) -> None:
    """The curves and the verdict, and what is left of the sentence.

    Args:
        found: None where the values are still being worked out.
        curve_first: whether the curves stand above the verdict.
    Raises:
        HeadlightError: words of this model cannot be taken away.
    """
    st.markdown("### Does it hold for this sentence?")
    if found is None:
        st.caption("The test follows when the values are there.")
        return
    order = largest_first(found.values)
    upper, lower, waiting = st.container(), st.container(), st.container()
    picture, said = (upper, lower) if curve_first else (lower, upper)
    with waiting:
        curves = _follow_curves(model_name, question, number, order, selection)
    with said:
        _show_verdicts(curves, number.unit, model_name)
    with picture:
        _draw(curves, number, removed=min(selection.why.removed, curves.units))
    show_what_is_left(model_name, question, number, order, selection)
    show_table(lambda: _table(curves), title="The curves as a table", name="why test", key="why_test_table")


def _follow_curves(
    model_name: str, question: Question, number: Target, order: tuple[int, ...], selection: Selection
) -> _Curves:
    """Every curve that is there; the progress of the others is shown."""
    level, removal = selection.level, selection.why.removal
    own = cached_with_model(explaining_cache.curve, model_name, question, order, level, removal)
    units, tokens = len(order), len(number.tokens)
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
    return _Curves(units=units, own=own, random=random, greedy=greedy, guided=guided)


def _show_verdicts(curves: _Curves, unit: str, model_name: str) -> None:
    """What random orders say of this order, and of the guided search's."""
    random, greedy = curves.random, _curve_of(curves.greedy)
    if random is None:
        return
    own = verdict(curves.own, random, units=curves.units, greedy=greedy)
    st.markdown(in_words(own, unit, model_name=model_name))
    if curves.guided is not None and not is_untrained(model_name):
        guided = verdict(curves.guided.curve, random, units=curves.units, greedy=greedy)
        st.markdown(guided_in_words(guided, unit))


def _draw(curves: _Curves, number: Target, *, removed: int) -> None:
    """The figure, and what its number is held against."""
    figure = removal_curves(
        curves.own,
        curves.counts,
        unit=number.unit,
        random=curves.random,
        greedy=_curve_of(curves.greedy),
        guided=_curve_of(curves.guided),
        limits=number.limits,
        removed=removed,
        theme=theme(),
    )
    fit_stage(figure)
    st.plotly_chart(figure, theme=None, config=plot_config("why-test"), key="why_test")
    if number.against:
        st.caption(f"The curves show the {escape_markdown(shown_in_words(number))}.")


def _curve_of(searched: Searched | None) -> FloatArray | None:
    return None if searched is None else searched.curve


def guided_in_words(result: Verdict, unit: str) -> str:
    """What the guided search is, and how its order does here and did over many sentences."""
    figures, guided, leading = measured(), measured_of("guided"), measured_of("integrated-decompx")
    area = f"{written(result.between, '+.3f')} ({unit})"
    here = f"better than random orders {result.beaten} times of {result.of}, area {area}"
    return (
        f"**Guided search**, an order without values: up to {GUIDED_RUNS} runs among the words that integrated DecompX "
        f"puts first. {f'Here {here}. ' if result.testable else ''}Over {guided['n']} sentences of {figures['data']} "
        f"it had an AOPC of {guided['aopc']:.3f} with {figures['model']}, integrated DecompX alone "
        f"{leading['aopc']:.3f}."
    )


def _table(curves: _Curves) -> pd.DataFrame:
    """A row for each point, a column for each order."""
    columns = {"words_taken_away": curves.counts, "this_order": curves.own}
    searches = {"greedy_search": curves.greedy, "guided_search": curves.guided}
    columns |= {name: found.curve for name, found in searches.items() if found is not None}
    for index, curve in enumerate([] if curves.random is None else curves.random):
        columns[f"random_{index}"] = curve
    return pd.DataFrame(columns)
