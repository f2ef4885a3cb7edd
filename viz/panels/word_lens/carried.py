"""Picture 5: the word's state in A, put in place of the one in B."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder.errors import SelectionError
from encoder.experiments.patching import Patching
from encoder.shipped.labels import TAGS
from viz import cache
from viz.figures.patching import patched_belief, patching_lines
from viz.labels import verbatim
from viz.panels.common import Reading, theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.parts import chart, entries, finish, heading


def carried(a: Occurrence, b: Occurrence) -> None:
    """What becomes of B's word with A's state, by the layer after which the state was put in place."""
    line = heading(5, f"“{a.name}” from A, put into B")
    try:
        patching = cache.patching(a.trace.model_name, (a.text, a.at), (b.text, b.at))
    except SelectionError as error:
        st.info(verbatim(str(error)))
        return
    from_entry = patching.travels_from
    lines = patching_lines(patching.to_a, patching.to_b, travels_from=from_entry, theme=theme())
    if patching.probabilities is None or patching.own_a is None or patching.own_b is None:
        chart(lines, "patching")
    else:
        left, right = st.columns(2, gap="medium")
        with left:
            chart(lines, "patching")
        with right:
            shown = list(dict.fromkeys((int(patching.own_a.argmax()), int(patching.own_b.argmax()))))
            chart(patched_belief(patching.probabilities, TAGS, shown=shown, theme=theme()), "patching-belief")
    st.markdown(_verdict(patching))
    if patching.averaged:
        st.caption("The word has another number of pieces in A than in B: the mean over A's pieces went into each.")
    finish(
        line,
        Reading(
            "At each place of the axis, B is run once with the word's state replaced by the one that A has there, and "
            "the layers after it work on. Left: how near the word's final vector comes to the one it has in A, and to "
            "its own in B. Right: what the last layer's probe says of it, for the likeliest class of A and of B.",
            "The rest of B stays as it was, so that the layers after it get a mixture that no sentence gives; that the "
            "vector travels does not show that its meaning does.",
        ),
        lambda: _table(patching),
        "patching",
    )


def _verdict(patching: Patching) -> str:
    entry = patching.travels_from
    if entry is None:
        return "**A's state does not prevail**: even put in place at the end, B's word stays nearer to its own vector."
    if entry == 0:
        return (
            "**A's state prevails from the embeddings on**: wherever it is put in place, the word ends up nearer to "
            "its vector in A."
        )
    return (
        f"**From L{entry - 1} on the vector travels with the word**: put in place after it or later, the word ends up "
        "nearer to its vector in A than to the one in B. Before, B's other words draw it back."
    )


def _table(patching: Patching) -> pd.DataFrame:
    table = pd.DataFrame(
        {"entry": entries(len(patching.to_a)), "cosine_to_a": patching.to_a, "cosine_to_b": patching.to_b}
    )
    if patching.probabilities is not None:
        table[list(TAGS)] = patching.probabilities
    return table
