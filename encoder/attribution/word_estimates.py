"""What silencing each head, or patching each token, does to a word's part of speech: by slopes, and exactly."""

from __future__ import annotations

from dataclasses import dataclass

from encoder.attribution.patching_estimates import Progress, patching_effects, patching_estimates, silencing_estimates
from encoder.attribution.state_quantities import TagQuantity
from encoder.errors import ArgumentError
from encoder.measures.head_effects import two_likeliest_classes
from encoder.measures.ranks import rank_correlation
from encoder.measures.word_states import occurrence_states
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.probes import Probes
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TagEstimates:
    """Estimated changes of a word's log-odds.

    Attributes:
        log_odds: (L, H) by the head that is silenced, in nats; negative where the likeliest class loses.
        classes: the two classes that the last layer's probe finds likeliest with all heads, the likeliest first.
    """

    log_odds: FloatArray
    classes: tuple[int, int]


def estimate_tag_effects(backend: Backend, trace: Trace, positions: Positions, probes: Probes) -> TagEstimates:
    """The estimate of what `encoder.experiments.silencing.sweep_heads` finds for a word's log-odds.

    Args:
        backend: the model that made the trace.
        positions: the word's tokens.
        probes: the model's.
    Raises:
        SelectionError: the text has no such tokens, or the model's heads cannot be silenced.
    """
    state = occurrence_states(trace.hidden_states[-1:], positions)  # (1, D)
    (classes,) = two_likeliest_classes(probes.scores(state, backend.num_layers))
    quantity = TagQuantity.of_probes(probes, positions, backend.num_layers, classes)
    return TagEstimates(log_odds=silencing_estimates(backend, trace.tokens, quantity), classes=classes)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatchedTag:
    """A word's part of speech in text B, where any token's state can be that of the same token in text A.

    Attributes:
        source, target: A and B, of as many tokens.
        log_odds: of the first of `classes` against the second, as the last layer's probe reads them off the word.
        classes: the one that is likeliest in A and the one in B; where they are the same, B's two likeliest.
    """

    source: Tokens
    target: Tokens
    log_odds: TagQuantity
    classes: tuple[int, int]

    def estimates(self, backend: Backend) -> FloatArray:
        """(L + 1, T) changes of the log-odds by hidden state and token, in nats, from two backward passes."""
        return patching_estimates(backend, self.source, self.target, self.log_odds)

    def effects(self, backend: Backend, progress: Progress | None = None) -> FloatArray:
        """(L + 1, T) the same exactly, by a run for each; `progress` as in `patching_effects`."""
        return patching_effects(backend, self.source, self.target, self.log_odds, progress=progress)


def patched_tag(backend: Backend, a: tuple[Trace, Positions], b: tuple[Trace, Positions], probes: Probes) -> PatchedTag:
    """Hold a word's part of speech in B against that in A.

    Args:
        backend: the model that made the traces.
        a, b: the trace of each text alone, and the word's tokens in it.
        probes: the model's.
    Raises:
        ArgumentError: the texts are the same, differ in their numbers of tokens, or have the word at different places.
        SelectionError: a text has no such tokens.
    """
    (in_a, at_a), (in_b, at_b) = a, b
    if in_a.tokens.ids == in_b.tokens.ids:
        raise ArgumentError("A and B are the same text: no token has another state in one than in the other.")
    if len(in_a.tokens) != len(in_b.tokens) or at_a != at_b:
        raise ArgumentError(
            f"A has {len(in_a.tokens)} tokens with the word at {', '.join(map(str, at_a))}, B has {len(in_b.tokens)} "
            f"with it at {', '.join(map(str, at_b))}: every token can be patched where both are the same."
        )
    pairs = [
        two_likeliest_classes(probes.scores(occurrence_states(trace.hidden_states[-1:], at_b), backend.num_layers))[0]
        for trace in (in_a, in_b)
    ]
    classes = (pairs[0][0], pairs[1][0]) if pairs[0][0] != pairs[1][0] else pairs[1]
    quantity = TagQuantity.of_probes(probes, at_b, backend.num_layers, classes)
    return PatchedTag(source=in_a.tokens, target=in_b.tokens, log_odds=quantity, classes=classes)


def agreement(estimates: FloatArray, effects: FloatArray) -> float:
    """Rank correlation of both where a patch can change anything.

    It cannot where the two texts have the same state, or where nothing reads a token any more; estimates are 0 there.

    Args:
        estimates, effects: (L + 1, T) of a `PatchedTag`.
    Returns:
        From -1 to 1; 0 where fewer than two patches can change anything.
    """
    can_change = estimates != 0
    return rank_correlation(estimates[can_change], effects[can_change]) if can_change.sum() > 1 else 0.0
