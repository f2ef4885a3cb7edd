"""Every position has a vector, learned or computed."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from encoder.experiments.anatomy.cells import position_product, sinusoid
from encoder.experiments.anatomy.record import ours
from encoder.experiments.anatomy.step_examples import position_table, sinusoidal_table
from encoder.measures.operations import signed_limit, similarity_by_distance
from encoder.models.scratch import UNTRAINED_NOTE
from encoder.runs.arrays import FloatArray
from encoder.transformer.encoder import sinusoidal_positions
from viz.caches import run_cache
from viz.figures.anatomy_curves import similarity_lines
from viz.figures.config import plot_config
from viz.panels.anatomy.draw import draw_tensor, explain_pictures
from viz.panels.anatomy.latex import number
from viz.panels.anatomy.opened_cell import opened_in, pick_cell, show_worked_out
from viz.panels.anatomy.shown import Shown
from viz.panels.anatomy.step import AnatomyPage, RecordedRun, Step, StepContent
from viz.panels.anatomy.worked_out import WorkedOut, explain_dot_product
from viz.panels.common import fit_stage, theme

FARTHEST = 128
LEARNED_ELSEWHERE = "bundled"
DIGITS = 6  # an angle of many radians needs more digits than its sine


def content(run: RecordedRun) -> StepContent:
    """Words and formula."""
    width = run.sizes.D
    random = " This model is untrained: its vectors are random numbers." if UNTRAINED_NOTE in run.backend.notes else ""
    kind = "computed" if run.record.config.position_embedding == "sinusoidal" else "learned"
    return StepContent(
        words=(
            "The steps that follow compare every token with every other, and they do so alike wherever the two stand: "
            "without more they could not tell one order of the words from another. So each position 0, 1, 2, … "
            "has a vector of its own that is added to the word's, as the step before did. BERT **learns** these "
            "vectors; the original Transformer computes them from **sines and cosines** of many wavelengths, short "
            "ones in the first dimensions and long ones in the last. The **dot product** of two vectors says how alike "
            "they are: multiply them number by number, and add up. Near positions are more alike than far ones, though "
            f"what was learned is less even than what was computed. This model uses {kind} ones.{random}"
        ),
        formula=(
            rf"P_{{t,\,2i}} = \sin\big(t \cdot 10000^{{-2i/{width}}}\big) \qquad "
            rf"P_{{t,\,2i+1}} = \cos\big(t \cdot 10000^{{-2i/{width}}}\big) \qquad 0 \le 2i < {width}"
        ),
        sources=(sinusoidal_positions,),
    )


def explain_sinusoid(table: FloatArray, *, row: int, column: int) -> WorkedOut:
    """A number of the sinusoidal encoding, a table (P, D)."""
    cell = sinusoid(table, row=row, column=column)
    function, power = rf"\{cell.function}", f"{cell.exponent}/{cell.width}"
    return WorkedOut(
        lines=(
            rf"P_{{{row},\,{column}}} = {function}\big({row} \cdot 10000^{{-{power}}}\big) = "
            rf"{function}({row} \cdot {number(cell.frequency, digits=DIGITS)}) = "
            rf"{function}({number(cell.angle, digits=DIGITS)}) = {number(cell.value)}",
            rf"\text{{wavelength: }} 2\pi \cdot 10000^{{{power}}} = {number(cell.wavelength)} \text{{ positions}}",
        )
    )


def explain_position_product(table: FloatArray, *, one: int, other: int) -> WorkedOut:
    """The dot product of two position vectors, rows of a table (P, D)."""
    again = " again" if one == other else ""  # two columns of a table cannot have one name
    return explain_dot_product(
        rf"p_{{{one}}} \cdot p_{{{other}}}",
        position_product(table, one=one, other=other),
        vectors=(f"position {one}", f"position {other}{again}"),
    )


def beside(page: AnatomyPage) -> None:
    """Learned and computed position vectors, and how alike they are."""
    own = position_table(page.run.backend.encoder)  # (P, D)
    tables = _tables(page.run, own)
    drawn = [Shown(name=name, array=table, rows="position") for name, table in tables.items()]
    opened = opened_in(drawn[-1], page.selection)
    page = replace(page, opened=opened)
    names = [str(position) for position in range(len(own))]
    for place, (column, shown) in enumerate(zip(st.columns(2), drawn, strict=True)):
        with column:
            draw_tensor(shown, names, limit=signed_limit(shown.array), alone=False, page=page, key=f"positions_{place}")
    explain_pictures(drawn, page, one_scale=False)
    pick_cell(opened, names)
    row, dimension = opened.cell
    show_worked_out(explain_sinusoid(opened.shown.array, row=row, column=dimension), names, key="positions")
    _compare(own, row)
    curves = {name: similarity_by_distance(table, longest=FARTHEST) for name, table in tables.items()}
    figure = similarity_lines(curves, theme=theme())
    fit_stage(figure)
    st.plotly_chart(figure, theme=None, config=plot_config("positions-by-distance"), key="anatomy_distance")
    st.caption(
        f"The mean dot product of two position vectors that far apart, over all {len(own):,} positions, up to a "
        f"distance of {FARTHEST}; 1 is a vector's product with itself."
    )


def _tables(run: RecordedRun, own: FloatArray) -> dict[str, FloatArray]:
    """A learned table and a computed one, by name; one of them is the model's own."""
    if run.record.config.position_embedding == "learned":
        return {"learned": own, "sines and cosines": sinusoidal_table(*own.shape)}
    learned = position_table(ours(run_cache.model(LEARNED_ELSEWHERE)).encoder)
    return {"learned, by the bundled BERT": learned, "sines and cosines": own}


def _compare(table: FloatArray, row: int) -> None:
    """The dot product of the chosen position's vector and another's, both as this model adds them."""
    st.markdown("#### How alike are two positions? The dot product of their vectors in this model")
    other = st.number_input(f"Position {row}, and position", 0, len(table) - 1, 2, key="anatomy_other_position")
    show_worked_out(explain_position_product(table, one=row, other=other), (), key="alike")


STEP = Step(title="Where a token stands", content=content, beside=beside)
