"""The links that carry an output, as a run of a page in one file."""

from __future__ import annotations

from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens
from viz.html.quantised import whole_block
from viz.payloads.message import Message
from viz.payloads.routes import cut_message
from viz.saved_page.contents import PageRun
from viz.wording.explanations import ROUTES


def place_of(tokens: Tokens) -> str:
    """The place of one text, or of a pair."""
    return "A" if tokens.sentence_b_start is None else "pair"


def run_of_routes(
    tokens: Tokens, message: Message, *, layers: int, heads: int, name: str = "", cut: FloatArray | None = None
) -> PageRun:
    """One text's routes for a page.

    Args:
        message: from `viz.payloads.routes.routes_message`, with the id "NAME.routes".
        layers, heads: of the model.
        name: unique on the page; by default the place.
        cut: (C,) the output without the strongest links, at the message's counts.
    """
    place = place_of(tokens)
    blocks = [whole_block(message), *([] if cut is None else [whole_block(cut_message(message, cut))])]
    return PageRun(
        place=place,
        heading="",
        texts=("A", "B") if place == "pair" else (place,),
        special="show",
        layers=tuple(range(layers)),
        num_heads=heads,
        explanations={"routes": ROUTES},
        blocks=tuple(blocks),
        name=name or place,
    )
