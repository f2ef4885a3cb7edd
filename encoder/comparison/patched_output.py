"""What carries the difference of two texts: what the model says of B, where tokens' states are those of A."""

from __future__ import annotations

from dataclasses import dataclass

from encoder.attribution.patched_texts import PatchedTexts
from encoder.attribution.quantities import ClassQuantity, Quantity, ScoreQuantity, is_choice
from encoder.attribution.state_quantities import SimilarityQuantity
from encoder.errors import ArgumentError
from encoder.measures.head_effects import classes_of_two_texts
from encoder.runs.trace import Trace


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatchedOutput(PatchedTexts):
    """What a model puts out for B.

    Attributes:
        name: of the number that is looked at, with its unit.
    """

    name: str


def patched_output(a: Trace, b: Trace) -> PatchedOutput:
    """Hold what one model says of B against what it says of A.

    Of a head that chooses among classes these are the log-odds of A's likeliest class against B's, or of B's two
    likeliest where these are the same; of another trained head its score; of a model without such a head the cosine
    of B's vector to that of A.

    Args:
        a, b: each text alone, both run by the same model, of as many tokens.
    Raises:
        ArgumentError: the texts are the same, differ in their numbers of tokens, or were run by two models.
    """
    if a.model_name != b.model_name:
        raise ArgumentError("The runs are of two models: a state of one has no place in the other.")
    if a.tokens.ids == b.tokens.ids:
        raise ArgumentError("A and B are the same text: no token has another state in one than in the other.")
    if len(a.tokens) != len(b.tokens):
        raise ArgumentError(
            f"A has {len(a.tokens)} tokens and B {len(b.tokens)}: a token can be patched where each has a counterpart."
        )
    quantity, name = _quantity(a, b)
    return PatchedOutput(source=a.tokens, target=b.tokens, quantity=quantity, name=name)


def _quantity(a: Trace, b: Trace) -> tuple[Quantity, str]:
    of_a, of_b = a.prediction, b.prediction
    if of_a is not None and of_b is not None and of_b.trained:
        if is_choice(of_b.probabilities):
            first, second = classes_of_two_texts(of_a.logits, of_b.logits)
            return ClassQuantity(first, (second,)), f"log-odds, {of_b.labels[first]} against {of_b.labels[second]}"
        if of_b.score is not None and of_b.score_range is not None:
            return ScoreQuantity("score"), "score"
    return SimilarityQuantity(a.hidden_states[-1].mean(0)), "cosine to A"
