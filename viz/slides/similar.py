"""Similar because on a slide: the cosine of A and B, split over pairs of words, and the test by taking pairs away."""

from __future__ import annotations

import numpy as np

from encoder.attribution.removal_curves import RANDOM_ORDERS, removal_counts
from encoder.attribution.removals import removable_units
from encoder.comparison.pair_removals import PairRemovals, largest_pairs_first, random_pair_curves
from encoder.comparison.similarity_map import SimilarityMap, similarity_map, tokens_to_run
from encoder.errors import SelectionError
from encoder.text.tokens import Tokens
from viz.claims.subject import Subject
from viz.exports.charts import Chart
from viz.exports.contents import NumberGrid
from viz.panels.similar_because.pairs import labels_of, sum_in_words
from viz.panels.similar_because.testing import UNIT
from viz.slides.removal_charts import plain, removal_chart
from viz.slides.still import Still, check_tokens
from viz.state.selection import Selection
from viz.wording.labels import make_visible
from viz.wording.numbers import written

REMARK = "The pairs as lines, and what is no pair's, are in the app."
MOST_WORDS = 24  # of each sentence, as a slide has room
NO_DIFFERENCE = 1e-6  # the end of a scale where no pair adds anything


def similar_because(selection: Selection, subject: Subject) -> Still:
    """The map of pairs, and what is left of the cosine as pairs are taken away.

    Raises:
        HeadlightError: there is one sentence only, the texts are too long, or the model cannot be taken apart.
    """
    if len(subject.traces) < 2:
        raise SelectionError("This asks why two sentences are similar: type a second one.")
    backend, level = subject.backend, selection.level
    a, b = (trace.tokens for trace in subject.traces.values())
    units_a, units_b = (removable_units(tokens, level=level) for tokens in (a, b))
    check_tokens(tokens_to_run((len(a), len(units_a)), (len(b), len(units_b))))
    found = similarity_map(backend, a, b, level=level)
    removals = PairRemovals(backend=backend, a=a, b=b, units_a=units_a, units_b=units_b)
    pairs = largest_pairs_first(found.values)
    counts = removal_counts(len(pairs))
    check_tokens(RANDOM_ORDERS * len(counts) * (len(a) + len(b)))
    test = removal_chart(
        f"Pairs of words are taken away by [MASK], those first that add most: {UNIT}",
        removals.curve(pairs),
        random_pair_curves(removals),
        counts=counts,
        unit=UNIT,
        taken="pairs",
        model_name=backend.name,
        text="The shorter sentence",
    )
    return Still(charts=(_map(found, (a, b), selection), test), remark=REMARK)


def _map(found: SimilarityMap, tokens: tuple[Tokens, Tokens], selection: Selection) -> Chart:
    """A row for each word of A, a column for each of B; of long sentences the words of the strongest pairs."""
    strength = np.abs(found.values)
    rows, columns = (sorted(np.argsort(-strength.max(axis))[:MOST_WORDS].tolist()) for axis in (1, 0))
    a, b = ([make_visible(label) for label in labels_of(each, selection.level)] for each in tokens)
    left_out = len(a) + len(b) - len(rows) - len(columns)
    limit = max(float(strength.max()), NO_DIFFERENCE)
    return Chart(
        grid=NumberGrid(
            f"A and B have a cosine of {written(found.cosine, '.3f')}: what each word of A (down) and word "
            "of B (across) add to it",
            [a[row] for row in rows],
            [b[column] for column in columns],
            found.values[rows][:, columns],
            low=-limit,
            high=limit,
            digits=3,
            signed=True,
        ),
        said=plain(sum_in_words(found)) + (f" {left_out} words of weaker pairs are left out." if left_out else ""),
    )
