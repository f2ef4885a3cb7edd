"""What carries the difference between two texts: an output of the model for both, with states of A patched into B.

The same output can be compared with runs in which a head is silenced (`encoder.attribution.patching_estimates`).
"""

from __future__ import annotations

from dataclasses import dataclass

from encoder.attribution.patching_estimates import PatchedTexts
from encoder.attribution.quantities import ClassQuantity, OutputNumber, ScoreQuantity, SimilarityQuantity
from encoder.attribution.questions import OutputKind
from encoder.errors import ArgumentError
from encoder.measures.head_effects import classes_of_two_texts
from encoder.runs.trace import Trace


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OutputPair:
    """An output of a model for each of two texts.

    Attributes:
        quantities: for A and for B, with the other text held fixed.
        names: of both, with units.
    """

    quantities: tuple[OutputNumber, OutputNumber]
    names: tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatchedOutput(PatchedTexts):
    """An output of a model for B, with states of A patched in; its name says the unit."""

    name: str


def output_kinds(a: Trace, b: Trace) -> tuple[OutputKind, ...]:
    """The available outputs: of a classification head, of a regression head, and the cosine.

    Heads without training do not count.
    """
    head = b.prediction
    if a.prediction is None or head is None or not head.trained:
        return ("similarity",)
    has_score = head.score is not None and head.score_range is not None
    has: dict[OutputKind, bool] = {"class": head.is_choice, "score": has_score, "similarity": True}
    return tuple(kind for kind, is_there in has.items() if is_there)


def output_pair(a: Trace, b: Trace, kind: OutputKind | None = None) -> OutputPair:
    """An output of one model for two texts.

    For classes, the log-odds of A's likeliest class against B's, or of B's two likeliest if these are the same; for the
    similarity, the cosine of the two texts' vectors.

    Args:
        a, b: each text alone, both run by the same model.
        kind: None = the first of `output_kinds`.
    Raises:
        ArgumentError: the texts have the same tokens, were run by two models, or have no such output.
        UnsupportedModelError: the cosine was asked for, and the model's pooling is not supported.
    """
    if a.model_name != b.model_name:
        raise ArgumentError("The runs are of two models: a state of one cannot be patched into the other.")
    if a.tokens.ids == b.tokens.ids:
        raise ArgumentError("The model reads A and B as the same tokens, and gives the same output for both.")
    kinds = output_kinds(a, b)
    kind = kind or kinds[0]
    if kind not in kinds:
        raise ArgumentError(f"{b.model_name} has no trained head for a {kind}; there is: {', '.join(kinds)}.")
    if kind == "similarity":
        to_b, to_a = map(SimilarityQuantity.to_text, (b, a))
        return OutputPair(quantities=(to_b, to_a), names=("cosine to B", "cosine to A"))
    quantity: OutputNumber = ScoreQuantity("score")
    name = "score"
    if kind == "class" and a.prediction is not None and b.prediction is not None:
        first, second = classes_of_two_texts(a.prediction.logits, b.prediction.logits)
        labels = b.prediction.labels
        quantity, name = ClassQuantity(first, (second,)), f"log-odds, {labels[first]} against {labels[second]}"
    return OutputPair(quantities=(quantity, quantity), names=(name, name))


def patched_output(a: Trace, b: Trace, kind: OutputKind | None = None) -> PatchedOutput:
    """The output for B, with states of A patched in.

    Args:
        a, b: each text alone, both run by the same model, with equally many tokens.
        kind: as `output_pair`.
    Raises:
        ArgumentError: as `output_pair`, or the texts differ in length.
    """
    pair = output_pair(a, b, kind)
    if len(a.tokens) != len(b.tokens):
        raise ArgumentError(
            f"A has {len(a.tokens)} tokens and B {len(b.tokens)}: a token can be patched where each has a counterpart."
        )
    return PatchedOutput(source=a.tokens, target=b.tokens, quantity=pair.quantities[1], name=pair.names[1])
