"""The steps of the anatomy, in the order of the computation.

To add a step, write a function in one of the modules here that returns its words, formula, tensors and code, and, where
a number can be worked out, one that explains it. Then add a line to `STEPS`, under a key that
`encoder.experiments.anatomy.names.StepKey` has in the same place; links are checked against that list before torch is
imported.
"""

from collections.abc import Mapping
from types import MappingProxyType

from encoder.experiments.anatomy.names import StepKey
from viz.answers.anatomy.step import Step
from viz.answers.anatomy.steps import inputs, layer, model

STEPS: Mapping[StepKey, Step] = MappingProxyType(
    {
        "text": Step("Text into wordpieces", inputs.text),
        "ids": Step("Wordpieces into numbers", inputs.ids),
        "embeddings": Step("Numbers into vectors", inputs.embeddings, inputs.work_out_embeddings),
        "positions": Step("Where a token stands", inputs.positions),
        "projections": Step("Queries, keys and values", layer.projections, layer.work_out_projections),
        "scores": Step("Every query meets every key", layer.scores, layer.work_out_scores),
        "scaling": Step("Scores are scaled", layer.scaling, layer.work_out_scaling),
        "mask": Step("A mask hides keys", layer.mask),
        "softmax": Step("Scores into weights", layer.softmax, layer.work_out_softmax),
        "context": Step("Weights mix the values", layer.context, layer.work_out_context),
        "heads": Step("All heads side by side", layer.heads, layer.work_out_heads),
        "output": Step("The output projection", layer.output, layer.work_out_output),
        "residual": Step("Residual connection and layer norm", layer.residual, layer.work_out_residual),
        "feed-forward": Step("The feed-forward network", layer.feed_forward, layer.work_out_feed_forward),
        "layers": Step("The next layers", model.layers, model.work_out_layers),
        "prediction": Step("From [CLS] to probabilities", model.prediction),
        "what-if": Step("What if …?", model.what_if),
        "numbers": Step("BERT in numbers", model.numbers),
    }
)
