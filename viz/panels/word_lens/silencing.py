"""Several heads silenced together: the changes of the prediction, the probe and the word's vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from encoder import Backend
from encoder.measures.similarity import cosines_by_layer
from encoder.measures.units import occurrence_states
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction, Trace
from encoder.shipped.probes import has_probes, word_classes
from viz.caches.run_cache import cached_with_model
from viz.panels.word_lens.choice import Occurrence
from viz.state.selection import Selection


def silenced_traces(occurrences: Sequence[Occurrence], selection: Selection) -> dict[str, Trace]:
    """The same runs with the chosen heads silenced, by sentence; none where no head is chosen.

    Raises:
        SelectionError: the model's heads cannot be silenced.
    """
    silenced = selection.word_lens.silenced
    if not silenced:
        return {}
    return {
        each.letter: cached_with_model(Backend.trace, each.trace.model_name, each.text, silenced_heads=silenced)
        for each in occurrences
    }


def show_silencing_table(occurrences: Sequence[Occurrence], silenced: Mapping[str, Trace]) -> None:
    """A table of what the silenced heads change."""
    if not silenced:
        return
    rows = []
    for each in occurrences:
        rows += _rows_of_sentence(each, silenced[each.letter])
    if len(occurrences) == 2:
        a, b = occurrences
        before, after = (
            _final_cosine([(traces[each.letter], each) for each in (a, b)])
            for traces in ({a.letter: a.trace, b.letter: b.trace}, silenced)
        )
        rows.append(("A and B", "cosine of the final vectors", before, after))
    table = pd.DataFrame(rows, columns=["sentence", "what", "all heads", "silenced"])
    table["change"] = table["silenced"] - table["all heads"]
    st.dataframe(table, hide_index=True, key="lens_together")


def _final_cosine(pair: Sequence[tuple[Trace, Occurrence]]) -> float:
    a, b = (occurrence_states(trace.hidden_states[-1:], each.positions) for trace, each in pair)
    return float(cosines_by_layer(a, b)[0])


def _rows_of_sentence(occurrence: Occurrence, silenced: Trace) -> list[tuple[str, str, float, float]]:
    name = f"“{occurrence.name}” in {occurrence.letter}"
    unchanged, silenced_vector = (
        occurrence_states(trace.hidden_states[-1:], occurrence.positions) for trace in (occurrence.trace, silenced)
    )
    rows = [
        (name, "cosine of its final vector to its own", 1.0, float(cosines_by_layer(unchanged, silenced_vector)[0]))
    ]
    if has_probes(occurrence.trace.model_name):
        before, after = (word_classes(trace) for trace in (occurrence.trace, silenced))
        old, new = (classes.probabilities[-1, occurrence.word_index] for classes in (before, after))  # (C,)
        for tag in dict.fromkeys((int(old.argmax()), int(new.argmax()))):
            rows.append((name, f"probability of {before.tags[tag]}", float(old[tag]), float(new[tag])))
    return rows + _rows_of_prediction(f"sentence {occurrence.letter}", occurrence.trace.prediction, silenced.prediction)


def _rows_of_prediction(
    name: str, before: Prediction | None, after: Prediction | None
) -> list[tuple[str, str, float, float]]:
    if before is None or after is None:
        return []
    untrained = "" if before.trained else " (UNTRAINED)"
    rows = []
    old, new = before.probabilities, after.probabilities
    if old is not None and new is not None:
        rows = [
            (name, f"prediction: {label}{untrained}", float(was), float(now))
            for label, was, now in zip(before.labels, old, new, strict=True)
        ]
    if before.score is not None and after.score is not None:
        rows.append((name, f"prediction: score{untrained}", before.score, after.score))
    return rows


def silenced_cosines(occurrences: Sequence[Occurrence], silenced: Mapping[str, Trace]) -> FloatArray | None:
    """(L + 1,) cosines of the two occurrences with the chosen heads silenced, or None where none is chosen."""
    if not silenced:
        return None
    a, b = (occurrence_states(silenced[each.letter].hidden_states, each.positions) for each in occurrences)
    return cosines_by_layer(a, b)
