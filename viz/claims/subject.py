"""What the claims of a stop are about: a model, and its runs over the texts of the stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from encoder.attribution.questions import Removal
from encoder.errors import NotFiniteError, SelectionError
from encoder.experiments.silencing import draw_control_words, sweep_heads
from encoder.measures.head_effects import Control, HeadEffects, control_from_other_words, head_effects, select_words
from encoder.measures.units import occurrence_states
from encoder.models.base import Backend
from encoder.models.interventions import UNCHANGED, Intervention
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.probes import Probes
from encoder.text.tokens import Tokens
from viz.tours.places import Place, find_word
from viz.tours.tour import Word

CONTROL_WORDS = 8
MOST_TOKENS = 200_000  # that a claim may run through a model: about two minutes of BERT-base on two cores

Heads = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What silencing each head does to a word, and the control."""

    effects: HeadEffects
    control: Control | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """An encoder's runs over the texts of a stop.

    Attributes:
        traces: of the "pair", or of the sentences "A" and "B" alone.
        backend: the model, for runs in which something is changed.
        sweeps: those that were made, by the place of their word and that of the one which it shifts from.
        random_curves: (20, S) each, those that were made, by how words are taken away.
    """

    backend: Backend
    traces: Mapping[str, Trace]
    probes: Probes | None
    sweeps: dict[tuple[Place, Place | None], Sweep] = field(default_factory=dict)
    random_curves: dict[Removal, FloatArray] = field(default_factory=dict)

    @property
    def first(self) -> Trace:
        """The pair, or sentence A: what a claim is about that names no word."""
        return next(iter(self.traces.values()))

    def find(self, word: Word) -> Place:
        """Where a word is. Raises SelectionError."""
        return find_word(word, {run: trace.tokens for run, trace in self.traces.items()})

    def tokens(self, place: Place) -> Tokens:
        """The tokens of the run that a place is in."""
        return self.traces[place.run].tokens

    def effect_of(self, heads: Heads, place: Place) -> HeadEffects:
        """What silencing some heads together does to a word; L and H are 1.

        Raises:
            SelectionError: the model does not have such a head, or its heads cannot be silenced.
        """
        tokens = self.tokens(place)
        runs = self.backend.hidden_states([tokens] * 2, [UNCHANGED, Intervention(silenced_heads=heads)])
        vectors = np.stack([occurrence_states(states[-1:], place.positions) for states in runs])  # (2, 1, D)
        scores = None if self.probes is None else self.probes.scores(vectors, self.backend.num_layers)
        return head_effects(
            vectors[0],
            vectors[1:],
            (1, 1),
            scores=None if scores is None else scores[0],
            changed_scores=None if scores is None else scores[1:],
        )

    def sweep(self, place: Place, other: Place | None = None) -> Sweep:
        """What silencing each head does to a word, and to random other words of its text.

        Args:
            other: where the word stands in the other text, which gives its shift.
        Raises:
            SelectionError: the text is too long for as many runs, or heads of the model cannot be silenced.
        """
        if (place, other) not in self.sweeps:
            tokens = self.tokens(place)
            heads = self.backend.num_layers * self.backend.num_heads
            if (1 + heads) * len(tokens) > MOST_TOKENS:
                raise SelectionError(
                    f"Silencing each of {heads} heads takes {(1 + heads) * len(tokens):,} tokens; claims run at most "
                    f"{MOST_TOKENS:,}."
                )
            words = [place.positions, *draw_control_words(tokens, place.positions, count=CONTROL_WORDS)]
            vector = None if other is None else self._final_vector(other)
            effects = sweep_heads(self.backend, tokens, words, probes=self.probes, other=vector)
            control = control_from_other_words([select_words(effects, range(1, len(words)))])
            self.sweeps[place, other] = Sweep(select_words(effects, [0]), control)
        return self.sweeps[place, other]

    def _final_vector(self, place: Place) -> FloatArray:
        """(D,)"""
        return occurrence_states(self.traces[place.run].hidden_states[-1], place.positions)


def subject_of_runs(backend: Backend, traces: Sequence[Trace], probes: Probes | None) -> Subject:
    """What claims are about: one run, of the pair or of the only sentence, or two of the sentences alone."""
    runs = ["pair"] if len(traces) == 1 else ["A", "B"]
    return Subject(backend=backend, traces=dict(zip(runs, traces, strict=True)), probes=probes)


def check_number(value: float) -> float:
    """A number that can be compared. Raises NotFiniteError."""
    if not np.isfinite(value):
        raise NotFiniteError(f"The number is {value}.")
    return float(value)
