"""One head from the inside: query, keys, their product, score and weight."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from encoder import Trace
from encoder.errors import NotCapturedError
from encoder.measures.unit_attention import MEAN, attention_of_head
from encoder.measures.units import units_of
from viz.answers.strongest_link import shared_word_positions
from viz.caches import message_cache, run_cache
from viz.caches.memo import cached
from viz.components import neuron_view as component
from viz.payloads.message import Message
from viz.payloads.runs import numbers_of
from viz.state.selection import Selection, texts_in
from viz.tours.places import LETTERS
from viz.widgets.canvas import view_data
from viz.widgets.heads import selected_head_name
from viz.widgets.tables import csv_button, file_name, label_of_csv
from viz.widgets.units import shown_units
from viz.wording.explanations import NEURON_VIEW, Explanation
from viz.wording.labels import numbered


def neuron_view(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """How the selected head comes to the weights of one query token."""
    if shown_units(trace, selection) is None:
        return None
    try:
        trace.queries(0)
    except NotCapturedError as error:
        st.info(str(error))
        return None
    run = message_cache.neurons_id(trace, special=selection.special)
    data = view_data(selection, place=place) | {"first_queries": _first_queries(trace, selection, place)}
    component.neuron_view(data, run=run, layers=trace.num_layers, key=f"neuron_view_{place}")
    if selection.level == "words":
        st.caption("Queries and keys belong to wordpieces, so this view shows wordpieces although words are chosen.")
    return NEURON_VIEW


def neurons_of_layers(trace: Trace, selection: Selection, layers: tuple[int, ...]) -> Message | None:
    """The queries and keys of some layers; None where the model does not return them."""
    try:
        return cached(message_cache.neurons_message, trace, layers=layers, special=selection.special)
    except NotCapturedError:
        return None


def neuron_csv(trace: Trace, selection: Selection, *, place: str) -> None:
    """A button that saves the numbers of the view, for the head and the query that are selected now."""
    if selection.head == MEAN or not len(run_cache.units(trace, level=selection.level, special=selection.special)):
        return
    query, keys = _shown(trace, selection, place)
    if query is None or not keys or trace.layers[selection.layer].query is None:
        return
    again = run_cache.same_run(trace, first=selection.first)
    csv_button(
        lambda: _table(again(), selection, query, keys),
        name=file_name(f"neurons-{selected_head_name(selection)}-query-{query}", place),
        key=f"neuron_csv_{place}",
        label=label_of_csv(place),
    )


def _shown(trace: Trace, selection: Selection, place: str) -> tuple[int | None, list[int]]:
    """The query whose numbers the view shows, and the positions of its keys; as in `maths.mjs`, `chosenQuery`."""
    tokens, pins = trace.tokens, selection.place.pins
    positions = [members[0] for members in units_of(tokens, special=selection.special).members]
    queries = keys = positions
    if selection.sentences != "all" and tokens.sentence_b_start is not None:
        queries, keys = (
            [position for position in positions if (position >= tokens.sentence_b_start) == (letter == "B")]
            for letter in selection.sentences.split("→")
        )
    pinned = [pins.query] if pins.query is not None and pins.run in texts_in(place) else []
    preferred = [*pinned, *_first_queries(trace, selection, place)]
    words = [position for position in queries if not tokens.special[position]]
    return next((position for position in (*preferred, *words, *queries) if position in queries), None), keys


def _first_queries(trace: Trace, selection: Selection, place: str) -> list[int]:
    """Where the word that the sentences share begins in a run."""
    places = ("pair",) if len(selection.runs) == 1 else LETTERS
    traces = {
        each: trace if each == place else run_cache.trace(trace.model_name, *texts).excerpt(selection.first)
        for each, texts in zip(places, selection.runs, strict=True)
    }
    return shared_word_positions(traces, selection).get(place, [])


def _table(trace: Trace, selection: Selection, query: int, keys: list[int]) -> pd.DataFrame:
    """A row for each key: the weight, what it follows from, and query, key and product in every dimension."""
    layer, head = selection.layer, selection.head
    units = units_of(trace.tokens, special=selection.special)
    rows = [units.members.index((key,)) for key in keys]
    weights = attention_of_head(trace, layer, head, units, selection.special)[0]  # (U, U)
    of_query, of_keys = trace.queries(layer)[head][query], trace.keys(layer)[head][keys]  # (K,), (n, K)
    products = of_query * of_keys  # (n, K)
    names = numbered(trace.tokens.labels, numbers_of(trace, units_of(trace.tokens)))
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
    blocks = [pd.DataFrame(block, columns=[f"{name} {axis}" for axis in dimensions]) for name, block in vectors.items()]
    return pd.concat([table, *blocks], axis=1)
