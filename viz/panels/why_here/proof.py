"""The proof: the largest term of each side removed from the run, beside random terms of like norm."""

from __future__ import annotations

import streamlit as st

from encoder import Trace
from encoder.attribution.score_removals import CONTROLS, RemovalTest
from encoder.attribution.score_terms import SIDES, ScoreTerms
from encoder.errors import ModelError, SelectionError
from viz.answers.verdicts import untrained_caveat
from viz.caches import experiment_cache
from viz.caches.memo import VALUES
from viz.figures.config import plot_config
from viz.figures.score_terms import weights_without
from viz.panels.common import fit_stage, theme
from viz.panels.why_here.cell import token_name
from viz.panels.why_here.terms import origin_name
from viz.wording.labels import escape_markdown
from viz.wording.numbers import written

MAX_TOKENS_UNASKED = 4_000  # tokens that are run without asking: about two seconds of BERT-base on two cores
ASKED = "why_here_asked"


def show_proof(trace: Trace, texts: tuple[str, str | None], terms: ScoreTerms, *, place: str) -> None:
    """What is left of the weight; a long text is run again after a click only."""
    st.markdown("#### The proof: the largest term removed from the run")
    runs = len(SIDES) * (1 + CONTROLS)
    asked = st.session_state.setdefault(ASKED, set())
    what = (trace.model_name, texts, terms.cell)
    if runs * len(trace.tokens) > MAX_TOKENS_UNASKED and what not in asked:
        st.button(
            f"Remove it (up to {runs} runs of the model)",
            key=f"why_here_prove_{place}",
            on_click=asked.add,
            args=[what],
        )
        return
    try:
        tests = VALUES.get(experiment_cache.removals, trace, terms.cell)
    except (SelectionError, ModelError) as error:
        st.info(escape_markdown(str(error)))
        return
    names = [f"{test.side}: without {_name(terms, test, test.largest.index)}" for test in tests]
    figure = weights_without(
        names,
        [test.largest.weight for test in tests],
        [[control.weight for control in test.controls] for test in tests],
        weight=terms.weight,
        theme=theme(),
    )
    fit_stage(figure)
    st.plotly_chart(figure, theme=None, config=plot_config("score-proof"), key=f"why_here_proof_{place}")
    for test in tests:
        st.markdown(f"{escape_markdown(verdict(trace, terms, test))} {untrained_caveat(trace.model_name)}".rstrip())
    st.caption(
        "Removed at this one token, where it was written: a head's output, a feed-forward block's output but for its "
        "bias, or one of the embeddings. Everything after it is run again, so norms, later heads and other tokens "
        "follow. A random term is another of the same token's, at most twice as long or as short; where there is none, "
        "the nearest in length."
    )


def verdict(trace: Trace, terms: ScoreTerms, test: RemovalTest) -> str:
    """What one removal did, and how it compares, in words."""
    largest, token = test.largest, token_name(trace, terms.cell.position(test.side))
    moves = "falls" if largest.score < terms.score else "rises"
    text = (
        f"Without {_name(terms, test, largest.index)} at the {test.side} {token}, the score {moves} from "
        f"{written(terms.score, '+.2f')} to {written(largest.score, '+.2f')} (the term alone would leave "
        f"{written(largest.expected, '+.2f')}), and the weight goes from {terms.weight:.4f} to {largest.weight:.4f}."
    )
    weights = [control.weight for control in test.controls]
    if not weights:
        return f"{text} This state has no other part to compare with."
    change = abs(largest.weight - terms.weight)
    beaten = sum(change > abs(weight - terms.weight) for weight in weights)
    if len(weights) == 1:
        size = "larger" if beaten else "no larger"
        return f"{text} Its change is {size} than that of the one term to compare with, which leaves {weights[0]:.4f}."
    return (
        f"{text} Its change is larger than those of {beaten} of {len(weights)} random terms of like norm, which leave "
        f"a weight of {min(weights):.4f} to {max(weights):.4f}."
    )


def _name(terms: ScoreTerms, test: RemovalTest, index: int) -> str:
    name = origin_name(terms.side(test.side).origins[index])
    return name if name.startswith("L") else f"the {name}"
