"""The subject of claims: a model, and its runs over the texts of a stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from encoder.errors import NotFiniteError, SelectionError
from encoder.experiments.silencing import WordSweep
from encoder.measures.head_effects import HeadEffects, head_effects
from encoder.measures.units import occurrence_states
from encoder.models.base import Backend
from encoder.models.interventions import UNCHANGED, Intervention
from encoder.runs.trace import Trace
from encoder.shipped.probes import probes_of
from encoder.text.tokens import Tokens
from viz.recipes.runner import StepRunner
from viz.recipes.step import Recipe
from viz.tours.places import Place, find_word
from viz.tours.tour import Measure, Word
from viz.views.word_lens.steps import sweep_of

NOTHING = "There is nothing to measure here."

Result = TypeVar("Result")
Heads = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """An encoder's runs over the texts of a stop.

    Attributes:
        traces: of the "pair", or of the sentences "A" and "B" alone.
        backend: the model, for runs in which something is changed.
        steps: runs the steps of the views' recipes.
    """

    backend: Backend
    traces: Mapping[str, Trace]
    steps: StepRunner

    def result(self, recipe: Recipe[Result | None]) -> Result:
        """The result of a recipe. Raises HeadlightError."""
        found = self.steps.result(recipe, self.backend.name)
        if found is None:
            raise SelectionError(NOTHING)
        return found

    @property
    def first(self) -> Trace:
        """The pair, or sentence A: the run of claims that name no word."""
        return next(iter(self.traces.values()))

    def of_text(self, measure: Measure) -> Subject:
        """The run of the text that a measure names, or these runs. Raises InputError."""
        text = measure.option("text")
        if text is None:
            return self
        return subject_of_runs(self.backend, [self.backend.trace(text)], self.steps)

    def find(self, word: Word) -> Place:
        """Where a word is. Raises SelectionError."""
        return find_word(word, {run: trace.tokens for run, trace in self.traces.items()})

    def tokens(self, place: Place) -> Tokens:
        """The tokens of the run that a place is in."""
        return self.traces[place.run].tokens

    def effect_of(self, heads: Heads, place: Place) -> HeadEffects:
        """Effect on a word of silencing some heads together; L and H are 1.

        Raises:
            SelectionError: the model does not have such a head, or its heads cannot be silenced.
        """
        tokens = self.tokens(place)
        runs = self.backend.hidden_states([tokens] * 2, [UNCHANGED, Intervention(silenced_heads=heads)])
        vectors = np.stack([occurrence_states(states[-1:], place.positions) for states in runs])  # (2, 1, D)
        probes = probes_of(self.backend.name)
        scores = None if probes is None else probes.scores(vectors, self.backend.num_layers)
        return head_effects(vectors, (1, 1), scores=scores)

    def sweep(self, place: Place) -> WordSweep:
        """Effect of silencing each head on a word and on random other words of its text.

        Raises:
            SelectionError: the text is too long for this many runs, or the model's heads cannot be silenced.
        """
        [found] = self.result(iter(sweep_of([(self.traces[place.run], place.positions)])))
        return found


def subject_of_runs(backend: Backend, traces: Sequence[Trace], steps: StepRunner | None = None) -> Subject:
    """The subject with one run, of the pair or the only sentence, or with one for each sentence.

    Args:
        steps: None for a runner of this model alone.
    """
    runs = ["pair"] if len(traces) == 1 else ["A", "B"]
    steps = steps or StepRunner(lambda _: backend)
    return Subject(backend=backend, traces=dict(zip(runs, traces, strict=True)), steps=steps)


def check_number(value: float) -> float:
    """The number. Raises NotFiniteError."""
    if not np.isfinite(value):
        raise NotFiniteError(f"The number is {value}.")
    return float(value)
