"""One head from the inside: query, keys, their product, score and weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from encoder import Trace
from encoder.errors import NotCapturedError
from encoder.measures.unit_attention import MEAN, shown_attention
from encoder.measures.units import Special, units_of
from viz import cache
from viz.components import neuron_view as component
from viz.components.store import store
from viz.panels.common import (
    NEURON_DOES_NOT_SHOW,
    NEURON_HOW_TO_READ,
    Explanation,
    head_name,
    on_selection,
    show_removed_attention,
    shown_units,
    view_data,
)
from viz.panels.download import csv_button, file_name, numbered
from viz.state.selection import Selection


def neuron_view(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """How the selected head comes to the weights of one query token."""
    if selection.head == MEAN:
        st.info("A mean over heads has no queries and keys of its own: choose one head.")
        return None
    if shown_units(trace, selection) is None:
        return None
    layer, head = selection.layer, selection.head
    try:
        message = cache.head_message(trace, layer=layer, head=head)
    except NotCapturedError as error:
        st.info(str(error))
        return None
    key = f"neuron_view_{place}"
    store(message, key=f"store_{key}")
    data = view_data(selection, key=key, place=place)
    component.neuron_view(data, message=message, special=selection.special, key=key, on_selection=on_selection(key))
    if selection.level == "words":
        st.caption("Queries and keys belong to wordpieces, so this view shows wordpieces where others show words.")
    query, keys = _shown(trace, data["selection"], selection.special)
    if query is not None and keys:
        csv_button(
            lambda: _table(trace, selection, query, keys),
            name=file_name(f"neurons-{head_name(selection)}-query-{query}", place),
            key=f"neuron_csv_{place}",
        )
    if selection.special != "show":
        _, removed = cache.layer_message(trace, layer=layer, level="wordpieces", special=selection.special)  # (H, U)
        show_removed_attention(removed[head], selection)
    return Explanation(NEURON_HOW_TO_READ, NEURON_DOES_NOT_SHOW)


def _shown(trace: Trace, shared: Mapping[str, Any], special: Special) -> tuple[int | None, list[int]]:
    """The query whose numbers the view shows, and the positions of its keys; as in `maths.mjs`, `chosenQuery`.

    Args:
        shared: what the view is told of the page's selection.
    """
    tokens = trace.tokens
    positions = [members[0] for members in units_of(tokens, special=special).members]
    queries = keys = positions
    if shared["sentences"] != "all" and tokens.sentence_b_start is not None:
        queries, keys = (
            [position for position in positions if (position >= tokens.sentence_b_start) == (letter == "B")]
            for letter in shared["sentences"].split("→")
        )
    if shared["query"] in queries:
        return shared["query"], keys
    words = [position for position in queries if not tokens.special[position]]
    return next(iter(words + queries), None), keys


def _table(trace: Trace, selection: Selection, query: int, keys: list[int]) -> pd.DataFrame:
    """A row for each key: the weight, what it follows from, and query, key and product in every dimension."""
    layer, head = selection.layer, selection.head
    units = units_of(trace.tokens, special=selection.special)
    rows = [units.members.index((key,)) for key in keys]
    weights = shown_attention(trace.weights(layer)[head], units, selection.special)[0]  # (U, U)
    of_query, of_keys = trace.queries(layer)[head][query], trace.keys(layer)[head][keys]  # (K,), (n, K)
    products = of_query * of_keys  # (n, K)
    names = numbered(trace.tokens.labels)
    table = pd.DataFrame(
        {
            "query (from)": names[query],
            "key (to)": [names[key] for key in keys],
            "weight": weights[units.members.index((query,))][rows],
            "score": trace.scores(layer)[head][query][keys],
            "q · k": products.sum(axis=1),
        }
    )
    dimensions = range(len(of_query))
    vectors = {"q": np.broadcast_to(of_query, products.shape), "k": of_keys, "q × k": products}
    blocks = [pd.DataFrame(block, columns=[f"{name} {at}" for at in dimensions]) for name, block in vectors.items()]
    return pd.concat([table, *blocks], axis=1)
