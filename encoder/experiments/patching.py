"""Patch a word's state from one sentence into another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.measures.head_effects import first_state_nearer_to_a
from encoder.measures.similarity import NO_SHIFT, cosines_by_layer
from encoder.measures.units import occurrence_states
from encoder.models.base import Backend
from encoder.models.interventions import Intervention, Patch
from encoder.runs.arrays import FloatArray, softmax
from encoder.shipped.probes import Probes
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Patching:
    """A word's state in text A, patched into text B: after the embeddings, then after each layer.

    Attributes:
        to_a, to_b: (L + 1,) cosine of the word's final vector in the patched B to that in A, and to that in B.
        probabilities: (L + 1, C) the last layer's probe on the final vector, by patched hidden state; None without
            probes.
        unpatched_a, unpatched_b: (C,) the same without a patch.
        averaged: whether the word has different numbers of pieces in A and B. Then the mean over A's pieces is patched
            into each piece of B; otherwise each piece into its counterpart.
    """

    to_a: FloatArray
    to_b: FloatArray
    probabilities: FloatArray | None
    unpatched_a: FloatArray | None
    unpatched_b: FloatArray | None
    averaged: bool

    @property
    def has_no_shift(self) -> bool:
        """Whether the word's final vectors in A and B have the same direction, so that it is nearer to neither."""
        return bool(1 - self.to_b[-1] < NO_SHIFT)  # the last patch puts A's final vector into B

    @property
    def first_state_nearer_to_a(self) -> int | None:
        """The first hidden state from which on every patched word ends up nearer to A's than to B's."""
        return None if self.has_no_shift else first_state_nearer_to_a(self.to_a, self.to_b)


def patch_word(
    backend: Backend,
    a: tuple[Tokens, Positions],
    b: tuple[Tokens, Positions],
    *,
    probes: Probes | None = None,
) -> Patching:
    """Patch a word's state from A into B, at each hidden state in turn, and continue the run of B."""
    (tokens_a, positions_a), (tokens_b, positions_b) = a, b
    states_a, states_b = backend.hidden_states([tokens_a, tokens_b])  # (L + 1, T, D) each
    unpatched_a = occurrence_states(states_a, positions_a)  # (L + 1, D)
    unpatched_b = occurrence_states(states_b, positions_b)  # (L + 1, D)
    averaged = len(positions_a) != len(positions_b)
    states_from_a = (
        unpatched_a[:, None].repeat(len(positions_b), axis=1) if averaged else states_a[:, list(positions_a)]
    )  # (L + 1, P, D)
    interventions = [
        Intervention(
            patches=tuple(
                Patch(state_index=state_index, positions=(position,), state=state)
                for position, state in zip(positions_b, pieces, strict=True)
            )
        )
        for state_index, pieces in enumerate(states_from_a)
    ]
    patched = backend.hidden_states([tokens_b] * len(interventions), interventions)
    finals = np.stack([occurrence_states(states[-1], positions_b) for states in patched])  # (L + 1, D)

    def probe_probabilities(vectors: FloatArray) -> FloatArray | None:
        return None if probes is None else softmax(probes.scores(vectors, backend.num_layers))

    return Patching(
        to_a=cosines_by_layer(finals, np.broadcast_to(unpatched_a[-1], finals.shape)),
        to_b=cosines_by_layer(finals, np.broadcast_to(unpatched_b[-1], finals.shape)),
        probabilities=probe_probabilities(finals),
        unpatched_a=probe_probabilities(unpatched_a[-1]),
        unpatched_b=probe_probabilities(unpatched_b[-1]),
        averaged=averaged,
    )
