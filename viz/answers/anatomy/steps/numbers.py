"""BERT in numbers: parameters module by module, operations by length."""

from __future__ import annotations

from encoder.experiments.anatomy.parameter_counts import count_encoder
from encoder.measures.cost import count_operations, crossings
from viz.answers.anatomy.step import RecordedRun, Step, StepContent


def content(run: RecordedRun) -> StepContent:
    """Words and formula."""
    s = run.sizes
    return StepContent(
        words=(
            "How large is all this? **Parameters** are the learned numbers of the tables and matrices you have seen; "
            "most lie in the word table and in the feed-forward. **Operations** are the multiplications and additions "
            "of one run. Each part grows with the length of the text, T tokens, but scores and context grow with its "
            "square, since every token meets every token. With this model's widths they overtake the feed-forward at "
            f"{crossings(run.record.config).feed_forward:,} tokens."
        ),
        formula=(
            rf"\text{{scores and context: }} 4\,T^2 \cdot {s.D} \qquad \text{{feed-forward: }} 4\,T \cdot {s.D} \cdot "
            rf"{s.F} \qquad \text{{equal at }} T = {s.F}"
        ),
        sources=(count_operations, count_encoder),
    )


STEP = Step(title="BERT in numbers", content=content)
