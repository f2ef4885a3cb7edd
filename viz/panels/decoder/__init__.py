"""The decoder: an encoder-decoder writes a text about a text, and its three attentions are looked at step by step."""

from __future__ import annotations

from encoder.generation import Generation
from viz.panels.common import Reading
from viz.panels.decoder.pictures import show, small_map
from viz.panels.decoder.steps import steps
from viz.panels.decoder.texts import texts
from viz.state.selection import Selection

__all__ = ["decoder", "small_map", "texts"]


def decoder(generation: Generation, selection: Selection) -> Reading | None:
    """Where in its writing the decoder is, and what it attends to there."""
    return show(generation, selection, at=steps(generation, selection))
