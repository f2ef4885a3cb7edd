"""Every position has a vector, learned or computed."""

from __future__ import annotations

from encoder.experiments.anatomy.cells import position_product, sinusoid
from encoder.models.scratch import UNTRAINED_NOTE
from encoder.runs.arrays import FloatArray
from encoder.transformer.encoder import sinusoidal_positions
from viz.answers.anatomy.latex import number
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.worked_out import WorkedOut, explain_dot_product

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


STEP = Step(title="Where a token stands", content=content)
