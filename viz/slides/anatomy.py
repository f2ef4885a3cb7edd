"""The anatomy on a slide: formula, tensors, the stop's cell worked out, the step's further parts, and its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.parameter_counts import count_model, count_preset
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import ours, record
from encoder.measures.unit_attention import MEAN
from encoder.runs.trace import Trace
from encoder.transformer.config import PRESETS
from viz.answers.anatomy.step import RecordedRun
from viz.answers.anatomy.steps import STEPS, inputs, layer, model
from viz.answers.anatomy.tensors import Drawn, Opened, opened_in, tensor, tensors
from viz.answers.anatomy.worked_out import WorkedOut
from viz.answers.answer import Answer, Part, Row
from viz.slides.contents import TokenLine
from viz.slides.models import Models
from viz.slides.static_slide import StaticSlide
from viz.state.selection import Selection
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Stop
from viz.wording.labels import make_visible

OF_TOKENS: Final[tuple[StepKey, ...]] = ("text", "ids")
Parts = Sequence[Part | Row]


def anatomy(stop: Stop, selection: Selection, traces: Mapping[str, Trace], models: Models) -> StaticSlide:
    """What a step shows, with the stop's cell worked out.

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
    step = STEPS[selection.anatomy.step]
    content = step.content(run)
    opened = opened_in(content.opened_tensor, selection) if content.opened_tensor else None
    texts = {place: trace.tokens}
    drawn = Drawn(
        labels=tokens.labels,
        opened=opened,
        sentence_b_start=tokens.sentence_b_start,
        head=run.head,
        points=placed_points(stop.points, Texts(queries=texts, keys=texts)),
    )
    worked = _worked(opened, step.work_out(run, *opened.cell), drawn) if step.work_out and opened else ()
    parts = (
        *content.formula.parts,
        *tensors(content.tensors, drawn).parts,
        *_extras(run, drawn, selection, models),
        *worked,
        *content.code.parts,
    )
    pairs = tuple(zip(map(make_visible, tokens.labels), map(str, tokens.ids), strict=True))
    line = TokenLine("The tokens of this text, and their ids", pairs)
    return StaticSlide(answers=(("", Answer(parts)),), lines=(line,) if selection.anatomy.step in OF_TOKENS else ())


def _worked(opened: Opened, worked: WorkedOut, drawn: Drawn) -> Parts:
    return (opened.heading, *worked.answer("cell", drawn.labels).parts)


def _extras(run: RecordedRun, drawn: Drawn, selection: Selection, models: Models) -> Parts:
    """The parts of single steps besides the tensors of their formula."""
    match selection.anatomy.step:
        case "text":
            return inputs.words_and_pieces(run).parts
        case "ids":
            return inputs.inputs_of_the_model(run).parts
        case "positions":
            return _positions(run, drawn, selection, models)
        case "scaling":
            return layer.sharpness(run.record, run.head).parts
        case "mask":
            return _mask(run, drawn, selection)
        case "feed-forward":
            return layer.active_units(run.record, drawn.opened).parts
        case "layers":
            states, names = model.states_of_token(run.record, drawn.opened)
            rows = tensor(states, replace(drawn, labels=names))
            return (*rows.parts, *model.turned_tokens(run.record, drawn.opened).parts)
        case "prediction":
            read = readout(run.backend, run.record)
            likeliest = int(read.probabilities.argmax())
            worked = model.class_and_score(read, likeliest).parts
            return (*model.predicted(read).parts, model.heading_of(read.prediction.labels[likeliest]), *worked)
        case "what-if":
            return _what_if(run, drawn, selection)
        case "numbers":
            counts = [count_model(run.backend), *map(count_preset, PRESETS)]
            return model.parameters_and_operations(counts, run.record.config, len(drawn.labels)).parts
        case _:
            return ()


def _positions(run: RecordedRun, drawn: Drawn, selection: Selection, models: Models) -> Parts:
    """Learned and computed position vectors, and their similarity by distance."""
    learns = run.record.config.position_embedding == "learned"
    elsewhere = None if learns else ours(models.open(inputs.LEARNED_ELSEWHERE)).encoder
    tables = inputs.tables_of_positions(run.backend.encoder, elsewhere)
    opened = opened_in(tables[-1], selection)
    drawn = replace(drawn, labels=[str(position) for position in range(len(tables[0].array))], opened=opened)
    row, column = opened.cell
    return (
        *tensors([tables], drawn, one_scale=False).parts,
        *_worked(opened, inputs.explain_sinusoid(opened.shown.array, row=row, column=column), drawn),
        *inputs.similar_positions(tables).parts,
    )


def _mask(run: RecordedRun, drawn: Drawn, selection: Selection) -> Parts:
    """Scores and weights with the stop's mask."""
    kind, head = selection.anatomy.mask, run.head
    found = masked(run.backend.encoder, run.record.tokens, layer=run.record.layer, mask=kind)
    rows = layer.tensors_of_mask(found, kind, head)
    opened = opened_in(rows[-1][-1], selection)
    drawn = replace(drawn, labels=(*drawn.labels, *["[PAD]"] * found.padding), opened=opened)
    row, key = opened.cell
    return (
        *tensors(rows, drawn).parts,
        *layer.effect_of_mask(found, kind, head).parts,
        *_worked(opened, layer.explain_masked_weight(found, head=head, row=row, column=key), drawn),
    )


def _what_if(run: RecordedRun, drawn: Drawn, selection: Selection) -> Parts:
    """The model's own attention, and the changed one."""
    what_ifs, head = selection.anatomy.what_ifs, run.head
    found = changed(run.backend.encoder, run.record.tokens, layer=run.record.layer, what_ifs=what_ifs)
    compared = model.tensors_of_change(run.record, found, head)
    opened = opened_in(compared[-1], selection)
    row, key = opened.cell
    return (
        *model.attention_moved(*compared).parts,
        *tensors([compared], replace(drawn, opened=opened)).parts,
        *model.meaning_of_change(what_ifs, drawn.labels, found).parts,
        *_worked(opened, model.explain_changed_weight(run.record, found, head=head, row=row, column=key), drawn),
    )
