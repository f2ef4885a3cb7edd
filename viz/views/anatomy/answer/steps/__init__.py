"""The steps of the anatomy, in the order of the computation.

To add a step, write a function in one of the modules here that returns its words, formula and tensors, one that works
out a number, and one that returns its code. Then add a line to `STEPS`, under a key that
`encoder.experiments.anatomy.names.StepKey` has in the same place; links are checked against that list before torch is
imported.
"""

from collections.abc import Mapping

from encoder.experiments.anatomy.names import StepKey
from viz.views.anatomy.answer.step import Step
from viz.views.anatomy.answer.steps import attention, feed_forward, inputs, mask, model, residual

STEPS: Mapping[StepKey, Step] = {
    "text": Step(title="Text into wordpieces", content=inputs.text, parts=inputs.parts_of_text),
    "ids": Step(title="Wordpieces into numbers", content=inputs.ids, parts=inputs.parts_of_ids),
    "positions": Step(title="Vectors for positions", content=inputs.positions, parts=inputs.parts_of_positions),
    "embeddings": Step(
        title="Numbers into vectors",
        content=inputs.embeddings,
        work_out=inputs.work_out_embeddings,
        code=inputs.code_of_embeddings,
    ),
    "projections": Step(
        title="Queries, keys and values",
        follows="head",
        content=attention.projections,
        work_out=attention.work_out_projections,
        code=attention.code_of_projections,
    ),
    "scores": Step(
        title="Every query meets every key",
        follows="head",
        content=attention.scores,
        work_out=attention.work_out_scores,
        code=attention.code_of_scores,
    ),
    "scaling": Step(
        title="Scores are scaled",
        follows="head",
        content=attention.scaling,
        work_out=attention.work_out_scaling,
        code=attention.code_of_scaling,
        below=attention.sharpness,
    ),
    "mask": Step(title="A mask hides keys", follows="head", content=mask.mask, parts=mask.parts_of_mask),
    "softmax": Step(
        title="Scores into weights",
        follows="head",
        content=attention.softmax,
        work_out=attention.work_out_softmax,
        code=attention.code_of_softmax,
    ),
    "context": Step(
        title="Weights mix the values",
        follows="head",
        content=attention.context,
        work_out=attention.work_out_context,
        code=attention.code_of_context,
    ),
    "heads": Step(
        title="All heads side by side",
        follows="head",
        content=attention.heads,
        work_out=attention.work_out_heads,
        code=attention.code_of_heads,
    ),
    "output": Step(
        title="The output projection",
        follows="layer",
        content=attention.output,
        work_out=attention.work_out_output,
        code=attention.code_of_output,
    ),
    "residual": Step(
        title="Residual connection and layer norm",
        follows="layer",
        content=residual.residual,
        work_out=residual.work_out_residual,
        code=residual.code_of_residual,
        folds=residual.folds_of_residual,
    ),
    "feed-forward": Step(
        title="The feed-forward network",
        follows="layer",
        content=feed_forward.feed_forward,
        work_out=feed_forward.work_out_feed_forward,
        code=feed_forward.code_of_feed_forward,
        folds=feed_forward.folds_of_feed_forward,
    ),
    "layers": Step(
        title="The next layers",
        follows="layer",
        content=model.layers,
        work_out=model.work_out_layers,
        parts=model.parts_of_layers,
    ),
    "prediction": Step(
        title="From vectors to probabilities", content=model.prediction, parts=model.parts_of_prediction
    ),
    "what-if": Step(title="What if …?", follows="head", content=model.what_if, parts=model.parts_of_what_if),
    "numbers": Step(title="BERT in numbers", content=model.numbers, parts=model.parts_of_numbers),
}
