"""Compare: where two runs differ, in attention, in the states of words, and in what the model says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder import Trace
from encoder.attribution.questions import OutputKind
from encoder.comparison.compare import Comparison, HeadDifferences, WordDifferences
from encoder.errors import HeadlightError, NotFiniteError
from viz.answers.answer import Answer
from viz.caches.steps import result_of
from viz.state import session
from viz.state.selection import DEFAULT, Selection
from viz.views.compare.answer import differences as answers
from viz.views.compare.answer.carriers import number_of
from viz.views.compare.answer.sides import Sides
from viz.views.compare.steps import carriers, compared, small_differences
from viz.views.compare.widgets.choice import (
    choose_matching,
    choose_sides,
    offer_minimal_pairs,
    open_other_model,
    run_sides,
)
from viz.views.compare.widgets.one_head import show_difference, show_lines
from viz.widgets import change_button, choice
from viz.widgets.answer import show_answer
from viz.widgets.first_answer import let_paint
from viz.widgets.folds import Fold, show_folds
from viz.widgets.heads import head_button
from viz.widgets.recipe import show_recipe
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown

NUMBERS: Final[Mapping[OutputKind, str]] = {"class": "Class", "score": "Score", "similarity": "Similarity of A and B"}
LISTED: Final = 8  # heads or words
HEAD_NAME: Final = 64  # pixels of "L11 H11"
STAGE_WIDTH: Final = 700  # pixels of a line of aligned words before an audience
TALLEST: Final = 440  # pixels, beyond which aligned words scroll


def compare(traces: Mapping[str, Trace], selection: Selection, *_: object) -> Explanation | None:
    """The choice of two runs, the heads that differ most, and folds; a sentence says what is missing.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
    """
    place: DeltaGenerator | None = None
    try:
        place = choose_sides(traces, selection)
        if not open_other_model(selection):
            return None
        sides = run_sides(traces, selection)
    except NotFiniteError:
        raise
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        if place is not None and selection.compare.kind == "texts":
            offer_minimal_pairs(place)
        return None
    if place is not None and selection.compare.kind == "models":
        choose_matching(place, sides)
    with st.spinner("Comparing …"):
        found = result_of(compared(sides, selection), sides.a.model_name)
    line_width = STAGE_WIDTH if selection.stage else answers.LINE_WIDTH
    words = answers.words_side_by_side(found, sides, line_width=line_width)
    heights = [min(chart.least_height, TALLEST) for chart in words.charts]
    _show(answers.introduction(found, sides))
    heads = None if found.is_without_difference else found.heads
    if heads is not None:
        _show(answers.short_answer(found, sides, heads))
    room = st.container(height=heights[0], border=False) if heights else st.container()
    if heads is not None:
        _show_largest(found, sides, selection)
    with room:  # after the difference, which users wait for: a browser renders one chart after another
        _show(words)
    if place is not None and selection.compare.kind == "texts":
        offer_minimal_pairs(place)
    if not found.is_without_difference:
        show_folds([*_folds(found, sides, selection)], view="compare")
    return answers.EXPLANATION


def _show(answer: Answer) -> None:
    show_answer(answer, view="compare")


def _show_largest(found: Comparison, sides: Sides, selection: Selection) -> None:
    """Buttons of the heads that differ most, and the difference of one of them."""
    if found.is_without_different_heads:
        return
    if not selection.stage:
        with st.container(horizontal=True, gap="small"):
            for layer, head in found.largest_heads(answers.NAMED_HEADS):
                change_button(
                    f"Layer {layer}, head {head}",
                    {"layer": layer, "head": head},
                    key=f"compare_largest_{layer}_{head}",
                    type="primary" if (layer, head) == answers.shown_head(found, selection) else "secondary",
                )
    show_difference(found, sides, selection, *answers.shown_head(found, selection), view="compare")
    let_paint((selection.model, selection.texts, selection.compare, selection.word_lens.silenced), key="compare")


def _folds(found: Comparison, sides: Sides, selection: Selection) -> Iterator[Fold]:
    if found.heads is not None:
        is_chosen = (selection.layer, selection.head) not in (
            answers.shown_head(found, selection),
            (DEFAULT.place.layer, min(DEFAULT.place.head, sides.a.num_heads - 1)),
        )
        yield Fold(
            name="heads",
            title="Every head, and the chosen one",
            show=partial(_show_heads, found, found.heads, sides, selection),
            pointed_at=is_chosen,
        )
        yield Fold(
            name="all_heads",
            title=escape_markdown(answers.title_of_pictures(sides)),
            show=partial(_show_pictures, found, found.heads, sides, selection),
        )
    yield Fold(
        name="outputs",
        title="Words, predictions and cosines",
        show=partial(_show_outputs, found, sides),
    )
    if sides.texts is not None:
        yield Fold(
            name="carriers",
            title="Which tokens and heads carry the difference?",
            show=partial(_show_carriers, sides, selection),
            pointed_at=selection.compare.number != DEFAULT.compare.number,
        )


def _show_heads(found: Comparison, heads: HeadDifferences, sides: Sides, selection: Selection) -> None:
    """The map, in which a click chooses a head, next to a list of those that differ most; and the chosen head."""
    left, right = st.columns((3, 2), gap="medium")
    with left:
        _show(answers.all_heads(heads, selection))
    with right, st.container(gap=None):
        for layer, head in found.largest_heads(LISTED):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                head_button(layer, head, key=f"compare_head_{layer}_{head}", width=HEAD_NAME)
                st.markdown(answers.head_in_numbers(heads, layer, head), width="content")
    _show(answers.all_heads_in_numbers(found, heads))
    chosen = selection.layer, selection.head
    if chosen != answers.shown_head(found, selection):
        show_difference(found, sides, selection, *chosen, view="compare_chosen")
    show_lines(found, sides, selection)


def _show_pictures(found: Comparison, heads: HeadDifferences, sides: Sides, selection: Selection) -> None:
    pictures = result_of(small_differences(found, sides, selection), sides.a.model_name)  # (L, H, G, G)
    _show(answers.pictures_of_heads(found, sides, heads, pictures, selection))


def _show_outputs(found: Comparison, sides: Sides) -> None:
    if found.heads is not None:
        _show_words(found, sides)
    _show(answers.outputs(found, sides))


def _show_words(found: Comparison, sides: Sides) -> None:
    _show(answers.words(found))
    if found.words is None:
        return
    with st.container(horizontal=True, gap="small"):
        for index in found.largest_words(LISTED):
            _show_word(found, found.words, index, can_open=sides.texts is not None)
    _show(answers.words_in_numbers(found, found.words))


def _show_word(found: Comparison, words: WordDifferences, index: int, *, can_open: bool) -> None:
    """A word with its numbers; of two texts, a button that opens it in the word lens."""
    name = escape_markdown(answers.word_in_list(found, index))
    numbers = answers.word_in_numbers(words, index)
    if not can_open:
        st.markdown(f"**{name}** {numbers}", width="content")
        return
    runs, alignment = found.runs, found.runs.alignment
    word_a, word_b = (
        run.tokens.word_ids[units.members[shared][0]]
        for run, units, shared in zip(
            (runs.a, runs.b), (alignment.a, alignment.b), alignment.shared_words[index], strict=True
        )
    )
    change_button(
        f"{name} {numbers}",
        {"view": "word lens", "at_a": word_a, "at_b": word_b},
        key=f"compare_word_{index}",
        help="Open the word lens at this word",
        type="tertiary",
    )


def _show_carriers(sides: Sides, selection: Selection) -> None:
    """Maps of estimates, which exact values replace, for two texts."""
    widgets = {"number": partial(_choose_number, sides, selection)}
    show_recipe(carriers(sides, selection), sides.b.model_name, view="compare", widgets=widgets)


def _choose_number(sides: Sides, selection: Selection) -> None:
    """The choice of the number whose difference is carried, if there is one."""
    number, kinds = number_of(sides, selection)
    if len(kinds) > 1:
        session.note_shown(compared_number=number)
        titles = {kind: NUMBERS[kind] for kind in kinds}
        choice("Number of the model", titles, field="compared_number", labelled=False, to_widget=lambda _: number)
