"""Numbers in the page's sentences, tables and figures, formatted as on the axes of figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from encoder.measures.inference import FEWEST, LEVEL

FEW: Final = ("no", "one", "two", "three", "four")


def percent(share: float, digits: int = 0) -> str:
    """A share as in “93 %”."""
    return f"{written(100 * share, f'.{digits}f')} %"


def percent_counted(share: float) -> str:
    """A share of things that were counted: “100 %” if it is all of them, and “0 %” if it is none."""
    digits = next(
        digits for digits in range(4) if digits == 3 or 0 < round(100 * share, digits) < 100 or share in (0, 1)
    )
    return percent(share, digits)


def written(value: float, number_format: str) -> str:
    """The number with a minus sign (U+2212), as on Plotly's axes, instead of a hyphen.

    Numbers that round to zero have no sign, which would reveal hidden digits. Files and addresses keep the hyphen and
    do not use this function.
    """
    text = format(value, number_format)
    if not text.strip("+-.0"):
        return text.lstrip("+-")
    return text.replace("-", "\u2212")


def interval_in_words(low: float, high: float, number: Callable[[float], str], *, n: int, what: str = "row") -> str:
    """A 95 % interval, or that there are too few values for one.

    Args:
        number: writes the ends.
        what: a value is of, in the singular.
    """
    if not math.isnan(low):
        return f"95 % interval {number(low).removesuffix(' %')} to {number(high)}"
    if n >= FEWEST:
        return "no interval"
    return f"{FEW[n]} {what}{'' if n == 1 else 's'}: too few for an interval"


def p_in_words(p: float) -> str:
    """A p as in “p = 0.03”; one that rounds to 0.05 from below as “p < 0.05”."""
    if p < 0.001:
        return "p < 0.001"
    return "p < 0.05" if p < LEVEL and f"{p:.2g}" == f"{LEVEL:.2g}" else f"p = {written(p, '.2g')}"


def by_chance(p: float) -> str:
    """A p as how many tables show as much by chance: "1 of 60", or "12 of 100" from one in ten on."""
    if p < 0.001:
        return "fewer than 1 of 1,000 tables"
    return f"1 of {round(1 / p):,} tables" if p < 0.1 else f"{round(100 * p)} of 100 tables"
