"""Names, formulas and sources of the methods, without torch; `encoder.attribution.methods.maps` computes them.

=========  =================================================  =========  =====  ==========
method     what it shows                                      per head   layer  from input
=========  =================================================  =========  =====  ==========
weights    attention weights                                  yes        mean   no
norms      ‖α f(x)‖                                           yes        yes    no
residual   the same with residual connection and layer norm   no         yes    no
rollout    product of ½ weights + ½ identity                  no         yes    yes
globenc    product of the whole layer's norms                 no         yes    yes
alti       product of 1-norm contributions                    no         yes    yes
decompx    norms of vectors propagated through all layers     no         yes    yes
=========  =================================================  =========  =====  ==========
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

MethodName = Literal["weights", "norms", "residual", "rollout", "globenc", "alti", "decompx"]
Reach = Literal["layer", "input"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodFacts:
    """The description of a method.

    Attributes:
        formula: within one layer, and per head if the method has maps per head.
        input_formula: from the input to a layer; "" if it is not defined there.
        source: where it was published.
        scale: "share" for rows that sum to 1, "norm" for norms in units of hidden states.
        has_heads: whether it has maps per head.
    """

    formula: str
    input_formula: str = ""
    source: str
    scale: Literal["share", "norm"]
    has_heads: bool = False

    @property
    def from_input(self) -> bool:
        """Whether it is defined from the input to a layer."""
        return bool(self.input_formula)


FACTS: Mapping[MethodName, MethodFacts] = {
    "weights": MethodFacts(
        formula="α = softmax(q · k / √d)",
        source="Vaswani et al. (2017), equation 1",
        scale="share",
        has_heads=True,
    ),
    "norms": MethodFacts(
        formula="‖α f(x)‖, f(x) = (x Wᵛ + bᵛ) Wᴼ; heads together ‖Σₕ αₕ fₕ(x)‖",
        source="Kobayashi et al. (2020), equations 3 and 4",
        scale="norm",
        has_heads=True,
    ),
    "residual": MethodFacts(
        formula="‖LN(Σₕ αₕ fₕ(xⱼ) + [i = j] xᵢ)‖",
        source="Kobayashi et al. (2021), equation 11",
        scale="norm",
    ),
    "rollout": MethodFacts(
        formula="½ mean α + ½ I",
        input_formula="Π (½ mean α + ½ I)",
        source="Abnar and Zuidema (2020), section 3",
        scale="share",
    ),
    "globenc": MethodFacts(
        formula="N = ‖LN₂(LN₁(Σₕ αₕ fₕ(xⱼ) + [i = j] xᵢ))‖, each row divided by its sum",
        input_formula="Π N, N = ‖LN₂(LN₁(Σₕ αₕ fₕ(xⱼ) + [i = j] xᵢ))‖, each row divided by its sum",
        source="Modarressi et al. (2022), section 3",
        scale="share",
    ),
    "alti": MethodFacts(
        formula="C = max(0, ‖yᵢ‖₁ − ‖yᵢ − Tᵢ(xⱼ)‖₁), each row divided by its sum",
        input_formula="Π C, C = max(0, ‖yᵢ‖₁ − ‖yᵢ − Tᵢ(xⱼ)‖₁), each row divided by its sum",
        source="Ferrando et al. (2022), equations 7 and 8",
        scale="share",
    ),
    "decompx": MethodFacts(
        formula="‖x̃ᵢ←ⱼ‖, Σⱼ x̃ᵢ←ⱼ + biases = xᵢ, of the states that go into the layer",
        input_formula="‖x̃ᵢ←ⱼ‖, Σⱼ x̃ᵢ←ⱼ + biases = xᵢ",
        source="Modarressi et al. (2023), section 3",
        scale="norm",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """What a view shows: a method's maps within one layer, or from the input to it if the method is defined there."""

    method: MethodName = "weights"
    reach: Reach = "input"

    @property
    def facts(self) -> MethodFacts:
        """The description of the method."""
        return FACTS[self.method]

    @property
    def is_from_input(self) -> bool:
        """Whether the maps lead from the input to a layer."""
        return self.reach == "input" and self.facts.from_input

    @property
    def formula(self) -> str:
        """The formula of the maps."""
        return self.facts.input_formula if self.is_from_input else self.facts.formula
