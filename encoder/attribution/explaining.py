"""What each word adds to a number, by one of several methods.

```python
import encoder
from encoder.attribution.target import ask
from encoder.attribution.explaining import explain
from encoder.attribution.questions import Question

model = encoder.load("bundled-sentiment")
number = ask(model, Question(kind="class", texts=("a lovely film", None)))
print(explain(model, number, "decompx").values)
```
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.attribution.decompx import HeadQuantity, SplitQuantity, decompx_class, integrated_decompx
from encoder.attribution.gradients import Attribution, Path, integrated_gradients
from encoder.attribution.questions import Method, Removal
from encoder.attribution.removals import RemovalGame, leave_one_out, removable_units, shapley_values
from encoder.attribution.target import Target
from encoder.errors import ArgumentError
from encoder.measures.units import Level
from encoder.models.base import Backend, Progress
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import Positions

PATH = Path(8, rule="midpoints")  # 20 points take more than twice as long, and their orders are hardly better


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordValues:
    """What each unit of a text, a word or a wordpiece, adds to a number.

    Where the number is read off one word's state, that word is none of the units: the others are its context.

    Attributes:
        units: U, the positions of each unit's tokens.
        values: (U,) in `unit`, positive where a unit raises the number.
        total: the number itself, on the scale of `unit`.
        baseline: what it is without all units. With DecompX what the biases of the head add, and the word whose state
            is read; of a shift the 1 from which a cosine is taken, too. None where the method splits nothing.
        framing: what tokens that frame the text add.
    """

    units: tuple[Positions, ...]
    values: FloatArray
    unit: str
    total: float
    baseline: float | None = None
    framing: float = 0.0

    @property
    def completeness_error(self) -> float | None:
        """How far baseline, framing tokens and units together are from the total; None where nothing is split."""
        if self.baseline is None:
            return None
        return abs(self.baseline + self.framing + float(self.values.sum()) - self.total)


def explain(
    backend: Backend,
    number: Target,
    method: Method,
    *,
    level: Level = "wordpieces",
    removal: Removal = "mask",
    progress: Progress | None = None,
) -> WordValues:
    """What each unit of a text adds to a number.

    Args:
        number: from `encoder.attribution.target.ask`, of the same model.
        level: words, or wordpieces.
        removal: how "leave-one-out" and "shapley" take units away; the others compare with `[MASK]` always.
        progress: called by "shapley" after each order; an exception that it raises cancels it.
    Raises:
        ArgumentError: the text has no word, or the method does not split this number.
        UnsupportedModelError: the model cannot be taken apart, or its tokenizer has no mask token.
        SelectionError: the model's embeddings cannot be hooked.
    """
    tokens = number.tokens
    units = removable_units(tokens, level=level, kept=number.read)
    if not units:
        raise ArgumentError("There is no word that could add to this number: type more words.")
    if method in ("leave-one-out", "shapley"):
        return _by_removal(removal_game(backend, number, level=level, removal=removal), number, method, progress)
    found = _by_slopes(backend, number, method)
    values = np.array([found.values[list(unit)].sum() for unit in units], np.float32)  # (U,)
    of_word = float(found.values[list(number.read)].sum())  # whose state is read
    return WordValues(
        units=units,
        values=values,
        unit=number.additive_unit,
        total=found.of_text,
        baseline=found.of_text - found.total + of_word,
        framing=float(found.values.sum() - values.sum()) - of_word,
    )


def removal_game(backend: Backend, number: Target, *, level: Level, removal: Removal) -> RemovalGame:
    """A number whose text's units can be taken away, on the scale that people read."""
    tokens = number.tokens
    return RemovalGame(backend, tokens, removable_units(tokens, level=level, kept=number.read), number.shown, removal)


def _by_slopes(backend: Backend, number: Target, method: Method) -> Attribution:
    if method == "integrated-gradients":
        return integrated_gradients(backend, number.tokens, number.additive, path=PATH, kept=number.read)
    quantity = number.additive
    if method == "decompx" and isinstance(quantity, SplitQuantity):
        return decompx_class(backend, backend.run(number.tokens), quantity, biases="shared")
    if not isinstance(quantity, HeadQuantity):
        raise ArgumentError("Integrated DecompX splits classes and scores: choose another method for this number.")
    return integrated_decompx(backend, number.tokens, quantity)


def _by_removal(player: RemovalGame, number: Target, method: Method, progress: Progress | None) -> WordValues:
    if method == "leave-one-out":
        (total,) = map(float, player.values([()]))
        return WordValues(units=player.units, values=leave_one_out(player), unit=number.unit, total=total)
    total, empty = map(float, player.values([(), range(len(player.units))]))
    values = shapley_values(player, progress=progress)
    return WordValues(units=player.units, values=values, unit=number.unit, total=total, baseline=empty)
