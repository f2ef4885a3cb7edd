"""What is changed in a run of a model: heads that are silenced, and states that are put in place of its own."""

from __future__ import annotations

from dataclasses import dataclass

from encoder.errors import SelectionError, ShapeError
from encoder.text.occurrences import Positions
from encoder.trace import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """One state put in place of some tokens' own.

    Attributes:
        entry: of the hidden states: 0 replaces what leaves the embeddings, l + 1 what leaves layer l.
        positions: the tokens, all of which get the same state.
        state: (D,).
    """

    entry: int
    positions: Positions
    state: FloatArray

    def __post_init__(self) -> None:
        if self.state.ndim != 1:
            raise ShapeError(
                f"A state of shape {self.state.shape} cannot be put in place: one of shape (D,) is needed."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """Everything that is changed in one run.

    Attributes:
        silenced_heads: (layer, head) pairs whose context is replaced by zero.
        patches: states put in place.
    """

    silenced_heads: tuple[tuple[int, int], ...] = ()
    patches: tuple[Patch, ...] = ()

    def check_patches(self, *, tokens: int, layers: int) -> None:
        """Raise SelectionError where a patch goes to a token or an entry of the hidden states that is not there."""
        for patch in self.patches:
            if not 0 <= patch.entry <= layers:
                raise SelectionError(f"A state was to be put in place at {patch.entry}; there are 0 to {layers}.")
            if not patch.positions or not all(0 <= position < tokens for position in patch.positions):
                raise SelectionError(
                    f"A state was to be put in place of the tokens {patch.positions}; there are 0 to {tokens - 1}."
                )


UNCHANGED = Intervention()
