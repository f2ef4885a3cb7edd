"""Several heads silenced together: the changes of the prediction, the probe and the word's vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from encoder.measures.similarity import cosines_by_layer
from encoder.measures.units import occurrence_states
from encoder.runs.trace import Prediction, Trace
from encoder.shipped.probes import has_probes, word_classes
from viz.answers.answer import Answer, Columns, Table
from viz.answers.word_places import Occurrence

_Row = tuple[str, str, float, float]  # sentence, quantity, value with all heads, value with some silenced


def silenced_together(occurrences: Sequence[Occurrence], silenced: Mapping[str, Trace]) -> Answer:
    """A table of what the silenced heads change.

    Args:
        silenced: the same runs with heads silenced, by sentence; empty where none is.
    """
    if not silenced:
        return Answer(())
    table = Table(
        name="together",
        title="What the silenced heads change together",
        columns=lambda: _columns(occurrences, silenced),
        on_page="open",
    )
    return Answer((table,))


def _columns(occurrences: Sequence[Occurrence], silenced: Mapping[str, Trace]) -> Columns:
    rows = [row for each in occurrences for row in _rows_of_sentence(each, silenced[each.letter])]
    if len(occurrences) == 2:
        before, after = (
            _final_cosine([(traces[each.letter], each) for each in occurrences])
            for traces in ({each.letter: each.trace for each in occurrences}, silenced)
        )
        rows.append(("A and B", "cosine of the final vectors", before, after))
    names = ("sentence", "what", "all heads", "silenced")
    columns: Columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return {**columns, "change": [after - before for *_, before, after in rows]}


def _final_cosine(pair: Sequence[tuple[Trace, Occurrence]]) -> float:
    a, b = (occurrence_states(trace.hidden_states[-1:], each.positions) for trace, each in pair)
    return float(cosines_by_layer(a, b)[0])


def _rows_of_sentence(occurrence: Occurrence, silenced: Trace) -> list[_Row]:
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


def _rows_of_prediction(name: str, before: Prediction | None, after: Prediction | None) -> list[_Row]:
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
