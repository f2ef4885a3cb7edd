"""The feed-forward network works on each token alone."""

from __future__ import annotations

from dataclasses import replace

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.step_examples import NAMES, relu
from encoder.transformer.encoder import FeedForward
from viz.answers.anatomy.latex import number, shape
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import Shown
from viz.answers.anatomy.worked_out import WorkedOut, explain_dot_product


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensors."""
    record, s = run.record, run.sizes
    name = NAMES[record.config.hidden_act]
    return StepContent(
        words=(
            f"Each token is now worked on **alone**: a learned matrix makes {s.F} numbers of its {s.D}, the units; a "
            f"function, here {name}, decides how much of each unit passes; and a second matrix makes {s.D} numbers of "
            "the units again. Without the function between them, two matrices would do no more than one. ReLU sets "
            "every unit below 0 to 0; GELU does nearly the same with a smooth bend, and lets a little of the slightly "
            "negative ones through. The result is added to the token's vector and normed again: the layer is done."
        ),
        formula=(
            rf"{shape(s.T, s.D)}{{Y}} = \text{{LayerNorm}}\Big(X' + {shape(s.T, s.F)}{{\text{{{name}}}\big(}}X'\,"
            rf"{shape(s.D, s.F)}{{W_1}} + b_1\big)\,{shape(s.F, s.D)}{{W_2}} + b_2\Big)"
        ),
        tensors=(
            (
                Shown(name="X': what goes in", array=record.attention_normed),
                Shown(name="units before the activation", array=record.inner, columns="unit"),
            ),
            (
                Shown(name=f"units after {name}", array=record.activated, columns="unit"),
                Shown(name="after ReLU instead", array=relu(record.inner), columns="unit"),
            ),
            (
                Shown(name="what the second matrix adds", array=record.fed),
                Shown(name=f"Y: what leaves layer {record.layer}", array=record.layer_output),
            ),
        ),
        sources=(FeedForward,),
        opened=f"units after {name}",
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The input of a unit, and what the activation makes of it."""
    cell = cells.unit(run.record, head=run.head, row=row, column=column)
    worked = explain_dot_product(
        rf"u_{{{row},{column}}} = x_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        cell.input,
        vectors=("vector x", "weight w"),
    )
    activation = (
        rf"\text{{{NAMES[cell.activation]}}}({number(cell.input.value)}) = {number(cell.value)} \qquad "
        rf"\text{{ReLU}} = {number(cell.relu)}"
    )
    return replace(worked, lines=(*worked.lines, activation))


STEP = Step(title="The feed-forward network", content=content, work_out=work_out)
