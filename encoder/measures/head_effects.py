"""Effects of silencing heads on words: on the final vector, a probe's log-odds, and the shift from another text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.errors import SelectionError, ShapeError
from encoder.measures.similarity import unit_vectors
from encoder.runs.arrays import FloatArray

CONTROL_QUANTILE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadEffects:
    """The effects of silencing each head on words of one text.

    Attributes:
        distance: (W, L, H) cosine distance between a word's final vectors with and without the head, 0 to 2.
        log_odds: (W, L, H) change of the log-odds between the two classes that the last layer's probe finds likeliest
            with all heads, in nats; negative if the likeliest class loses. None without probes.
        classes: the two classes of each word, the likeliest first; W pairs, or none.
        shift: (W, L, H) change of the cosine distance between a word's final vector and one of another text; negative
            if the two become more similar. None without another text.
    """

    distance: FloatArray
    log_odds: FloatArray | None
    classes: tuple[tuple[int, int], ...]
    shift: FloatArray | None = None


def head_effects(
    vectors: FloatArray, heads: tuple[int, int], *, scores: FloatArray | None = None, other: FloatArray | None = None
) -> HeadEffects:
    """The effects of heads from final vectors, and from a probe's scores where there is one.

    Args:
        vectors: (1 + L * H, W, D) final vectors of words: with all heads, then with each silenced, layer by layer.
        heads: L and H.
        scores: (1 + L * H, W, C) scores of these vectors, before softmax.
        other: (D,) the final vector in another text, from which the shift is measured.
    Raises:
        ShapeError: the shapes do not match.
    """
    layers, per_layer = heads
    if len(vectors) != (runs := 1 + layers * per_layer):
        raise ShapeError(f"{layers} layers of {per_layer} heads give {runs} runs, not {len(vectors)}.")
    units = unit_vectors(vectors)
    cosines = np.einsum("wd,nwd->wn", units[0], units[1:])  # (W, L * H)
    distance = np.clip(1 - cosines, 0, 2).reshape(-1, layers, per_layer)
    shift = None if other is None else shift_effects(vectors, heads, other)
    if scores is None:
        return HeadEffects(distance=distance, log_odds=None, classes=(), shift=shift)
    classes = two_likeliest_classes(scores[0])
    odds = np.stack([log_odds(scores[:, word], pair) for word, pair in enumerate(classes)])  # (W, 1 + L * H)
    change = (odds[:, 1:] - odds[:, :1]).reshape(-1, layers, per_layer)
    return HeadEffects(distance=distance, log_odds=change, classes=classes, shift=shift)


def shift_effects(vectors: FloatArray, heads: tuple[int, int], other: FloatArray) -> FloatArray:
    """(W, L, H) changes of words' cosine distances to a vector (D,) of another text; the rest as `head_effects`.

    Raises:
        ShapeError: the other vector has another width.
    """
    if other.shape != vectors.shape[2:]:
        raise ShapeError(f"Vectors are {vectors.shape[2]} wide, the other text's has the shape {other.shape}.")
    cosines = unit_vectors(vectors) @ unit_vectors(other)  # (1 + L * H, W)
    return (cosines[0] - cosines[1:]).T.reshape(-1, *heads)


def two_likeliest_classes(scores: FloatArray) -> tuple[tuple[int, int], ...]:
    """The two classes with the highest scores, the highest first: (W, C) to W pairs.

    Raises:
        ShapeError: there are fewer than two classes.
    """
    if scores.shape[1] < 2:
        raise ShapeError(f"Scores are {scores.shape}: log-odds need at least two classes.")
    order = np.argsort(-scores, kind="stable")
    return tuple((int(first), int(second)) for first, second in order[:, :2])


def classes_of_two_texts(a: FloatArray, b: FloatArray) -> tuple[int, int]:
    """The likeliest classes of A and of B; if they are the same, B's two likeliest.

    Args:
        a, b: (C,) scores of the classes in each text.
    Raises:
        ShapeError: there are fewer than two classes.
    """
    (in_a, _), in_b = two_likeliest_classes(np.stack([a, b]))
    return in_b if in_a == in_b[0] else (in_a, in_b[0])


def log_odds(scores: FloatArray, classes: tuple[int, int]) -> FloatArray:
    """(..., C) scores before softmax to (...) log-odds of the first class against the second, in nats."""
    return scores[..., classes[0]] - scores[..., classes[1]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The size of effects on other words, as a control for a head's effect.

    By chance, one head in twenty exceeds the 95th percentile: `expected` heads of a model.

    Attributes:
        distance, log_odds, shift: the 95th percentile, over all heads and words, of the distances and of the absolute
            changes of the log-odds and of the shift; None without probes, and without another text.
        n_words, n: number of words, and number of effects of one head on one word.
        expected: number of a model's heads expected beyond it by chance.
    """

    distance: float
    log_odds: float | None
    n_words: int
    n: int
    expected: float
    shift: float | None = None


def control_from_other_words(effects: Sequence[HeadEffects]) -> Control | None:
    """The control from effects on other words, in one or several texts; None without any.

    Raises:
        ShapeError: the effects are of different models.
    """
    if len({effect.distance.shape[1:] for effect in effects}) > 1:
        raise ShapeError(f"Effects are {[effect.distance.shape for effect in effects]}: they must be one model's.")
    if not sum(len(effect.distance) for effect in effects):
        return None
    distance = np.concatenate([effect.distance for effect in effects])  # (W, L, H)
    return Control(
        distance=float(np.quantile(distance, CONTROL_QUANTILE)),
        log_odds=_control_of_changes([effect.log_odds for effect in effects]),
        shift=_control_of_changes([effect.shift for effect in effects]),
        n_words=len(distance),
        n=distance.size,
        expected=(1 - CONTROL_QUANTILE) * distance[0].size,
    )


def _control_of_changes(changes: Sequence[FloatArray | None]) -> float | None:
    """The 95th percentile of the absolute (W, L, H) changes in several texts; None if no text has them."""
    sizes = [np.abs(of_text) for of_text in changes if of_text is not None]
    return float(np.quantile(np.concatenate(sizes), CONTROL_QUANTILE)) if sizes else None


def exceeds_control(effects: FloatArray, limit: float | None) -> NDArray[np.bool_]:
    """Which effects exceed the control in absolute value, (...) to (...); none without a control."""
    return np.abs(effects) > (np.inf if limit is None else limit)


def select_words(effects: HeadEffects, words: Sequence[int]) -> HeadEffects:
    """The effects on the words with these indices.

    Raises:
        SelectionError: a word that the effects do not have.
    """
    count = len(effects.distance)
    if not all(0 <= word < count for word in words):
        raise SelectionError(f"Words {list(words)} were asked for; there are 0 to {count - 1}.")
    return HeadEffects(
        distance=effects.distance[list(words)],
        log_odds=None if effects.log_odds is None else effects.log_odds[list(words)],
        classes=tuple(effects.classes[word] for word in words) if effects.classes else (),
        shift=None if effects.shift is None else effects.shift[list(words)],
    )


def first_state_nearer_to_a(to_a: FloatArray, to_b: FloatArray) -> int | None:
    """The hidden state from which on a patched word ends up nearer to A's vector than to B's.

    Args:
        to_a, to_b: (L + 1,) cosine of the final vector to A's and to B's, by patched hidden state.
    Returns:
        The smallest index from which on `to_a` is always larger; None if it is not larger at the last one.
    """
    nearer_to_b = np.flatnonzero(to_a <= to_b)
    state_index = int(nearer_to_b[-1]) + 1 if len(nearer_to_b) else 0
    return state_index if state_index < len(to_a) else None
