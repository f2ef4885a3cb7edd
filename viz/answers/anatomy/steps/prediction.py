"""A head on top turns states into logits, probabilities and a score."""

from __future__ import annotations

from dataclasses import replace

from encoder.experiments.anatomy.cells import logit, probability, readout_score
from encoder.experiments.anatomy.readout import Readout, readout
from viz.answers.anatomy.latex import exponential_of_minus, number, shape
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.worked_out import WorkedOut, explain_dot_product, explain_softmax

MADE_UP = "These weights hold no head: this one was made up from random numbers, to show where one would stand."
VECTORS = ("vector h", "weight w")


def content(run: RecordedRun) -> StepContent:
    """Words and formula."""
    read = readout(run.backend, run.record)
    width, classes = len(read.state), len(read.prediction.labels)
    sigmoid = (
        r", which the sigmoid function $\sigma(z) = 1 / (1 + e^{-z})$ puts between 0 and 1" if read.squashed else ""
    )
    formula = r"\sigma(h \cdot w + b)" if read.squashed else r"h \cdot w + b"
    why = (
        "`[CLS]` stands for no word; through the layers it has collected from all tokens what is needed here. "
        if _reads_cls_alone(run, read)
        else ""
    )
    return StepContent(
        words=(
            "What the encoder made is now read by one more small learned matrix, a **classification head** (it has "
            f"nothing to do with the heads of attention). It reads {_what_is_read(run, read)}, {width:,} numbers in "
            f"all. {why}It makes one number per class, the **logit**, and softmax turns the {classes} logits into "
            "probabilities, just as it turned scores into weights. A **regression head** does the same for a single "
            f"number, here how positive the text is{sigmoid}."
        ),
        formula=(
            rf"p = \text{{softmax}}\big({shape(1, width)}{{h}}\;{shape(width, classes)}{{W}} + b\big) \qquad "
            rf"\text{{score}} = {formula}"
        ),
        sources=read.sources,
    )


def _reads_cls_alone(run: RecordedRun, read: Readout) -> bool:
    """Whether the head reads the last state of `[CLS]` and nothing else."""
    return read.reads == ((run.sizes.L, "cls"),)


def _what_is_read(run: RecordedRun, read: Readout) -> str:
    if _reads_cls_alone(run, read):
        return "the vector of `[CLS]` after the last layer"
    vectors = [
        f"{'that of `[CLS]`' if pooling == 'cls' else 'the mean over all tokens'} after layer {state_index - 1}"
        for state_index, pooling in read.reads
    ]
    return f"{len(vectors)} vectors joined into one: {', '.join(vectors)}"


def explain_logit(read: Readout, *, row: int) -> WorkedOut:
    """A class's logit."""
    formula = rf"z_{{{row}}} = h \cdot w_{{{row}}} + b_{{{row}}}"
    return explain_dot_product(formula, logit(read, row=row), vectors=VECTORS)


def explain_probability(read: Readout, *, row: int) -> WorkedOut:
    """A class's probability."""
    return explain_softmax(
        probability(read, row=row),
        symbols=(f"p_{{{row}}}", f"z_{{{row}}}", "z_j"),
        names=("logit z", "exp(z − largest)"),
        counted="class",
    )


def explain_score(read: Readout) -> WorkedOut:
    """The regression score."""
    cell = readout_score(read)
    worked = explain_dot_product(r"z = h \cdot w + b", cell.product, vectors=VECTORS)
    if not cell.squashed:
        return worked
    line = (
        rf"\sigma(z) = \frac{{1}}{{1 + e^{{-z}}}} = \frac{{1}}{{1 + {exponential_of_minus(cell.product.value)}}} = "
        rf"{number(cell.value)}"
    )
    return replace(worked, lines=(*worked.lines, line))


STEP = Step(title="From [CLS] to probabilities", content=content)
