"""The words of a text, coloured by what they add, their sum in words, and the same as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from encoder.attribution.explaining import WordValues
from encoder.attribution.orders import largest_first
from encoder.attribution.questions import Question
from encoder.attribution.removals import PERMUTATIONS
from encoder.attribution.target import Target
from encoder.measures.units import Level, Units, units_of
from encoder.runs.arrays import FloatArray
from viz.caches import explaining_cache
from viz.caches.memo import VALUES
from viz.caches.run_cache import cached_job
from viz.figures.config import plot_config
from viz.figures.word_values import word_picture
from viz.panels.common import fit_stage, tell_unknown, theme
from viz.panels.first_answer import let_paint
from viz.panels.jobs import follow
from viz.panels.tables import show_table
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown, make_visible, numbered, shorten
from viz.wording.numbers import written

WIDTH, STAGE_WIDTH = 600, 700  # pixels of a line of words
LONGEST_NAME = 40  # characters of a word in the heading
SMALLEST_ERROR = 0.001  # that is written as a number
LARGEST_SHARE = 0.1  # of the total that a completeness error may have without a warning


def show_words(model_name: str, question: Question, number: Target, selection: Selection) -> WordValues | None:
    """The words and their sum; None as long as the method works on.

    Raises:
        HeadlightError: the method does not apply to this model, or to this number.
    """
    st.markdown(f"### {escape_markdown(title_in_words(question, number))}")
    level, removal, method = selection.level, selection.why.removal, selection.why.method
    if method == "shapley":
        job = cached_job(explaining_cache.shapley, model_name, question, level, removal)
        tokens = len(number.tokens)
        found = follow(job, model_name, tokens=PERMUTATIONS * tokens * tokens, what="Shapley values", key="why_shapley")
    else:
        found = VALUES.get(explaining_cache.word_values, model_name, question, method, level, removal)
    if found is None:
        return None
    units = units_of(number.tokens, level=level, special="hide")
    values = _of_all_units(units, found)
    removed = largest_first(np.nan_to_num(values, nan=-np.inf))[: min(selection.why.removed, len(found.units))]
    width = STAGE_WIDTH if selection.stage else WIDTH
    figure = word_picture(values, units.labels, unit=found.unit, theme=theme(), width=width, removed=removed)
    fit_stage(figure)
    st.plotly_chart(figure, theme=None, config=plot_config("why"), key="why_words")
    let_paint((model_name, question, method, level), key="why")
    st.markdown(sum_in_words(found))
    tell_unknown([number.tokens])
    return found


def show_words_as_table(number: Target, found: WordValues, level: Level) -> None:
    """The same numbers as a table; the word that is asked about has none."""
    units = units_of(number.tokens, level=level, special="hide")
    values = _of_all_units(units, found)
    table = pd.DataFrame({"word": numbered(units.labels), "adds": values, "unit": found.unit})
    show_table(lambda: table, title="The words as a table", name="why", key="why_table")


def title_in_words(question: Question, number: Target) -> str:
    """Which number is split."""
    label, against = number.label, number.against
    rather = f"“{label}” rather than “{against}”" if against else f"“{label}”" if label else ""
    if question.kind == "class":
        return rather
    if question.kind == "score":
        return "The score"
    if question.kind == "similarity":
        return "How similar A and B are: the cosine of their mean last states, each sentence encoded alone"
    name = shorten(make_visible(number.tokens.words[question.word]), LONGEST_NAME)
    word = f"“{name}” after L{question.layer}"
    if question.kind == "part of speech":
        return f"{word}, {rather}: what its context adds"
    where = "what its context adds, each sentence encoded alone"
    return f"How far {word} is from the same word in the other sentence: {where}"


def shown_in_words(number: Target) -> str:
    """The number that words are taken away from, with what it is held against."""
    label, against = (shorten(make_visible(name), LONGEST_NAME) for name in (number.label, number.against))
    if not number.label:
        return number.unit
    return f"{number.unit} of “{label}”" + (f" when only “{label}” and “{against}” are compared" if against else "")


def sum_in_words(found: WordValues) -> str:
    """What the words add up to, as Markdown."""
    error = found.completeness_error
    if found.baseline is None or error is None:
        return (
            f"**Total {written(found.total, '.2f')}** {found.unit}. Each word stands for what is lost without it "
            "alone: these values need not sum to anything."
        )
    # The terms are rounded before they are added, so that a reader who adds them gets the same.
    baseline, words, framing = (round(value, 3) for value in (found.baseline, float(found.values.sum()), found.framing))
    special = f", special tokens **{written(framing, '+.3f')}**" if framing else ""
    return (
        f"Baseline **{written(baseline, '+.3f')}**, words **{written(words, '+.3f')}**{special}: together "
        f"**{written(baseline + words + framing, '+.3f')}**. The model's total is "
        f"**{written(found.total, '+.3f')}** {found.unit}; completeness error {_error_in_words(error, found.total)}"
    )


def _error_in_words(error: float, total: float) -> str:
    """A completeness error, with a warning where it is a large share of the total."""
    if error < SMALLEST_ERROR:
        return f"below {SMALLEST_ERROR}."
    if error <= LARGEST_SHARE * abs(total):
        return f"{error:.3f}."
    if error > abs(total):
        return f"{error:.3f}. **The values miss the total by more than the total itself: do not read their sizes.**"
    share = error / abs(total)
    return f"{error:.3f}. **The values miss the total by {share:.0%} of it: do not rely on their sizes.**"


def _of_all_units(units: Units, found: WordValues) -> FloatArray:
    """(U,) values of all units of the text; NaN for the word that is asked about."""
    values = np.full(len(units), np.nan, np.float32)
    values[[units.members.index(unit) for unit in found.units]] = found.values
    return values
