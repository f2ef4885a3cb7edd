"""What silencing each head does to a number that the model puts out for A, and to that for B."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from encoder.attribution.patching_estimates import agreement
from encoder.attribution.questions import OutputKind
from encoder.errors import ArgumentError, SelectionError
from encoder.runs.arrays import FloatArray
from viz.caches import estimate_cache
from viz.caches.run_cache import cached_job, cached_with_model
from viz.figures.labels import plotly_text
from viz.panels.compare.choice import Sides
from viz.panels.head_maps import HeadMap, show_head_maps
from viz.panels.jobs import follow
from viz.panels.tables import head_columns, show_table
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown, shorten
from viz.wording.numbers import written

LONGEST_NAME = 36  # characters of the number beside the colours
NUMBER_FORMATS: dict[OutputKind, str] = {"class": "+.2f", "score": "+.3f", "similarity": "+.3f"}
LETTERS = ("A", "B")


def show_silenced_heads(sides: Sides, texts: tuple[str, str], number: OutputKind, selection: Selection) -> None:
    """A map for each text: estimates, which exact values replace, and how alike both order the heads."""
    st.markdown("### What does silencing each head do?")
    name = sides.b.model_name
    try:
        names = estimate_cache.number_of_texts(name, number, *texts).names
        estimates = cached_with_model(estimate_cache.silencing_estimates_of_texts, name, number, *texts)
    except (ArgumentError, SelectionError) as error:
        st.caption(escape_markdown(str(error)))
        return
    number_names = escape_markdown(" and ".join(dict.fromkeys(names)))
    picture = st.container()
    exact = follow(
        cached_job(estimate_cache.silencing_effects_on_texts, name, number, *texts),
        name,
        tokens=(1 + estimates[0].size) * (len(sides.a.tokens) + len(sides.b.tokens)),
        what="Every head silenced",
        key="compare_silencing",
    )
    with picture:
        show_head_maps(
            _maps(names, estimates if exact is None else exact, is_exact=exact is not None),
            selection,
            number_format=NUMBER_FORMATS[number],
            signed=True,
            figures="silenced-heads",
            view="compare",
        )
        st.caption(_trust(estimates, exact))
        st.caption(
            f"A tile says by how much the number of a text ({number_names}) changes when the head's output "
            "is replaced by zero there. A click chooses a head. A silenced head puts the model into a state it was "
            "never trained in, and heads can stand in for each other."
        )
    show_table(
        lambda: _table(estimates, exact),
        title="The heads' effects as a table",
        name="silenced heads",
        key="compare_silencing_table",
    )


def _maps(names: Sequence[str], effects: Sequence[FloatArray], *, is_exact: bool) -> list[HeadMap]:
    what = "change" if is_exact else "estimate"
    return [
        HeadMap(
            title=f"In {letter}",
            letter=letter,
            effects=of_text,
            name=f"{what}, {plotly_text(shorten(name, LONGEST_NAME))}",
            marks=np.zeros(of_text.shape, dtype=bool),
        )
        for letter, name, of_text in zip(LETTERS, names, effects, strict=True)
    ]


def _trust(estimates: Sequence[FloatArray], exact: Sequence[FloatArray] | None) -> str:
    if exact is None:
        return "An estimate from gradients, until the heads are silenced one by one."
    if estimates[0].size < 2:
        return "These are exact."  # one head has no order
    said = [
        f"{written(agreement(*both), '.2f')} in {letter}"
        for letter, both in zip(LETTERS, zip(estimates, exact, strict=True), strict=True)
    ]
    return (
        "These are exact. One backward pass for each text estimated them; rank correlation of the heads that can "
        f"change anything: {', '.join(said)}."
    )


def _table(estimates: Sequence[FloatArray], exact: Sequence[FloatArray] | None) -> pd.DataFrame:
    tables = []
    for index, letter in enumerate(LETTERS):
        columns = head_columns(estimates[index].shape) | {"estimated_change": estimates[index].ravel()}
        if exact is not None:
            columns["exact_change"] = exact[index].ravel()
        tables.append(pd.DataFrame({"sentence": letter} | columns))
    return pd.concat(tables)
