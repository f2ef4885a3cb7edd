"""Occurrences of a word as points in the plane, layer by layer, and their nearest neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.similarity import unit_vectors
from encoder.runs.arrays import FloatArray

MANY: Final = (
    1_000  # occurrences, of which the covariance is decomposed instead of the states: it is as exact, and faster
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseMap:
    """Occurrences as centred points (N, 2), 0 along missing axes, and (2,) the share of the variance on each axis."""

    points: FloatArray
    explained: FloatArray


def sense_map(states: FloatArray) -> SenseMap:
    """Principal components of occurrences' states in one layer.

    Args:
        states: (N, D).
    Raises:
        ShapeError: there are no states.
    Source: Pearson (1901); scikit-learn's full decomposition, whose signs are deterministic.
    """
    if states.ndim != 2 or not states.size:
        raise ShapeError(f"States are {states.shape}; a map needs (N, D) with at least one occurrence.")
    from sklearn.decomposition import PCA  # takes a second, and most who import this module draw no map

    points, explained = np.zeros((len(states), 2), np.float32), np.zeros(2, np.float32)
    varies = bool((states != states[0]).any())
    if varies:
        axes = min(2, *states.shape)
        pca = PCA(n_components=axes, svd_solver="covariance_eigh" if len(states) > MANY else "full")
        points[:, :axes] = pca.fit_transform(states.astype(np.float64))
        explained[:axes] = pca.explained_variance_ratio_
    return SenseMap(points=points, explained=explained)


def aligned(maps: Iterable[FloatArray]) -> FloatArray:
    """Maps of the same points, each rotated and reflected so that its points are as near as they can be to the last's.

    Distances within a map stay. How long the points are in each map does not matter.

    Args:
        maps: S of (N, 2), centred.
    Returns:
        (S, N, 2).
    Source: Schönemann (1966), orthogonal Procrustes.
    """
    from scipy.linalg import orthogonal_procrustes

    found: list[FloatArray] = []
    for points in maps:
        rotation = orthogonal_procrustes(points, found[-1])[0] if found else np.eye(2)
        found.append((points @ rotation).astype(np.float32))
    return np.stack(found)


def nearest_neighbours(states: FloatArray, count: int) -> tuple[NDArray[np.intp], FloatArray]:
    """The occurrences most similar to each, by cosine in all D dimensions, not on the map.

    Args:
        states: (N, D).
    Returns:
        (N, min(count, N - 1)) indices, the most similar first, and their cosines.
    Raises:
        ShapeError: there are no states.
    """
    if states.ndim != 2 or not states.size:
        raise ShapeError(f"States are {states.shape}; neighbours need (N, D) with at least one occurrence.")
    unit = unit_vectors(states)
    cosines = np.clip(unit @ unit.T, -1, 1)  # (N, N)
    np.fill_diagonal(cosines, -np.inf)
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, : min(count, len(states) - 1)]
    return nearest, np.take_along_axis(cosines, nearest, axis=1)
