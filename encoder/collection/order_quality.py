"""How good the order of a row's words is: its removal curve against random orders, and between the worst and the best.

Words are masked, the one that adds most first, as in `encoder.attribution.removal_curves`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from encoder.attribution.exact_orders import MOST_UNITS, exact_orders, subset_values
from encoder.attribution.orders import largest_first
from encoder.attribution.quantities import ClassQuantity
from encoder.attribution.removal_curves import area, removal_counts, removal_curve
from encoder.attribution.removals import RemovalGame, removable_units
from encoder.collection.driving_words import attributions, targets_of
from encoder.collection.reruns import tokenize
from encoder.collection.results import Kind, Progress, Results, no_progress
from encoder.collection.row_filters import ALL, select_rows
from encoder.collection.table import Collection
from encoder.measures.intervals import bootstrap_interval
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray

MOST_ROWS: Final = 40
RANDOM_ORDERS: Final = 5  # of a row of more than `MOST_UNITS` words; the mean of all orders for a shorter one
FEWEST_UNITS: Final = 2
SPECIAL: Final = 2  # tokens of a text that are no words


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OrderQuality:
    """The orders of N rows.

    Attributes:
        areas: (N,) mean fall of the probability of the class, or of the score, as words are removed in the row's order.
        random: (N,) the same in random orders.
        places: (S,) of each row of at most `MOST_UNITS` words: from its exact worst order, 0, to its best one, 1.
        random_places: (S,) the same for random orders, as the exact mean over all of them.
    """

    areas: FloatArray
    random: FloatArray
    places: FloatArray
    random_places: FloatArray

    @property
    def gain(self) -> tuple[float, float, float]:
        """The mean of `areas` minus `random`, and its 95 % bootstrap interval."""
        differences = self.areas - self.random
        return float(differences.mean()), *bootstrap_interval(differences)

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of N rows, for `pandas.DataFrame`."""
        return {"aopc": self.areas, "aopc_of_random_orders": self.random}


def tokens_to_run(results: Results, rows: str) -> int:
    """About how many tokens `order_quality` runs, if each token is a word."""
    total = 0
    for length in results.lengths[_drawn(results, rows)].tolist():
        units = max(length - SPECIAL, 0)
        total += length * (1 << units if units <= MOST_UNITS else (1 + RANDOM_ORDERS) * len(removal_counts(units)))
    return total


def _drawn(results: Results, rows: str) -> npt.NDArray[np.intp]:
    """Some of the rows, drawn at random but the same each time."""
    return np.sort(np.random.default_rng(0).permutation(select_rows(results, rows))[:MOST_ROWS])


def order_quality(
    model: Backend,
    collection: Collection,
    results: Results,
    rows: str = ALL,
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
        UnsupportedModelError: the model's tokenizer has no mask token.
    """
    generator = np.random.default_rng(0)
    drawn = _drawn(results, rows)
    targets = targets_of(results, drawn, label)
    texts = [tokenize(model, text) for text in collection.texts(drawn.tolist())]
    areas, random, places, random_places = [], [], [], []
    for done, (tokens, values) in enumerate(zip(texts, attributions(model, texts, targets, results.kind), strict=True)):
        progress(done, len(texts))
        units = removable_units(tokens, level="words")
        if len(units) < FEWEST_UNITS:
            continue
        order = largest_first(np.array([values[list(unit)].sum() for unit in units], np.float32))
        game = RemovalGame(model, tokens, units, _quantity(results.kind, int(targets[done])), "mask")
        if len(units) <= MOST_UNITS:
            exact = exact_orders(subset_values(game))
            areas.append(exact.area(order))
            random.append(exact.mean)
            place, of_random = exact.place(exact.area(order)), exact.place(exact.mean)
            if place is not None and of_random is not None:
                places.append(place)
                random_places.append(of_random)
        else:
            counts = removal_counts(len(units))
            others = [generator.permutation(len(units)).tolist() for _ in range(RANDOM_ORDERS)]
            areas.append(area(removal_curve(game, order), counts))
            random.append(float(np.mean([area(removal_curve(game, other), counts) for other in others])))
    progress(len(texts), len(texts))
    return OrderQuality(
        areas=np.array(areas, np.float32),
        random=np.array(random, np.float32),
        places=np.array(places, np.float32),
        random_places=np.array(random_places, np.float32),
    )


def _quantity(kind: Kind, target: int) -> ClassQuantity:
    """The probability of a class; the logit of a label or of a score."""
    return ClassQuantity(target, unit="probability" if kind == "classes" else "logit")
