"""Picture 5: the word's state in A, put in place of the one in B."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder.errors import SelectionError
from encoder.experiments.patching import Patching
from encoder.models.labels import TAGS
from viz.caches import experiment_cache
from viz.caches.run_cache import cached_with_model
from viz.figures.patching import patched_probability_lines, patching_lines
from viz.panels.common import theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.layout import chart, heading, show_explanation_and_csv
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, state_names


def show_patching(a: Occurrence, b: Occurrence) -> None:
    """B's final vector when A's state is put in place after one of the layers."""
    line = heading(5, f"“{a.name}” from A, put into B")
    try:
        patching = cached_with_model(
            experiment_cache.patching, a.trace.model_name, (a.text, a.word_index), (b.text, b.word_index)
        )
    except SelectionError as error:
        st.info(escape_markdown(str(error)))
        return
    first_state = patching.first_state_nearer_to_a
    lines = patching_lines(patching.to_a, patching.to_b, first_state_nearer_to_a=first_state, theme=theme())
    if patching.probabilities is None or patching.unpatched_a is None or patching.unpatched_b is None:
        chart(lines, "patching")
    else:
        left, right = st.columns(2, gap="medium")
        with left:
            chart(lines, "patching")
        with right:
            shown = list(dict.fromkeys((int(patching.unpatched_a.argmax()), int(patching.unpatched_b.argmax()))))
            chart(
                patched_probability_lines(patching.probabilities, TAGS, shown=shown, theme=theme()), "patching-belief"
            )
    st.markdown(_verdict(patching))
    if patching.averaged:
        st.caption("The word has another number of pieces in A than in B: the mean over A's pieces went into each.")
    show_explanation_and_csv(
        line,
        Explanation(
            "At each place of the axis, B is run once with the word's state replaced by the one that A has there, and "
            "the layers after it work on. Left: how near the word's final vector comes to the one it has in A, and to "
            "its own in B. Right: what the last layer's probe says of it, for the likeliest class of A and of B.",
            "The rest of B stays as it was, so the later layers get a mixture that no sentence gives. That the vector "
            "ends near A's does not show that its meaning does.",
        ),
        lambda: _table(patching),
        "patching",
    )


def _verdict(patching: Patching) -> str:
    if patching.has_no_shift:
        return "**There is nothing to carry over**: the word's final vectors in A and in B point the same way."
    state_index = patching.first_state_nearer_to_a
    if state_index is None:
        return "**A's state does not prevail**: even replaced at the end, B's word stays nearer to its own vector."
    if state_index == 0:
        return (
            "**A's state prevails from the embeddings on**: wherever it is put in place, the word ends up nearer to "
            "its vector in A."
        )
    return (
        f"**From L{state_index - 1} on A's state prevails**: replaced there or later, the word ends nearer to its "
        "vector in A than to the one in B. Replaced earlier, B's other words pull it back."
    )


def _table(patching: Patching) -> pd.DataFrame:
    table = pd.DataFrame(
        {"entry": state_names(len(patching.to_a)), "cosine_to_a": patching.to_a, "cosine_to_b": patching.to_b}
    )
    if patching.probabilities is not None:
        table[list(TAGS)] = patching.probabilities
    return table
