"""How many classes a model has to name to be right as often as wanted: split conformal prediction."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from encoder.errors import SelectionError
from encoder.measures.inference import Interval, mean, share
from encoder.runs.arrays import FloatArray

FEWEST: Final = 40  # rows: half of them have to say what happens in one of twenty


class PredictionSets(NamedTuple):
    """Sets of classes, of which the right one is among as many rows as wanted.

    Attributes:
        wanted: the share of rows.
        threshold: the least probability of a class in a set; the likeliest class is always in it. From one half of the
            rows.
        covered: the share of the rows of the other half whose class is in their set.
        size: the mean number of classes in these sets.
    """

    wanted: float
    threshold: float
    covered: Interval
    size: Interval


def prediction_sets(probabilities: FloatArray, gold: npt.NDArray[np.intp], wanted: float) -> PredictionSets:
    """Sets of classes by a threshold of their probability, from a random half of the rows, tried on the other.

    For rows of the same kind, the right class is in the set of at least the wanted share of rows, on average over such
    halves, whatever the model.

    Args:
        probabilities: (N, C).
        gold: (N,) the right class of each row.
        wanted: a share of rows, such as 0.9.
    Raises:
        SelectionError: there are too few rows.
    Source: Vovk, Gammerman and Shafer (2005); Sadinle, Lei and Wasserman (2019), with the likeliest class added.
    """
    if len(gold) < FEWEST:
        raise SelectionError(f"{len(gold)} rows with a label are too few to split: {FEWEST} at least.")
    order = np.random.default_rng(0).permutation(len(gold))
    half, other = order[: len(order) // 2], order[len(order) // 2 :]
    own = np.sort(probabilities[half, gold[half]])[::-1]
    place = math.ceil((len(half) + 1) * wanted)
    threshold = float(own[place - 1]) if place <= len(half) else 0.0
    members = probabilities[other] >= threshold
    members[np.arange(len(other)), probabilities[other].argmax(axis=1)] = True
    covered = int(members[np.arange(len(other)), gold[other]].sum())
    return PredictionSets(wanted, threshold, share(covered, len(other)), mean(members.sum(axis=1)))
