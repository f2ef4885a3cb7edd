"""The lens's word in many sentences, as charts: a map of its occurrences, and how often their senses are found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from encoder.experiments.senses.sentence_search import shipped_sentences, typed_sentences
from encoder.models.base import Backend
from viz.exports.charts import Chart, Series, Symbol
from viz.exports.contents import NumberGrid
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.company import Company, SenseAccuracy, chosen_sentences, company, sense_accuracy
from viz.slides.lens_charts import over_states
from viz.state.selection import NO_SENTENCES, OWN, Selection
from viz.wording.labels import make_visible
from viz.wording.numbers import written

SYMBOLS: Final[tuple[Symbol, ...]] = ("circle", "diamond", "square", "triangle")


def sense_charts(occurrences: Sequence[Occurrence], selection: Selection, backend: Backend) -> list[Chart]:
    """The map, and the accuracy where senses are labelled; nothing where there are no further sentences."""
    word = occurrences[0].word
    name = chosen_sentences(word, selection.word_lens)
    if name == NO_SENTENCES:
        return []
    typed = selection.word_lens.typed
    sentences = typed_sentences(backend, typed, word) if name == OWN else shipped_sentences(backend, name)
    if not sentences.occurrences:
        return []
    states = backend.states_of_words([(each.tokens, each.positions) for each in sentences.occurrences])
    shown = company(occurrences, sentences, states, state_index=selection.layer + 1)
    accuracy = sense_accuracy(sentences, states, name)
    map_of_senses = _map(occurrences[0].name, shown, selection.layer)
    return [map_of_senses] if accuracy is None else [map_of_senses, _accuracy(accuracy, selection.layer)]


def _map(name: str, shown: Company, layer: int) -> Chart:
    """A point for each occurrence; those of the page stand out."""
    letters = [letter for letter in ("A", "B") if letter in shown.groups]
    senses = [group for group in dict.fromkeys(shown.groups) if group not in letters]
    groups = [*senses, *letters]
    kept = float(shown.projection.explained.sum())
    axes = [
        f"principal component {axis}, {share:.0%} of the variance"
        for axis, share in enumerate(shown.projection.explained.tolist(), 1)
    ]
    points = shown.projection.points
    return Chart(
        grid=NumberGrid(
            f"“{name}” in {len(points)} sentences after L{layer}; two dimensions keep {kept:.0%} of the variance",
            list(map(make_visible, shown.descriptions)),
            axes,
            points,
            low=float(points.min()),
            high=float(points.max()),
            digits=3,
        ),
        look="points",
        series=tuple(_series(group, senses) for group in groups),
        groups=[groups.index(group) for group in shown.groups],
        hover=[
            "\n".join(
                [description, "nearest by cosine:", *(f"{written(cosine, '.2f')} {other}" for cosine, other in nearest)]
            )
            for description, nearest in zip(shown.descriptions, shown.neighbours, strict=True)
        ],
    )


def _series(group: str, senses: Sequence[str]) -> Series:
    if group == "A":
        return Series(colour="A", symbol="star", name="sentence A")
    if group == "B":
        return Series(colour="B", symbol="star", name="sentence B")
    index = senses.index(group)
    return Series(colour=index, symbol=SYMBOLS[index % len(SYMBOLS)], name=make_visible(group))


def _accuracy(accuracy: SenseAccuracy, layer: int) -> Chart:
    """Curves over the hidden states."""
    rows = {
        "always the commonest sense": np.full(len(accuracy.by_state), accuracy.majority, np.float32),
        "nearest centroid, leave one out": accuracy.by_state,
    }
    return Chart(
        grid=over_states(f"How often the sense is found, of {accuracy.n} labelled sentences", rows, low=0, high=1.05),
        look="curves",
        series=(Series(colour="muted", dash="dot", symbol=""), Series(colour="primary", numbered=True)),
        value="right",
        percent=True,
        lines=[(layer + 1, "the map")],
    )
