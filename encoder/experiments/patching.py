"""A word's state, carried from one sentence into another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.measures.head_effects import travels_from
from encoder.measures.similarity import cosines_by_layer
from encoder.measures.softmax import softmax
from encoder.measures.word_states import occurrence_states
from encoder.models.base import Backend
from encoder.models.interventions import Intervention, Patch
from encoder.shipped.probes import Probes
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens
from encoder.trace import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Patching:
    """A word's state, carried from text A to its place in text B after the embeddings and after every layer in turn.

    Attributes:
        to_a, to_b: (L + 1,) cosine of the word's final vector in the patched B to its own in A, and to its own in B.
        probabilities: (L + 1, C) the last layer's probe on the final vector, by the hidden state that was patched; None
            without probes.
        own_a, own_b: (C,) the same without a patch.
        averaged: whether the word has another number of pieces in A than in B, so that the mean over A's pieces went
            into every piece of B. Otherwise each piece went into its counterpart.
    """

    to_a: FloatArray
    to_b: FloatArray
    probabilities: FloatArray | None
    own_a: FloatArray | None
    own_b: FloatArray | None
    averaged: bool

    @property
    def travels_from(self) -> int | None:
        """The first hidden state from which on every patched word ends up nearer to A's than to B's."""
        return travels_from(self.to_a, self.to_b)


def patch_word(
    backend: Backend,
    a: tuple[Tokens, Positions],
    b: tuple[Tokens, Positions],
    *,
    probes: Probes | None = None,
) -> Patching:
    """Put a word's state in A in place of the one in B, at each hidden state in turn, and run B on.

    Args:
        a, b: two texts, each with the tokens of its word.
        probes: the model's, to read the last layer off the final vector.
    Raises:
        SelectionError: a token that its text does not have, or a model that takes no states from outside.
        ShapeError: a word without tokens.
    """
    (tokens_a, of_a), (tokens_b, of_b) = a, b
    states_a, states_b = backend.hidden_states([tokens_a, tokens_b])  # (L + 1, T, D) each
    own_a, own_b = occurrence_states(states_a, of_a), occurrence_states(states_b, of_b)  # (L + 1, D)
    averaged = len(of_a) != len(of_b)
    states_from_a = own_a[:, None].repeat(len(of_b), axis=1) if averaged else states_a[:, list(of_a)]  # (L + 1, P, D)
    interventions = [
        Intervention(
            patches=tuple(
                Patch(state_index=state_index, positions=(position,), state=state)
                for position, state in zip(of_b, pieces, strict=True)
            )
        )
        for state_index, pieces in enumerate(states_from_a)
    ]
    patched = backend.hidden_states([tokens_b] * len(interventions), interventions)
    finals = np.stack([occurrence_states(states[-1], of_b) for states in patched])  # (L + 1, D)

    def read(vectors: FloatArray) -> FloatArray | None:
        return None if probes is None else softmax(probes.scores(vectors, backend.num_layers))

    return Patching(
        to_a=cosines_by_layer(finals, np.broadcast_to(own_a[-1], finals.shape)),
        to_b=cosines_by_layer(finals, np.broadcast_to(own_b[-1], finals.shape)),
        probabilities=read(finals),
        own_a=read(own_a[-1]),
        own_b=read(own_b[-1]),
        averaged=averaged,
    )
