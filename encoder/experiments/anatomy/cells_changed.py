"""One number of the attention with a mask, or with something changed, worked out from the scores of its row."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from encoder.experiments.anatomy.masks import Masked
from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.what_if import Changed
from encoder.experiments.anatomy.worked import EXPONENTIAL, Worked, number, signed, softmaxed


def masked_weight(seen: Masked, *, head: int, row: int, column: int) -> Worked:
    """A weight under a mask: score plus mask, then the softmax of that row."""
    added = np.where(seen.allowed[row], 0, -np.inf).astype(np.float32)  # (T,)
    scores = seen.scores[head, row]
    value = float(seen.weights[head, row, column])
    before, mask, after = (float(array[column]) for array in (seen.unmasked[head, row], added, scores))
    line, powers = softmaxed(
        f"a_{{{row},{column}}}",
        scores,
        column,
        score=f"s_{{{row},{column}}} + M_{{{row},{column}}}",
        others=f"s_{{{row},j}} + M_{{{row},j}}",
        value=value,
    )
    return Worked(
        lines=(
            rf"s_{{{row},{column}}} + M_{{{row},{column}}} = {number(before)} {signed(mask)} = {number(after)}",
            line,
        ),
        value=value,
        terms=MappingProxyType({"score s": seen.unmasked[head, row], "mask M": added, "exp(s + M − largest)": powers}),
        over="key",
    )


def changed_weight(record: Record, changed: Changed, *, head: int, row: int, column: int) -> Worked:
    """A weight of the model beside the changed one, each with the softmax of its own row.

    Dropout comes behind the softmax: it sets a weight to 0, or scales it up.
    """
    of = 0 if len(changed.weights) == 1 else head
    own, other = record.scores[head, row], changed.scores[of, row]
    own_value, value = float(record.weights[head, row, column]), float(changed.weights[of, row, column])
    at = f"{row},{column}"
    own_line, own_powers = softmaxed(
        f"a_{{{at}}}", own, column, score=f"s_{{{at}}}", others=f"s_{{{row},j}}", value=own_value
    )
    kept = float(changed.softmax[of, row, column])
    line, powers = softmaxed(f"a'_{{{at}}}", other, column, score=f"s'_{{{at}}}", others=f"s'_{{{row},j}}", value=kept)
    lines = [own_line, line]
    if value != kept:
        rate = record.config.attention_probs_dropout_prob
        lines.append(
            rf"\text{{dropout: }} {number(kept)} \to 0"
            if value == 0
            else rf"\text{{dropout: }} \frac{{{number(kept)}}}{{1 - {rate:g}}} = {number(value)}"
        )
    return Worked(
        lines=tuple(lines),
        value=value,
        terms=MappingProxyType(
            {
                "score s": own,
                EXPONENTIAL: own_powers,
                "changed score s'": other,
                "exp(s' − largest)": powers,
            }
        ),
        over="key",
    )
