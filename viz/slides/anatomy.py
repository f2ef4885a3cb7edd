"""The anatomy on a slide: the tensors of its step, as many of their numbers as a slide can hold."""

from __future__ import annotations

from collections.abc import Sequence

from encoder.experiments.anatomy.our_models import ours
from encoder.experiments.anatomy.record import record
from encoder.measures.operations import signed_limit
from encoder.measures.unit_attention import MEAN
from viz.exports.contents import NumberGrid
from viz.exports.slides import TokenLine
from viz.labels import make_visible
from viz.panels.anatomy.opened_cell import opened_in
from viz.panels.anatomy.shown import Shown
from viz.panels.anatomy.step import RecordedRun, StepContent
from viz.panels.anatomy.steps import STEPS
from viz.panels.anatomy.windows import TOKENS, Opened, Window, window
from viz.slides.models import Models
from viz.slides.still import Still
from viz.state.selection import Selection

REMARK = "The anatomy has its formulas, code and cells in the app; here are the tensors of this step."
MOST_TOKENS, MOST_DIMENSIONS = 24, 12
MOST_TENSORS = 3


def anatomy(selection: Selection, model_name: str, models: Models) -> Still:
    """A step's tensors as grids; tokens and ids where it has none.

    Raises:
        UnsupportedModelError: the model is none of ours.
        SelectionError: the model has no such layer.
    """
    backend = ours(models.open(model_name))
    a, b = selection.runs[0]
    tokens = backend.tokenize(a, b)
    run = RecordedRun(
        backend=backend,
        record=record(backend.encoder, tokens, layer=selection.layer),
        head=0 if selection.head == MEAN else selection.head,
    )
    content = STEPS[selection.anatomy.step].content(run)
    labels = [make_visible(label) for label in tokens.labels]
    opened = opened_in(content.opened_tensor, selection) if content.opened_tensor else None
    grids = [_grid(shown, labels, opened, limit) for shown, limit in _with_limits(content)]
    if grids:
        cut = len(grids) - MOST_TENSORS
        more = f" {cut} more {'is' if cut == 1 else 'are'} left out." if cut > 0 else ""
        return Still(grids=tuple(grids[:MOST_TENSORS]), remark=REMARK + more)
    line = TokenLine("The tokens of this text, and their ids", tuple(zip(labels, map(str, tokens.ids), strict=True)))
    return Still(lines=(line,), remark="The anatomy has its formulas and code in the app; here are the tokens.")


def _with_limits(content: StepContent) -> list[tuple[Shown, float]]:
    """Every tensor with the number at which its colours end; those of one row have the same."""
    found = []
    for row in content.tensors:
        signed = [shown.array for shown in row if shown.kind == "signed"]
        limit = signed_limit(*signed) if signed else 1.0
        found += [(shown, limit) for shown in row]
    return found


def _grid(shown: Shown, labels: Sequence[str], opened: Opened | None, limit: float) -> NumberGrid:
    """The part of a tensor around the cell that the stop has chosen."""
    row, column = opened.mark(shown) if opened else (None, None)
    rows = window(row or 0, shown.array.shape[0], _most(shown.rows))
    columns = window(column or 0, shown.array.shape[1], _most(shown.columns))
    signed = shown.kind == "signed"
    return NumberGrid(
        shown.name + _cut(rows, f"{shown.rows}s") + _cut(columns, f"{shown.columns}s"),
        _names(rows, labels, shown.rows in TOKENS),
        _names(columns, labels, shown.columns in TOKENS),
        shown.array[rows.part, columns.part],
        low=-limit if signed else 0,
        high=limit if signed else 1,
        digits=2,
        signed=signed,
    )


def _most(axis: str) -> int:
    return MOST_TOKENS if axis in TOKENS else MOST_DIMENSIONS


def _names(part: Window, labels: Sequence[str], are_tokens: bool) -> list[str]:
    numbers = range(part.start, part.stop)
    return [labels[at] for at in numbers] if are_tokens else [str(at) for at in numbers]


def _cut(part: Window, name: str) -> str:
    """Which part is shown, where it is not all."""
    return "" if part.whole else f", {name} {part.start} to {part.stop - 1} of {part.count}"
