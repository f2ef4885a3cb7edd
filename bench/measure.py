"""Medians of alternating runs, and the rows of the table."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

ROUNDS = 7

SecondsByVariant = dict[str, list[float]]


def alternate(
    variants: Mapping[str, Callable[[], float]], rounds: int = ROUNDS, *, warm_up: int = 1
) -> SecondsByVariant:
    """Run all variants in turn, round after round, so that a busy moment of the machine hits all of them.

    Every second round runs backwards: so each variant profits equally from what the one before it left behind
    (a warm cache, freed memory).

    Args:
        variants: functions by name; each returns what it measured, in seconds.
        warm_up: rounds whose figures are thrown away.
    Returns:
        The figures of every variant, `rounds` each.
    """
    times: SecondsByVariant = {name: [] for name in variants}
    for turn in range(-warm_up, rounds):
        names = list(variants) if turn % 2 == 0 else list(reversed(list(variants)))
        for name in names:
            gc.collect()
            seconds = variants[name]()
            if turn >= 0:
                times[name].append(seconds)
    return times


def timed(work: Callable[[], object]) -> Callable[[], float]:
    """A variant that measures how long `work` takes; what it returns is dropped after the clock has stopped."""

    def variant() -> float:
        start = time.perf_counter()
        kept = work()
        seconds = time.perf_counter() - start
        del kept
        return seconds

    return variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table.

    Attributes:
        part: the section that it belongs to.
        what: what was compared, on which model.
        tokens: length of the text, or None where it has none.
        ours, other: medians in `unit`; None where there is no such figure.
        n: how many figures the medians are of.
        target: the bound for `value`, such as "≤ 1.6"; empty where none was set.
        judged_by: the figure that the target judges: "ratio" (ours / other), "inverse" (other / ours) or "ours".
        note: what a reader should know, such as why there is no figure.
    """

    part: str
    what: str
    ours: float | None
    other: float | None = None
    tokens: int | None = None
    unit: str = "ms"
    n: int = 1
    target: str = ""
    judged_by: str = "ratio"
    note: str = ""

    @property
    def value(self) -> float | None:
        """The figure that is held against the target, or None where one of its two is missing."""
        if self.judged_by == "ours" or self.ours is None:
            return self.ours
        if self.other is None:
            return None
        numbers = (self.ours, self.other) if self.judged_by == "ratio" else (self.other, self.ours)
        return numbers[0] / numbers[1] if numbers[1] else None

    @property
    def met(self) -> bool | None:
        """Whether the target is kept; None where there is none, or no figure."""
        return None if not self.target or self.value is None else meets_target(self.value, self.target)


def meets_target(value: float, target: str) -> bool:
    """Whether a figure keeps a target such as "≤ 1.6", "≥ 10" or "< 17"."""
    sign, _, number = target.partition(" ")
    bound = float(number)
    return {"≤": value <= bound, "≥": value >= bound, "<": value < bound}[sign]


def compare(
    times: SecondsByVariant, ours: str, other: str, *, part: str, what: str, tokens: int | None = None, target: str = ""
) -> Row:
    """A row from the seconds of two variants, in milliseconds."""
    return Row(
        part=part,
        what=what,
        ours=1e3 * median(times[ours]),
        other=1e3 * median(times[other]),
        tokens=tokens,
        n=len(times[ours]),
        target=target,
    )
