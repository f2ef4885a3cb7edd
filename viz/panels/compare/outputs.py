"""What the models say of both, and how alike the texts are as vectors: numbers side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from encoder.comparison.compare import Comparison
from encoder.runs.trace import Prediction
from viz.panels.compare.choice import Sides
from viz.panels.download import csv_button
from viz.wording.labels import state_names

Row = tuple[str, float | None, float | None]
DECIMALS = 3  # on the page; the file has all of them
FIRST_COLUMN = 110  # pixels, for "embeddings"


def show_outputs(found: Comparison, sides: Sides) -> None:
    """Two tables: predictions, and cosines by layer."""
    st.markdown("### Predictions")
    _show(_predictions(sides), "predictions", instead="Neither model has a prediction head.")
    st.markdown("### Cosines")
    _show(_cosines(found), "cosines", instead="States of two models have no common axes, and no cosine.")


def _show(table: pd.DataFrame | None, name: str, *, instead: str) -> None:
    if table is None:
        st.caption(instead)
        return
    first, *numbers = table.columns
    columns = {first: st.column_config.TextColumn(width=FIRST_COLUMN)}
    columns |= {column: st.column_config.NumberColumn(format=f"%.{DECIMALS}f") for column in numbers}
    shown = table.copy()
    shown[numbers] = table[numbers].round(DECIMALS) + 0.0  # the browser would write -0.0001 as "-0.000", and -0 so too
    st.dataframe(shown, hide_index=True, column_config=columns, key=f"compare_{name}")
    csv_button(lambda: table, name=f"compare-{name}", key=f"compare_{name}_csv")


def _predictions(sides: Sides) -> pd.DataFrame | None:
    """A row for each class and for the score; None where neither run has a prediction."""
    first, second = (_named(run.prediction) for run in (sides.a, sides.b))
    names = list(dict.fromkeys([*first, *second]))
    if not names:
        return None
    rows: list[Row] = [(name, first.get(name), second.get(name)) for name in names]
    table = pd.DataFrame(rows, columns=["prediction", *sides.names])
    table["difference"] = table[sides.names[1]] - table[sides.names[0]]
    return table


def _named(prediction: Prediction | None) -> dict[str, float]:
    """The probabilities and the score of a prediction, by name."""
    if prediction is None:
        return {}
    untrained = "" if prediction.trained else " (UNTRAINED)"
    values: Sequence[float] = [] if prediction.probabilities is None else prediction.probabilities.tolist()
    labels = prediction.labels if values else ()
    found = {f"{label}{untrained}": value for label, value in zip(labels, values, strict=True)}
    return found if prediction.score is None else found | {f"score{untrained}": prediction.score}


def _cosines(found: Comparison) -> pd.DataFrame | None:
    """A row for each state: of the texts' mean states, and of shared words; None where states have no common axes."""
    if found.text_cosines is None:
        return None
    columns = {"after": state_names(len(found.text_cosines)), "texts": found.text_cosines}
    if found.words is not None:
        distances = found.words.by_state  # (L + 1, W)
        columns |= {"shared words, mean": 1 - distances.mean(1), "shared words, least": 1 - distances.max(1)}
    return pd.DataFrame({name: np.asarray(values) for name, values in columns.items()})
