"""A token's state in one text is substituted for the same token's state in another. Exact values replace estimates."""

from __future__ import annotations

import numpy as np

from encoder.attribution.patching_estimates import agreement
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Chart, Columns, Sentence, Table
from viz.figures.patching import patched_token_map
from viz.wording.labels import make_visible, numbered, state_names
from viz.wording.numbers import written


def patched_tokens(
    a: Trace, b: Trace, estimates: FloatArray, exact: FloatArray | None, *, unit: str, what: str
) -> Answer:
    """A map of all tokens at all layers, how far it can be trusted, its meaning, and its numbers.

    Args:
        a, b: the run that states are taken from, and the run that they are patched into.
        estimates: (L + 1, T) from gradients.
        exact: (L + 1, T) measured; None while it is computed.
        unit: of the numbers, escaped for Plotly.
        what: what one cell says, in full sentences, as Markdown.
    """
    pairs = zip(*(map(make_visible, run.tokens.labels) for run in (a, b)), strict=True)
    labels = [own if own == other else f"{other} → {own}" for other, own in pairs]
    trust = (
        "An estimate from the gradients in A and in B."
        if exact is None
        else "These are exact. Two backward passes estimated them; rank correlation where a patch can change "
        f"anything: {written(agreement(estimates, exact), '.2f')}."
    )
    chart = Chart(
        name="patched-tokens",
        alt=f"What patching each of {len(labels)} tokens changes: layers downward, tokens across.",
        figure=lambda theme: patched_token_map(estimates if exact is None else exact, labels, unit=unit, theme=theme),
        width="figure",
    )
    table = Table(
        name="patched-tokens",
        title="The map as a table",
        columns=lambda: _columns(estimates, exact, labels),
    )
    return Answer((chart, Sentence(trust, "caption"), Sentence(what, "caption"), table))


def _columns(estimates: FloatArray, exact: FloatArray | None, labels: list[str]) -> Columns:
    state, token = (axis.ravel().tolist() for axis in np.indices(estimates.shape))
    names, tokens = state_names(len(estimates)), numbered(labels)
    columns: Columns = {
        "entry": [names[index] for index in state],
        "token": [tokens[index] for index in token],
        "estimated_change": estimates.ravel(),
    }
    return columns if exact is None else {**columns, "exact_change": exact.ravel()}
