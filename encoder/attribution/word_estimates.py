"""The effect of silencing each head, or patching each token, on a word: estimated from gradients, and exact.

A word's part of speech always has a gradient. Its distance from itself has none in the unchanged run; its shift, the
distance from the word in another text, has one unless the two states are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.attribution.patching_estimates import PatchedTexts, silencing_estimates
from encoder.attribution.quantities import ShiftQuantity, TagQuantity
from encoder.errors import ArgumentError
from encoder.measures.head_effects import classes_of_two_texts, two_likeliest_classes
from encoder.measures.similarity import NO_SHIFT, unit_vectors
from encoder.measures.units import occurrence_states
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.probes import Probes
from encoder.text.occurrences import Positions

Occurrence = tuple[Trace, Positions]  # the trace of a text alone, and the word's tokens in it


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TagEstimates:
    """Estimated changes of a word's log-odds.

    Attributes:
        log_odds: (L, H) by silenced head, in nats; negative if the likeliest class loses.
        classes: the two likeliest classes by the last layer's probe, with all heads; the likeliest first.
    """

    log_odds: FloatArray
    classes: tuple[int, int]


def estimate_tag_effects(backend: Backend, trace: Trace, positions: Positions, probes: Probes) -> TagEstimates:
    """Estimate the effects on a word's log-odds that `encoder.experiments.silencing.sweep_heads` measures."""
    state = occurrence_states(trace.hidden_states[-1:], positions)  # (1, D)
    (classes,) = two_likeliest_classes(probes.scores(state, backend.num_layers))
    quantity = TagQuantity.of_probes(probes, positions, backend.num_layers, classes)
    return TagEstimates(log_odds=silencing_estimates(backend, trace.tokens, quantity), classes=classes)


def estimate_shift_effects(backend: Backend, trace: Trace, positions: Positions, other: FloatArray) -> FloatArray:
    """Estimate the effects on a word's shift that `encoder.experiments.silencing.sweep_heads` measures.

    Args:
        backend: the model that made the trace.
        positions: the word's tokens.
        other: (D,) the word's final vector in another text, which is held fixed.
    Returns:
        (L, H) changes of their cosine distance by silenced head; negative if the two become more similar.
    Raises:
        ArgumentError: the two states are the same.
        SelectionError: the text has no such tokens, or the model's heads cannot be silenced.
    """
    state = occurrence_states(trace.hidden_states[-1], positions)  # (D,)
    if 1 - unit_vectors(state) @ unit_vectors(other) < NO_SHIFT:
        raise ArgumentError(
            "The word has the same state in both texts: a distance of 0 is minimal, so its gradient is zero and there "
            "is no estimate."
        )
    quantity = ShiftQuantity(positions=positions, state_index=backend.num_layers, other=other)
    return silencing_estimates(backend, trace.tokens, quantity)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatchedTag(PatchedTexts):
    """The log-odds of a word's parts of speech, in nats, as the last layer's probe reads them off it.

    Attributes:
        classes: the likeliest part of speech in A, the source, and the likeliest in B, which it is compared with; if
            they are the same, B's two likeliest.
    """

    classes: tuple[int, int]


def patched_tag(backend: Backend, a: Occurrence, b: Occurrence, probes: Probes) -> PatchedTag:
    """Compare a word's part of speech in B with that in A.

    Raises:
        ArgumentError: the texts have the same tokens, differ in length, or have the word at different positions.
    """
    _check_counterparts(a, b)
    (in_a, _), (in_b, at_b) = a, b
    states = [occurrence_states(trace.hidden_states[-1:], at_b) for trace in (in_a, in_b)]  # (1, D) each
    classes = classes_of_two_texts(*probes.scores(np.concatenate(states), backend.num_layers))
    quantity = TagQuantity.of_probes(probes, at_b, backend.num_layers, classes)
    return PatchedTag(source=in_a.tokens, target=in_b.tokens, quantity=quantity, classes=classes)


def patched_shift(a: Occurrence, b: Occurrence) -> PatchedTexts:
    """Compare a word's final vector in B with that in A, by their cosine distance.

    Raises:
        ArgumentError: as `patched_tag`.
    """
    _check_counterparts(a, b)
    (in_a, _), (in_b, at_b) = a, b
    other = occurrence_states(in_a.hidden_states[-1], at_b)  # (D,)
    quantity = ShiftQuantity(positions=at_b, state_index=in_b.num_layers, other=other)
    return PatchedTexts(source=in_a.tokens, target=in_b.tokens, quantity=quantity)


def _check_counterparts(a: Occurrence, b: Occurrence) -> None:
    (in_a, at_a), (in_b, at_b) = a, b
    if in_a.tokens.ids == in_b.tokens.ids:
        raise ArgumentError("The model reads A and B as the same tokens: no state of one differs from the other's.")
    if len(in_a.tokens) != len(in_b.tokens) or at_a != at_b:
        raise ArgumentError(
            f"A has {len(in_a.tokens)} tokens with the word at {', '.join(map(str, at_a))}, B has {len(in_b.tokens)} "
            f"with it at {', '.join(map(str, at_b))}: every token can be patched where both are the same."
        )
