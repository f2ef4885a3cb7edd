"""The steps of the anatomy, in the order of the computation: one module each, named after its key.

To add a step, write its module here, with a `STEP`: a title, the words, formula, tensors and code of `content`, and,
where a number can be worked out, `work_out`. Then register it in one line of `STEPS` below, under a key that
`encoder.experiments.anatomy.names.StepKey` has in the same place; links are checked against that list before torch is
imported.
"""

from collections.abc import Mapping
from types import MappingProxyType

from encoder.experiments.anatomy.names import StepKey
from viz.answers.anatomy.step import Step
from viz.answers.anatomy.steps import (
    context,
    embeddings,
    feed_forward,
    heads,
    ids,
    layers,
    mask,
    numbers,
    output,
    positions,
    prediction,
    projections,
    residual,
    scaling,
    scores,
    softmax,
    text,
    what_if,
)

STEPS: Mapping[StepKey, Step] = MappingProxyType(
    {
        "text": text.STEP,
        "ids": ids.STEP,
        "embeddings": embeddings.STEP,
        "positions": positions.STEP,
        "projections": projections.STEP,
        "scores": scores.STEP,
        "scaling": scaling.STEP,
        "mask": mask.STEP,
        "softmax": softmax.STEP,
        "context": context.STEP,
        "heads": heads.STEP,
        "output": output.STEP,
        "residual": residual.STEP,
        "feed-forward": feed_forward.STEP,
        "layers": layers.STEP,
        "prediction": prediction.STEP,
        "what-if": what_if.STEP,
        "numbers": numbers.STEP,
    }
)
