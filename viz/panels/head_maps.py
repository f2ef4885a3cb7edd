"""Maps of all heads on the page, next to each other."""

from __future__ import annotations

from collections.abc import Sequence

from viz.answers.answer import Answer, Row
from viz.answers.head_maps import HeadMap, charts_of_heads
from viz.panels.answer import show_answer
from viz.state.selection import Selection


def show_head_maps(
    maps: Sequence[HeadMap], selection: Selection, *, number_format: str, signed: bool, figures: str, view: str
) -> None:
    """A map for each text, in which a click chooses a head.

    Args:
        number_format, signed: as `effect_map` has them.
        figures: what the names of the figures begin with.
        view: begins the keys of what is drawn.
    """
    chosen = (selection.layer, selection.head)
    charts = charts_of_heads(maps, chosen, number_format=number_format, signed=signed, name=figures)
    show_answer(Answer((Row(tuple((chart,) for chart in charts)),)), view=view, place="")
