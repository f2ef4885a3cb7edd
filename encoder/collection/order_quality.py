"""How good the order of a row's words is: its removal curve against random orders, and between the worst and the best.

Words are masked, the one that adds most first, as in `encoder.attribution.removal_curves`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from encoder.attribution.exact_orders import MOST_UNITS, exact_orders, subset_values
from encoder.attribution.quantities import ClassQuantity
from encoder.attribution.removal_curves import area, removal_counts, removal_curve
from encoder.attribution.removals import RemovalGame, removable_units
from encoder.collection.driving_words import attributions, require_whole_text, targets_of
from encoder.collection.kinds.base import Results
from encoder.collection.reruns import tokenize
from encoder.collection.row_filters import ALL, select_rows
from encoder.collection.table import Collection
from encoder.measures.inference import Interval, mean
from encoder.measures.near_ties import largest_first
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray

MOST_ROWS: Final = 40
RANDOM_ORDERS: Final = 5  # of a row of more than `MOST_UNITS` words; the mean of all orders for a shorter one
FEWEST_UNITS: Final = 2
SPECIAL: Final = 2  # tokens of a text that are no words


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OrderQuality:
    """The orders of N rows.

    Attributes:
        rows: (N,) their indices in the collection, ascending.
        areas: (N,) mean fall of the probability of the class, or of the score, as words are removed in the row's order.
        random: (N,) the same in random orders.
        places: (N,) from the exact worst order of the row, 0, to its best one, 1; NaN if the row has more than
            `MOST_UNITS` words, or if all orders are equal.
        random_places: (N,) the same for random orders, as the exact mean over all of them.
    """

    rows: npt.NDArray[np.intp]
    areas: FloatArray
    random: FloatArray
    places: FloatArray
    random_places: FloatArray

    @property
    def gain(self) -> Interval:
        """The mean of `areas` minus `random`, with its interval over rows."""
        return mean(self.areas - self.random)

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of N rows, for `pandas.DataFrame`."""
        return {
            "row": self.rows,
            "aopc": self.areas,
            "random_aopc": self.random,
            "naopc": self.places,
            "random_naopc": self.random_places,
        }


def tokens_to_run(collection: Collection, results: Results, rows: str) -> int:
    """About how many tokens `order_quality` runs, if each token is a word."""
    total = 0
    for length in results.lengths[_drawn(collection, results, rows)].tolist():
        units = max(length - SPECIAL, 0)
        total += length * (1 << units if units <= MOST_UNITS else (1 + RANDOM_ORDERS) * len(removal_counts(units)))
    return total


def _drawn(collection: Collection, results: Results, rows: str | Sequence[int]) -> npt.NDArray[np.intp]:
    """Some of the rows, drawn at random but the same each time."""
    return np.sort(np.random.default_rng(0).permutation(select_rows(collection, results, rows))[:MOST_ROWS])


def order_quality(
    model: Backend,
    collection: Collection,
    results: Results,
    rows: str | Sequence[int] = ALL,
    *,
    label: str | None = None,
    progress: Progress = no_progress,
) -> OrderQuality:
    """Test the orders of up to `MOST_ROWS` rows, drawn at random but the same each time.

    Args:
        results: the model's, of all rows.
        rows, label: as in `encoder.collection.driving_words.driving_words`.
        progress: called with the rows done and in total; an exception raised there ends the work.
    Raises:
        SelectionError: there are no such rows or no such class.
        UnsupportedModelError: the model predicts nothing for a whole text, or its tokenizer has no mask token.
    """
    results = require_whole_text(results)
    generator = np.random.default_rng(0)
    drawn = _drawn(collection, results, rows)
    targets = targets_of(results, drawn, label)
    texts = [tokenize(model, text) for text in collection.texts(drawn.tolist())]
    rows_tested, areas, random, places, random_places = [], [], [], [], []
    for done, (tokens, (values, _)) in enumerate(
        zip(texts, attributions(model, texts, targets, results.unit), strict=True)
    ):
        progress(done, len(texts))
        units = removable_units(tokens, level="words")
        if len(units) < FEWEST_UNITS:
            continue
        rows_tested.append(drawn[done])
        order = largest_first(np.array([values[list(unit)].sum() for unit in units], np.float32))
        game = RemovalGame(model, tokens, units, _quantity(results.unit, int(targets[done])), "mask")
        if len(units) <= MOST_UNITS:
            exact = exact_orders(subset_values(game))
            areas.append(exact.area(order))
            random.append(exact.mean)
            places.append(exact.place(exact.area(order)))
            random_places.append(exact.place(exact.mean))
        else:
            counts = removal_counts(len(units))
            others = [generator.permutation(len(units)).tolist() for _ in range(RANDOM_ORDERS)]
            areas.append(area(removal_curve(game, order), counts))
            random.append(float(np.mean([area(removal_curve(game, other), counts) for other in others])))
            places.append(None)
            random_places.append(None)
    progress(len(texts), len(texts))
    return OrderQuality(
        rows=np.array(rows_tested, np.intp),
        areas=np.array(areas, np.float32),
        random=np.array(random, np.float32),
        places=np.array(places, np.float32),
        random_places=np.array(random_places, np.float32),
    )


def _quantity(unit: str, target: int) -> ClassQuantity:
    """The probability of a class; the logit of a label or of a score."""
    return ClassQuantity(target, unit="probability" if unit == "log odds" else "logit")
