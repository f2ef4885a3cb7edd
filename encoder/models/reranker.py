"""What `CrossEncoder.predict` of sentence-transformers makes of the logit of a head with one output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

IDENTITY, SIGMOID = "Identity", "Sigmoid"
ELEMENTWISE = (IDENTITY, SIGMOID, "Tanh", "ReLU", "Softplus", "SiLU", "GELU", "LeakyReLU", "ELU", "Hardsigmoid")
OLD_SETTING = "sbert_ce_default_activation_function"  # before version 4


@dataclass(frozen=True, slots=True)
class Activation:
    """The function of the logit that is a model's score.

    Attributes:
        name: of a class in `torch.nn`.
        problem: why it is not the one that the folder names, in a sentence; "" if it is.
    """

    name: str = IDENTITY
    problem: str = ""

    @property
    def note(self) -> str:
        """What the score is, in a sentence; "" if it is the logit itself."""
        if self.name == IDENTITY:
            return ""
        return f"The score is the {self.name.lower()} of the head's logit, as CrossEncoder.predict returns it."

    def __call__(self, logits: Tensor) -> Tensor:
        """The scores of logits, of the same shape."""
        made: nn.Module = getattr(nn, self.name)()
        scores: Tensor = made(logits)
        return scores


def activation_of(config: Any, about: Mapping[str, Any], *, default: str = SIGMOID) -> Activation:
    """The activation of a model with one logit.

    Args:
        config: of the model; a regression is its logit, unless a folder of sentence-transformers says otherwise.
        about: config_sentence_transformers.json, where there is one.
        default: where neither says anything.
    Source: `CrossEncoder.get_default_activation_fn` of sentence-transformers 6.
    """
    in_config = getattr(config, "sentence_transformers", None)
    named = (
        about.get("activation_fn")
        or (in_config.get("activation_fn") if isinstance(in_config, dict) else None)
        or getattr(config, OLD_SETTING, None)
    )
    if named is None:
        is_regression = config.problem_type == "regression" and about.get("model_type") != "CrossEncoder"
        return Activation(IDENTITY if is_regression else default)
    package, _, name = str(named).rpartition(".")
    if package.startswith("torch.") and name in ELEMENTWISE:
        return Activation(name)
    return Activation(SIGMOID, f"The folder names the activation {str(named)[:60]!r}, which is not run: sigmoid is.")
