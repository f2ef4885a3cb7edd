"""Compare: where two runs differ, in attention, in the states of words, and in what the model says."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Trace
from encoder.comparison.compare import SAME, Comparison
from encoder.comparison.compare import compare as compare_runs
from encoder.errors import HeadlightError, NotFiniteError
from viz.answers.verdicts import untrained_caveat
from viz.caches.memo import cached
from viz.panels.compare.aligned import show_alignment
from viz.panels.compare.all_heads import show_all_heads
from viz.panels.compare.carriers import show_carriers
from viz.panels.compare.choice import Sides, choose_sides
from viz.panels.compare.heads import show_heads
from viz.panels.compare.one_head import show_one_head
from viz.panels.compare.outputs import show_outputs
from viz.panels.compare.words import show_words
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown

EXPLANATION = Explanation(
    "Words that both texts have stand above each other, and only these are compared. Differences are the second run "
    "minus the first. A click on a head, or on its name in the list, shows its difference below.",
    "A head that differs is no cause: its attention may differ because its input does. Rows are left as they are, and "
    "what goes to words of one text alone is not counted. The controls say what permuting gives on these two texts, "
    "and nothing of other texts.",
)


def compare(traces: Mapping[str, Trace], selection: Selection, *_: object) -> Explanation | None:
    """The choice of two runs, their words side by side, and where they differ; what is missing is said in a sentence.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
    """
    try:
        sides = choose_sides(traces, selection)
    except NotFiniteError:
        raise
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return None
    with st.spinner("Comparing …"):
        found = cached(compare_runs, sides.a, sides.b, special=selection.special, measure=sides.measure)
    caveat = untrained_caveat(sides.a.model_name, sides.b.model_name)
    if caveat:
        st.warning(caveat)
    draw_words = show_alignment(found, sides, selection)
    if found.heads is not None and not found.is_without_difference:
        show_heads(found, found.heads, sides, selection)
    draw_words()
    if found.is_without_difference:
        st.info(
            f"**No difference.** Both runs have the same words, and to within {SAME} the same attention and states."
        )
        return EXPLANATION
    _show_differences(found, sides, selection)
    show_outputs(found, sides)
    show_carriers(sides, selection)
    return EXPLANATION


def _show_differences(found: Comparison, sides: Sides, selection: Selection) -> None:
    if not found.runs.alignment.shared:
        st.info("The two texts share no word, so that neither heads nor words can be compared.")
        return
    if found.heads is None:
        first, second = (f"{run.num_layers} layers × {run.num_heads} heads" for run in (sides.a, sides.b))
        st.info(
            f"Heads are not comparable: the models have {first} and {second}, so that no head has a counterpart. Words "
            "are compared below."
        )
    else:
        show_one_head(found, sides, selection)
        show_all_heads(found, found.heads, sides, selection)
    show_words(found, selection)
