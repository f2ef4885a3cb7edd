"""The feed-forward network of a layer, and its activation function."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Final

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.step_examples import NAMES, activation_curves, relu
from encoder.measures.operations import activity
from encoder.transformer.encoder import FeedForward
from viz.answers.answer import Answer, Chart, Row, Sentence
from viz.figures.anatomy_curves import activation_lines, share_bars
from viz.views.anatomy.answer.step import Folds, RecordedRun, Source, StepContent, result_of, snippet
from viz.views.anatomy.answer.tensors import Drawn, Opened, Shown, tensors, token_window
from viz.views.anatomy.answer.worked_out import WorkedOut, explain_dot_product, number, shape

ACTIVATIONS: Final = "GELU and ReLU on this text"


def feed_forward(run: RecordedRun) -> StepContent:
    """The feed-forward network works on each token alone."""
    record, s = run.record, run.sizes
    name = NAMES[record.config.hidden_act]
    return StepContent(
        words=(
            f"Each token is now processed **on its own**. A learned matrix expands its {s.D} numbers to {s.F} units, "
            f"the function {name} decides how much of each unit passes, and a second matrix shrinks them to {s.D} "
            f"again. Without {name} in between, two matrices could do no more than one. Then add and normalise, as "
            "after attention, and the layer is complete."
        ),
        latex=(
            rf"{shape(s.T, s.D)}{{Y}} = \text{{LayerNorm}}\Big(X' + \boxed{{\text{{{name}}}}}\big(X'\,"
            rf"{shape(s.D, s.F)}{{W_1}} + b_1\big)\,{shape(s.F, s.D)}{{W_2}} + b_2\Big)"
        ),
        tensors=(
            (
                Shown(name="units before the activation", array=record.inner, columns="unit"),
                Shown(name=f"units after {name}", array=record.activated, columns="unit"),
            ),
            (
                Shown(name="what the second matrix adds", array=record.fed),
                Shown(name=f"Y: what leaves layer {record.layer}", array=record.layer_output),
            ),
        ),
        sources=(Source(FeedForward.forward, "x = self.activation(self.up(x))"),),
        opened=f"units after {name}",
    )


def code_of_feed_forward(run: RecordedRun, opened: Opened) -> Answer:
    """Two matrix products with an activation between them."""
    s = run.sizes
    activations = {
        "gelu": ("erf = np.vectorize(math.erf)", "U = B * (1 + erf(B / np.sqrt(2))) / 2  # GELU"),
        "relu": ("U = np.maximum(B, 0)  # ReLU",),
    }
    return snippet(
        f"B = X_1 @ W_1 + b_1  # ({s.T}, {s.D}) @ ({s.D}, {s.F})",
        *activations[run.record.config.hidden_act],
        "Z = X_1 + U @ W_2 + b_2  # then the layer norm",
        marked="U",
        result=result_of(opened, "U"),
    )


def folds_of_feed_forward(run: RecordedRun, opened: Opened) -> Folds:
    """GELU and ReLU, on the units of this text."""
    return MappingProxyType({ACTIVATIONS: lambda: _activations(run, opened)})


def _activations(run: RecordedRun, opened: Opened) -> Answer:
    record, tokens = run.record, run.record.tokens
    drawn = Drawn(labels=tokens.labels, opened=opened, sentence_b_start=tokens.sentence_b_start, head=run.head)
    row = (opened.shown, Shown(name="after ReLU instead", array=relu(record.inner), columns="unit"))
    return Answer((*tensors((row,), drawn).parts, *active_units(record, opened).parts))


def work_out_feed_forward(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The input of a unit, and what the activation makes of it."""
    record = run.record
    unit = cells.unit_input(record, row=row, column=column)
    worked = explain_dot_product(
        rf"u_{{{row},{column}}} = x_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        unit,
        vectors=("vector x", "weight w"),
    )
    activation = (
        rf"\text{{{NAMES[record.config.hidden_act]}}}({number(unit.value)}) = "
        rf"{number(float(record.activated[row, column]))} \qquad \text{{ReLU}} = {number(max(unit.value, 0.0))}"
    )
    return replace(worked, lines=(*worked.lines, activation))


def active_units(record: Record, opened: Opened | None) -> Answer:
    """Activation functions, and the share of active units."""
    active = activity(record.inner, record.activated)
    labels = record.tokens.labels
    part = token_window(opened, len(labels))
    shares = {"above 0": active.open[part.part], "below 0, GELU leaks": active.leaking[part.part]}
    inputs, curves = record.inner.ravel(), activation_curves()
    functions = Chart(
        name="activations",
        alt="ReLU and GELU as curves, over a histogram of what goes into the units on this text.",
        figure=lambda theme: activation_lines(inputs, curves, theme=theme),
    )
    units = Chart(
        name="active-units",
        alt="The share of units that are active at every token, as bars.",
        figure=lambda theme: share_bars(shares, labels[part.part], theme=theme, first=part.start),
    )
    above, leaking = (100 * float(share.mean()) for share in (active.open, active.leaking))
    caption = (
        f"On this text, {above:.1f} % of the units get an input above 0. ReLU would pass these and set all others to "
        f"exactly 0. GELU also passes a little of another {leaking:.1f} %, which it turns into less than −0.01; the "
        "rest is nearly 0."
    )
    return Answer((Row(((functions,), (units,))), Sentence(caption, "caption")))
