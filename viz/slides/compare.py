"""Compare on a slide: how far all heads of two runs differ, and the selected head's difference cell by cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from encoder import Trace
from encoder.comparison.compare import PERMUTATIONS, Comparison, HeadDifferences, WordMeasure, compare
from encoder.comparison.run_differences import attention_difference
from encoder.errors import SelectionError
from encoder.measures.unit_attention import head_or_mean
from viz.claims.subject import Subject
from viz.exports.charts import Chart
from viz.exports.contents import NumberGrid
from viz.figures.differences import LEAST
from viz.panels.common import head_name
from viz.panels.compare.choice import model_at_step, nearest_step, step_of
from viz.panels.compare.heads import LEVEL
from viz.slides.models import Models
from viz.slides.still import Still
from viz.state.selection import Selection
from viz.wording.labels import heads_in_words, make_visible

REMARK = "Words, predictions and cosines of the two, side by side, are in the app."
MOST_WORDS = 24  # as a slide has room


class _Runs(NamedTuple):
    """The two runs of a comparison, and where they are, such as "in A" and "in B"."""

    a: Trace
    b: Trace
    names: tuple[str, str]
    measure: WordMeasure = "states"


def compare_runs(selection: Selection, subject: Subject, models: Models) -> Still:
    """The distances of all heads, and the selected head of the second run minus the first.

    Raises:
        HeadlightError: there is no second run, or heads of the two are not comparable.
    """
    runs = _runs(selection, subject, models)
    found = compare(runs.a, runs.b, special=selection.special, measure=runs.measure)
    if found.is_without_difference:
        raise SelectionError("Both runs have the same words, attention and states.")
    if not found.runs.alignment.shared:
        raise SelectionError("The two texts share no word, so that nothing can be compared.")
    if found.heads is None:
        raise SelectionError("The models differ in layers or heads, so that no head has a counterpart.")
    return Still(charts=(_one_head(found, runs, selection), _heads(found.heads, runs)), remark=REMARK)


def _runs(selection: Selection, subject: Subject, models: Models) -> _Runs:
    first = subject.first
    a, *rest = first.tokens.sentences
    b = rest[0] if rest else None
    match selection.compare.kind:
        case "texts":
            if len(subject.traces) < 2:
                raise SelectionError("This compares two sentences: type a second one.")
            one, other = subject.traces.values()
            return _Runs(one, other, ("in A", "in B"))
        case "heads":
            silenced = selection.word_lens.silenced
            if not silenced:
                raise SelectionError("No head is silenced.")
            changed = subject.backend.trace(a, b, silenced_heads=silenced)
            return _Runs(first, changed, ("with all heads", f"without {heads_in_words(silenced)}"))
        case "models":
            other = models.trace(selection.compare.model, a, b)
            return _Runs(first, other, (f"in {first.model_name}", f"in {other.model_name}"), "structure")
        case "steps":
            early, late = sorted((step_of(first.model_name), nearest_step(selection.compare.step)))
            one, other = (models.trace(model_at_step(step), a, b) for step in (early, late))
            return _Runs(one, other, (f"after step {early}", f"after step {late}"))


def _one_head(found: Comparison, runs: _Runs, selection: Selection) -> Chart:
    """A cell for each query and key that both texts have; of long texts the first."""
    differences = head_or_mean(attention_difference(found.runs, selection.layer), selection.head)  # (P, P)
    alignment = found.runs.alignment
    labels = [make_visible(label) for label in alignment.shared_labels[:MOST_WORDS]]
    shown = differences[: len(labels), : len(labels)]
    limit = max(float(np.abs(shown).max()), LEAST)
    alone = len(alignment.columns) - len(alignment.shared)
    missing = len(alignment.shared) - len(labels)
    said = [
        f"Above 0 the query looks at the key more {runs.names[1]}, below 0 more {runs.names[0]}.",
        f"{alone} tokens of one text alone are left out." if alone else "",
        f"{missing} more shared tokens are left out." if missing else "",
    ]
    return Chart(
        grid=NumberGrid(
            f"{head_name(selection)}: attention {runs.names[1]} minus attention {runs.names[0]}",
            labels,
            labels,
            shown,
            low=-limit,
            high=limit,
            digits=2,
            signed=True,
        ),
        said=" ".join(filter(None, said)),
    )


def _heads(heads: HeadDifferences, runs: _Runs) -> Chart:
    """A cell for each head; framed where chance seldom gives as much."""
    distances, framed = heads.distances, np.argwhere(heads.p_values <= LEVEL).tolist()
    layer, head = np.unravel_index(distances.argmax(), distances.shape)
    return Chart(
        grid=NumberGrid(
            f"How far the rows of each head differ {runs.names[0]} and {runs.names[1]}, from 0 to 1",
            [f"L{layer}" for layer in range(distances.shape[0])],
            [f"H{head}" for head in range(distances.shape[1])],
            distances,
            low=0,
            high=max(float(distances.max()), LEAST),
            digits=2,
        ),
        said=f"L{layer} H{head} differs most: {distances[layer, head]:.3f}.",
        frames=[(layer, head, 1, 1) for layer, head in framed],
        frames_name=f"p ≤ {LEVEL} in {PERMUTATIONS} permutations" if framed else "",
    )
