"""The test: the number as words are taken away in the order of their values, beside random orders and the best one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from encoder.attribution.asking import Number
from encoder.attribution.explaining import WordValues
from encoder.attribution.orders import largest_first
from encoder.attribution.questions import Kind, Question, Removal
from encoder.attribution.removal_test import RANDOM_ORDERS, Verdict, removal_counts, verdict
from encoder.measures.units import Level
from encoder.runs.arrays import FloatArray
from viz import explaining_cache
from viz.explaining_cache import Searched
from viz.figures.config import plot_config
from viz.figures.removal_curves import removal_curves
from viz.panels.common import fit_stop, theme
from viz.panels.jobs import follow
from viz.panels.tables import show_table
from viz.panels.verdicts import in_words
from viz.panels.why.left import show_what_is_left
from viz.panels.why.measured import measured, measured_of
from viz.state.selection import Selection

GUIDED: tuple[Kind, ...] = ("class", "score")  # numbers that DecompX splits, which leads the guided search
GUIDED_RUNS = 44  # at most


def show_test(
    model_name: str,
    question: Question,
    number: Number,
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
    level, removal = selection.level, selection.why.removal
    order = largest_first(found.values)
    own = explaining_cache.curve(model_name, question, order, level, removal)
    units, tokens = len(order), len(number.tokens)
    counts = removal_counts(units)
    upper, lower, waiting = st.container(), st.container(), st.container()
    picture, said = (upper, lower) if curve_first else (lower, upper)
    with waiting:
        random = follow(
            explaining_cache.random_orders(model_name, question, level, removal),
            model_name,
            tokens=RANDOM_ORDERS * len(counts) * tokens,
            what=f"{RANDOM_ORDERS} random orders",
            key="why_random",
        )
        searched = follow(
            explaining_cache.greedy(model_name, question, level, removal),
            model_name,
            tokens=units * (units + 1) // 2 * tokens,
            what="Greedy search for the best order",
            key="why_greedy",
        )
        guided = _follow_guided(model_name, question, level, removal, tokens=tokens)
    greedy = None if searched is None else searched.curve
    with said:
        if random is not None:
            st.markdown(in_words(verdict(own, random, units=units, greedy=greedy), number.unit))
            if guided is not None:
                st.markdown(guided_in_words(verdict(guided.curve, random, units=units, greedy=greedy), number.unit))
    with picture:
        figure = removal_curves(
            own,
            counts,
            unit=number.unit,
            random=random,
            greedy=greedy,
            guided=None if guided is None else guided.curve,
            limits=number.limits,
            removed=min(selection.why.removed, units),
            theme=theme(),
        )
        fit_stop(figure)
        st.plotly_chart(figure, theme=None, config=plot_config("why-test"), key="why_test")
    show_what_is_left(model_name, question, number, order, selection)
    table = _table(counts, own, random, {"greedy_search": searched, "guided_search": guided})
    show_table(table, title="The curves as a table", name="why test", key="why_test_table")


def _follow_guided(
    model_name: str, question: Question, level: Level, removal: Removal, *, tokens: int
) -> Searched | None:
    """What the guided search finds; None for a number that DecompX does not split, and as long as it works on."""
    if question.kind not in GUIDED:
        return None
    return follow(
        explaining_cache.guided(model_name, question, level, removal),
        model_name,
        tokens=GUIDED_RUNS * tokens,
        what="Guided search",
        key="why_guided",
    )


def guided_in_words(result: Verdict, unit: str) -> str:
    """What the guided search is, and how its order does here and did over many sentences."""
    figures, guided, leading = measured(), measured_of("guided"), measured_of("integrated-decompx")
    here = f"better than random orders {result.beaten} times of {result.of}, area {result.between:+.3f} ({unit})"
    return (
        f"**Guided search**, an order without values: up to {GUIDED_RUNS} runs among the words that integrated DecompX "
        f"puts first. {f'Here {here}. ' if result.testable else ''}Over {guided['n']} sentences of {figures['data']} "
        f"it had an AOPC of {guided['aopc']:.3f} with {figures['model']}, integrated DecompX alone "
        f"{leading['aopc']:.3f}."
    )


def _table(
    counts: Sequence[int], own: FloatArray, random: FloatArray | None, searches: Mapping[str, Searched | None]
) -> pd.DataFrame:
    columns = {"words_taken_away": counts, "this_order": own}
    columns |= {name: found.curve for name, found in searches.items() if found is not None}
    for index, curve in enumerate([] if random is None else random):
        columns[f"random_{index}"] = curve
    return pd.DataFrame(columns)
