"""What steps of the anatomy draw besides their tensors, as charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.parameter_counts import count_model, count_preset
from encoder.experiments.anatomy.record import ours
from encoder.experiments.anatomy.step_examples import position_table, sinusoidal_table
from encoder.measures.operations import activity, signed_limit, similarity_by_distance
from encoder.measures.similarity import successive_cosines
from encoder.transformer.config import PRESETS
from viz.exports.charts import Chart, Series
from viz.exports.contents import NumberGrid
from viz.panels.anatomy.opened_cell import opened_in
from viz.panels.anatomy.shown import Shown
from viz.panels.anatomy.step import RecordedRun
from viz.panels.anatomy.steps.mask import pictures_of_mask
from viz.panels.anatomy.steps.positions import FARTHEST, LEARNED_ELSEWHERE
from viz.panels.anatomy.steps.what_if import pictures_of_change
from viz.panels.anatomy.windows import token_window
from viz.slides.function_charts import activations_chart, operations_chart
from viz.slides.models import Models
from viz.slides.tensors import Drawn, tensor_chart
from viz.state.selection import Selection
from viz.wording.labels import make_visible, shorten

MOST_POSITIONS = 12
LONGEST_NAME = 24  # characters of a model


def _positions(run: RecordedRun, drawn: Drawn, selection: Selection, models: Models) -> list[Chart]:
    """Learned and computed position vectors, and how alike they are by their distance."""
    own = position_table(run.backend.encoder)  # (P, D)
    if run.record.config.position_embedding == "learned":
        tables = {"learned": own, "sines and cosines": sinusoidal_table(*own.shape)}
    else:
        learned = position_table(ours(models.open(LEARNED_ELSEWHERE)).encoder)
        tables = {"learned, by the bundled BERT": learned, "sines and cosines": own}
    shown = [Shown(name=name, array=table, rows="position") for name, table in tables.items()]
    drawn = replace(drawn, opened=opened_in(shown[-1], selection))
    names = [str(position) for position in range(len(own))]
    bands = [
        tensor_chart(each, drawn, limit=signed_limit(each.array), labels=names, most_rows=MOST_POSITIONS)
        for each in shown
    ]
    curves = np.stack([similarity_by_distance(table, longest=FARTHEST) for table in tables.values()])
    caption = "Mean dot product of two position vectors, by their distance; 1 is a vector's product with itself"
    distances = [str(distance) for distance in range(curves.shape[1])]
    grid = NumberGrid(caption, list(tables), distances, curves, low=min(0.0, float(curves.min())), high=1, digits=3)
    series = (Series(colour=0, symbol=""), Series(colour=1, symbol="", dash="dash"))
    return [*bands, Chart(grid=grid, look="curves", series=series, across="distance", value="dot product, relative")]


def _layers(run: RecordedRun, drawn: Drawn, _selection: Selection, _models: Models) -> list[Chart]:
    """One token's state after every layer, and how much each layer turns every token's."""
    hidden_states = np.stack(run.record.hidden_states)  # (L + 1, T, D)
    row = drawn.opened.cell[0] if drawn.opened else 0
    states = hidden_states[:, row]  # (L + 1, D)
    names = ["embeddings", *(f"after L{layer}" for layer in range(len(states) - 1))]
    shown = Shown(name=f"{row} · {drawn.labels[row]}, layer by layer", array=states, rows="layer")
    part = token_window(drawn.opened, len(drawn.labels))
    cosines = successive_cosines(hidden_states[:, part.part])  # (L, T)
    turned = NumberGrid(
        "Cosine between what goes into a layer and what leaves it",
        [f"L{layer}" for layer in range(len(cosines))],
        list(drawn.labels[part.part]),
        cosines,
        low=0,
        high=1,
        digits=2,
    )
    return [tensor_chart(shown, drawn, limit=signed_limit(states), labels=names), Chart(grid=turned)]


def _mask(run: RecordedRun, drawn: Drawn, selection: Selection, _models: Models) -> list[Chart]:
    """Scores and weights with the stop's mask."""
    kind = selection.anatomy.mask
    found = masked(run.backend.encoder, run.record.tokens, layer=run.record.layer, mask=kind)
    shown = pictures_of_mask(found, kind, run.head)
    limit = signed_limit(found.free_scores[run.head], found.scores[run.head])
    labels = (*drawn.labels, *["[PAD]"] * found.padding)
    drawn = replace(drawn, labels=labels, opened=opened_in(shown[-1], selection))
    return [tensor_chart(each, drawn, limit=limit) for each in shown]


def _what_if(run: RecordedRun, drawn: Drawn, selection: Selection, _models: Models) -> list[Chart]:
    """The model's own attention, and the changed one."""
    record = run.record
    what_ifs = selection.anatomy.what_ifs
    found = changed(run.backend.encoder, record.tokens, layer=record.layer, what_ifs=what_ifs)
    shown = pictures_of_change(record, found, run.head)
    drawn = replace(drawn, opened=opened_in(shown[-1], selection))
    return [tensor_chart(each, drawn, limit=1) for each in shown]


def _feed_forward(run: RecordedRun, drawn: Drawn, _selection: Selection, _models: Models) -> list[Chart]:
    """Activation functions over what goes into them, and how many units are active at every token."""
    active = activity(run.record.inner, run.record.activated)
    part = token_window(drawn.opened, len(drawn.labels))
    shares = np.stack([active.open[part.part], active.leaking[part.part]])  # (2, T)
    grid = NumberGrid(
        "Share of the units that are active at every token",
        ["above 0", "below 0, GELU leaks"],
        list(drawn.labels[part.part]),
        shares,
        low=0,
        high=1,
        digits=3,
    )
    units = Chart(grid=grid, look="stacked bars", series=(Series(colour=0), Series(colour=1)), percent=True)
    return [activations_chart(run.record.inner.ravel()), units]


def _numbers(run: RecordedRun, _drawn: Drawn, _selection: Selection, _models: Models) -> list[Chart]:
    """Where the parameters of this model and of the presets lie."""
    models = [count_model(run.backend), *map(count_preset, PRESETS)]
    names = [f"this: {shorten(make_visible(models[0].name), LONGEST_NAME)}", *(counts.name for counts in models[1:])]
    groups = list(models[0].by_group)
    shares = np.array([[counts.by_group[group] / counts.encoder for counts in models] for group in groups])  # (G, M)
    grid = NumberGrid("Where the parameters lie", groups, names, shares.astype(np.float32), low=0, high=1, digits=3)
    counted = tuple((f"{counts.encoder:,}",) for counts in models)
    series = tuple(Series(colour=index) for index in range(len(groups)))
    parameters = Chart(
        grid=grid, look="stacked bars", series=series, percent=True, notes=counted, across="parameters in all"
    )
    return [parameters, operations_chart(run.record.config)]


BESIDE: Final[Mapping[StepKey, Callable[[RecordedRun, Drawn, Selection, Models], list[Chart]]]] = MappingProxyType(
    {
        "positions": _positions,
        "layers": _layers,
        "mask": _mask,
        "what-if": _what_if,
        "feed-forward": _feed_forward,
        "numbers": _numbers,
    }
)
