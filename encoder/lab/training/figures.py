"""Figures: accuracies with a majority baseline, and errors of sentiment scores.

A measurement is a dictionary with n and a baseline; a `Figure` is its form on a model card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from encoder.models.labels import SENTIMENTS
from encoder.shipped.card import Figure

NEGATIVE, NEUTRAL, POSITIVE = range(len(SENTIMENTS))
Array = np.ndarray[Any, Any]


def accuracy(right: Array, truth: Array, names: Sequence[str]) -> dict[str, Any]:
    """The share of (N,) right answers, with n and the majority baseline; both shares are None if N is 0.

    Args:
        truth: (N,) the labels, as indices of `names`.
    """
    if not len(truth):
        return {"accuracy": None, "n": 0, "majority_baseline": None, "majority": "none"}
    counts = np.bincount(truth, minlength=len(names))
    return {
        "accuracy": float(right.mean()),
        "n": len(truth),
        "majority_baseline": float(counts.max() / len(truth)),
        "majority": f"always {names[int(counts.argmax())]}",
    }


def accuracy_figure(name: str, title: str, test_set: str, measured: Mapping[str, Any]) -> Figure:
    """A result of `accuracy` as a figure."""
    return Figure(
        name=name,
        title=title,
        test_set=test_set,
        value=measured["accuracy"],
        n=measured["n"],
        baseline=measured["majority_baseline"],
        baseline_name=measured["majority"],
    )


def sentiment_figures(logits: Array, scores: Array, labels: Array, true: Array) -> dict[str, Any]:
    """Sentiment figures of N texts.

    Args:
        logits: (N, 3) for negative, neutral, positive; or probabilities.
        scores, true: (N,) predicted and true scores.
        labels: (N,) true classes.
    """
    polar = labels != NEUTRAL
    right = (logits[:, POSITIVE] > logits[:, NEGATIVE]) == (labels == POSITIVE)  # (N,)
    counts = np.bincount(labels, minlength=len(SENTIMENTS))
    return {
        "sst2": accuracy(right[polar], labels[polar], SENTIMENTS),
        "three_class": accuracy(logits.argmax(axis=1) == labels, labels, SENTIMENTS),
        "score": {
            "mae": float(np.abs(scores - true).mean()),
            "pearson_r": _correlation(scores, true),
            "n": len(true),
            "baseline_mae": float(np.abs(np.median(true) - true).mean()),
            "baseline": "always the median",
        },
        "class_counts": dict(zip(SENTIMENTS, counts.tolist(), strict=True)),
    }


def sentiment_card_figures(measured: Mapping[str, Any]) -> tuple[Figure, ...]:
    """The result of `sentiment_figures` on SST dev as figures; those without a value are left out."""
    score, where = measured["score"], "SST dev"
    figures = (
        accuracy_figure(
            "sst2_accuracy", "Negative or positive, accuracy", f"{where}, neutral left out", measured["sst2"]
        ),
        accuracy_figure(
            "three_class_accuracy", "Negative, neutral or positive, accuracy", where, measured["three_class"]
        ),
        Figure(
            name="score_mae",
            title="Sentiment score from 0 to 1, mean absolute error",
            test_set=where,
            value=score["mae"],
            n=score["n"],
            baseline=score["baseline_mae"],
            baseline_name=score["baseline"],
        ),
        Figure(
            name="score_pearson_r",
            title="Sentiment score, Pearson correlation",
            test_set=where,
            value=score["pearson_r"],
            n=score["n"],
        ),
    )
    return tuple(figure for figure in figures if figure.value is not None)


def _correlation(x: Array, y: Array) -> float | None:
    """Pearson's r, or None if one of the two is constant."""
    return float(np.corrcoef(x, y)[0, 1]) if len(x) > 1 and x.std() > 0 and y.std() > 0 else None
