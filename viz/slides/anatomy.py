"""The anatomy on a slide: the tensors of its step, and the step's further parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.parameter_counts import count_model, count_preset
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import ours, record
from encoder.measures.unit_attention import MEAN
from encoder.runs.trace import Trace
from encoder.transformer.config import PRESETS
from viz.answers.anatomy import extras
from viz.answers.anatomy.step import RecordedRun
from viz.answers.anatomy.steps import STEPS
from viz.answers.anatomy.tensors import Drawn, Shown, how_to_read, limit_of, opened_in, tensor_chart
from viz.answers.answer import Answer, Part, Row, Sentence
from viz.answers.predictions import answer_of
from viz.slides.contents import TokenLine
from viz.slides.models import Models
from viz.slides.static_slide import StaticSlide
from viz.state.selection import Selection
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Stop
from viz.wording.labels import make_visible

REMARK: Final = "The anatomy has its formulas, its code and numbers worked out in the app; here are its pictures."
OF_TOKENS: Final = "The anatomy has its formulas and code in the app; here are the tokens."
Parts = Sequence[Part | Row]


def anatomy(stop: Stop, selection: Selection, traces: Mapping[str, Trace], models: Models) -> StaticSlide:
    """The charts of a step; tokens and ids if it has none.

    Raises:
        UnsupportedModelError: the model is not one of ours.
        SelectionError: the model has no such layer.
    """
    backend = ours(models.open(selection.model))
    place, trace = next(iter(traces.items()))
    tokens = backend.tokenize(*selection.runs[0])
    run = RecordedRun(
        backend=backend,
        record=record(backend.encoder, tokens, layer=selection.layer),
        head=0 if selection.head == MEAN else selection.head,
    )
    content = STEPS[selection.anatomy.step].content(run)
    texts = {place: trace.tokens}
    drawn = Drawn(
        labels=tokens.labels,
        opened=opened_in(content.opened_tensor, selection) if content.opened_tensor else None,
        sentence_b_start=tokens.sentence_b_start,
        head=run.head,
        points=placed_points(stop.points, Texts(queries=texts, keys=texts)),
    )
    add = _EXTRAS.get(selection.anatomy.step)
    parts = [*_tensors(content.tensors, drawn), *(add(run, drawn, selection, models) if add else ())]
    if not parts:
        pairs = tuple(zip(map(make_visible, tokens.labels), map(str, tokens.ids), strict=True))
        line = TokenLine("The tokens of this text, and their ids", pairs)
        return StaticSlide(lines=(line,), remark=OF_TOKENS)
    return StaticSlide(answers=(("", Answer(tuple(parts))),), remark=REMARK)


def _tensors(rows: Sequence[Sequence[Shown]], drawn: Drawn, *, one_scale: bool = True) -> Parts:
    """Tensors in rows, and how to read them; with `one_scale` the tensors of a row share their colours."""
    parts: list[Part | Row] = []
    for row in rows:
        limits = [limit_of(row if one_scale else [shown]) for shown in row]
        charts = [
            tensor_chart(shown, drawn, limit=limit, alone=len(row) == 1)
            for shown, limit in zip(row, limits, strict=True)
        ]
        parts.append(Row(tuple((chart,) for chart in charts)))
    said = how_to_read([shown for row in rows for shown in row], drawn.opened, one_scale=one_scale)
    return [*parts, Sentence(said, "caption")] if said else parts


def _positions(run: RecordedRun, drawn: Drawn, selection: Selection, models: Models) -> Parts:
    """Learned and computed position vectors, and their similarity by distance."""
    learns = run.record.config.position_embedding == "learned"
    elsewhere = None if learns else ours(models.open(extras.LEARNED_ELSEWHERE)).encoder
    tables = extras.tables_of_positions(run.backend.encoder, elsewhere)
    names = [str(position) for position in range(len(tables[0].array))]
    drawn = replace(drawn, labels=names, opened=opened_in(tables[-1], selection))
    return [*_tensors([tables], drawn, one_scale=False), *extras.similar_positions(tables).parts]


def _layers(run: RecordedRun, drawn: Drawn, _selection: Selection, _models: Models) -> Parts:
    """One token's state after every layer, and the angle by which each layer turns every token."""
    states, names = extras.states_of_token(run.record, drawn.opened)
    chart = tensor_chart(states, replace(drawn, labels=names), limit=limit_of([states]), alone=True)
    return [chart, *extras.turned_tokens(run.record, drawn.opened).parts]


def _scaling(run: RecordedRun, _drawn: Drawn, _selection: Selection, _models: Models) -> Parts:
    return extras.sharpness(run.record, run.head).parts


def _mask(run: RecordedRun, drawn: Drawn, selection: Selection, _models: Models) -> Parts:
    """Scores and weights with the stop's mask."""
    kind = selection.anatomy.mask
    found = masked(run.backend.encoder, run.record.tokens, layer=run.record.layer, mask=kind)
    rows = extras.tensors_of_mask(found, kind, run.head)
    labels = (*drawn.labels, *["[PAD]"] * found.padding)
    drawn = replace(drawn, labels=labels, opened=opened_in(rows[-1][-1], selection))
    return [*_tensors(rows, drawn), *extras.effect_of_mask(found, kind, run.head).parts]


def _what_if(run: RecordedRun, drawn: Drawn, selection: Selection, _models: Models) -> Parts:
    """The model's own attention, and the changed one."""
    what_ifs = selection.anatomy.what_ifs
    found = changed(run.backend.encoder, run.record.tokens, layer=run.record.layer, what_ifs=what_ifs)
    tensors = extras.tensors_of_change(run.record, found, run.head)
    moved = Sentence(f"Attention that went elsewhere, mean over rows: **{extras.share_moved(*tensors):.1%}**")
    meaning = extras.meaning_of_change(what_ifs, drawn.labels, found)
    return [moved, *_tensors([tensors], replace(drawn, opened=opened_in(tensors[-1], selection))), *meaning.parts]


def _feed_forward(run: RecordedRun, drawn: Drawn, _selection: Selection, _models: Models) -> Parts:
    return extras.active_units(run.record, drawn.opened).parts


def _prediction(run: RecordedRun, _drawn: Drawn, _selection: Selection, _models: Models) -> Parts:
    return answer_of(readout(run.backend, run.record).prediction).parts


def _numbers(run: RecordedRun, drawn: Drawn, _selection: Selection, _models: Models) -> Parts:
    models = [count_model(run.backend), *map(count_preset, PRESETS)]
    return extras.numbers(models, run.record.config, len(drawn.labels)).parts


_EXTRAS: Final[Mapping[StepKey, Callable[[RecordedRun, Drawn, Selection, Models], Parts]]] = MappingProxyType(
    {
        "positions": _positions,
        "layers": _layers,
        "scaling": _scaling,
        "mask": _mask,
        "what-if": _what_if,
        "feed-forward": _feed_forward,
        "prediction": _prediction,
        "numbers": _numbers,
    }
)
