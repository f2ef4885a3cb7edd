"""The decoder: an encoder-decoder writes a text from another text; its three attentions are shown step by step."""

from __future__ import annotations

from encoder.runs.generation import Generation
from viz.panels.decoder.lens import show_lens
from viz.panels.decoder.pictures import layers_of_picture, show_alignment, show_picture, show_small_map
from viz.panels.decoder.steps import choose_step
from viz.panels.decoder.texts import show_texts
from viz.state.selection import Selection
from viz.wording.explanations import Explanation

__all__ = ["decoder", "layers_of_picture", "show_alignment", "show_lens", "show_small_map", "show_texts"]


def decoder(generation: Generation, selection: Selection) -> Explanation | None:
    """The choice of a step, and the attention at that step."""
    return show_picture(generation, selection, step=choose_step(generation, selection))
