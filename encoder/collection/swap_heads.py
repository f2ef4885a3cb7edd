"""Which heads carry the shifts of swaps: each is silenced alone, to be chosen on one half and measured on the other.

Source: Michel et al. (2019), "Are Sixteen Heads Really Better than One?", section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoder.collection.names import SwapMeasure as Measure
from encoder.collection.names import SwapTable
from encoder.collection.swaps import FEWEST_TEMPLATES, Template, run_swaps
from encoder.measures.inference import Interval, mean
from encoder.measures.near_ties import first_largest, heads_that_reach, largest_first
from encoder.models.base import Backend, Heads
from encoder.progress import Progress, no_progress, reported
from encoder.runs.arrays import FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HeldOutHead:
    """The head that carries most of the shifts of some templates, measured on n others.

    Attributes:
        head: its layer and index.
        sizes: (n,) mean size of the other templates' shifts, with all heads.
        falls: (n,) by how much these fall without it.
        random: (M - 1,) by how much their mean falls without each other of the M heads that can change a shift.
    """

    head: tuple[int, int]
    sizes: FloatArray
    falls: FloatArray
    random: FloatArray

    @property
    def fall(self) -> Interval:
        """The mean of `falls`, with its interval over templates."""
        return mean(self.falls)

    @property
    def limit(self) -> float:
        """95 % of the other heads lower the shift by at most this much."""
        return float(np.quantile(self.random, 0.95))

    @property
    def exceeds(self) -> bool:
        """Whether it lowers the shift by more than 95 % of the other heads do, and its interval is above 0."""
        return self.fall.value > self.limit and self.fall.low > 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HeadShifts:
    """What silencing each head alone does to the mean size of the shifts of each of N templates.

    Attributes:
        sizes: (N,) with all heads.
        without: (L, H, N) without each head.
    """

    sizes: FloatArray
    without: FloatArray

    @property
    def reaching(self) -> NDArray[np.bool_]:
        """(L, H) heads that can change a shift, with which a head is compared."""
        return heads_that_reach(self.sizes - self.without)

    @property
    def falls(self) -> FloatArray:
        """(L, H) by how much the mean size falls without each head; negative where it grows."""
        return self._falls(slice(None))

    @property
    def on_other_half(self) -> HeldOutHead | None:
        """The head that carries most in every second template, measured on the others; None for too few to compare."""
        held_out = slice(1, None, 2)
        sizes = self.sizes[held_out]
        if len(sizes) < FEWEST_TEMPLATES:
            return None
        chosen = self._falls(slice(0, None, 2))
        layer, head = map(int, np.unravel_index(first_largest(chosen), chosen.shape))
        others = self.reaching
        others[layer, head] = False
        if not others.any():
            return None
        return HeldOutHead(
            head=(layer, head),
            sizes=sizes,
            falls=sizes - self.without[layer, head, held_out],
            random=self._falls(held_out)[others],
        )

    @property
    def in_both_halves(self) -> NDArray[np.bool_]:
        """(L, H) whether a head lowers the shift more than 95 % of the `reaching` heads do, in each of both halves."""
        halves, reaching = [self._falls(slice(start, None, 2)) for start in (0, 1)], self.reaching
        limits = [max(float(np.quantile(half[reaching], 0.95)), 0.0) for half in halves]
        found: NDArray[np.bool_] = (halves[0] > limits[0]) & (halves[1] > limits[1])
        return found

    @property
    def columns(self) -> dict[str, Any]:
        """A row for each head, the one that carries most first, for `pandas.DataFrame`.

        "falls" is over all templates; of two templates or more, "chosen" is over every second one, and "held_out" over
        the others.
        """
        falls = self.falls
        order = list(largest_first(falls))
        layers, heads = np.unravel_index(order, falls.shape)
        columns: dict[str, Any] = {"layer": layers, "head": heads, "falls": falls.ravel()[order]}
        if len(self.sizes) > 1:
            for name, start in (("chosen", 0), ("held_out", 1)):
                columns[name] = self._falls(slice(start, None, 2)).ravel()[order]
        return columns

    def _falls(self, templates: slice) -> FloatArray:
        falls: FloatArray = (self.sizes - self.without)[..., templates].mean(-1)
        return falls


def shifts_without_heads(
    model: Backend, templates: Sequence[Template], measure: Measure, label: int = 0, *, progress: Progress = no_progress
) -> HeadShifts:
    """Silence each head in turn; 1 + L * H runs of all fillings. Arguments and errors as in `run_swaps`.

    Raises:
        SelectionError: the heads of the model cannot be silenced.
    """
    shape = model.num_layers, model.num_heads
    heads = list(np.ndindex(shape))

    def sizes(silenced: Heads) -> FloatArray:
        return run_swaps(model, templates, measure, label, silenced_heads=silenced).sizes

    whole = sizes(())
    without = [sizes([head]) for head in reported(heads, progress)]
    return HeadShifts(sizes=whole, without=np.stack(without).reshape(*shape, -1))


def swap_columns(
    model: Backend, templates: Sequence[Template], what: SwapTable, measure: Measure, label: int = 0
) -> dict[str, Any]:
    """The columns of one table, for `pandas.DataFrame`. Other arguments and errors as in `run_swaps`."""
    if what == "heads":
        return shifts_without_heads(model, templates, measure, label).columns
    found = run_swaps(model, templates, measure, label)
    return {"swaps": found.columns, "templates": found.columns_by_template}[what]
