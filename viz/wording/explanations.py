"""How to read each canvas view, and what it does not show; shared by the page and saved files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from encoder.measures.units import Special


@dataclass(frozen=True, slots=True)
class Explanation:
    """How to read a view, and what it does not show, in full sentences."""

    how_to_read: str
    what_it_does_not_show: str


HEAD_VIEW: Final = Explanation(
    "A line runs from the token that looks (query, left) to the one that is looked at (key, right). Choose heads "
    "by their numbers.",
    "Lines of many heads add up to a haze: judge a head alone before you name it. And a large weight does not "
    "mean that the token matters for the result.",
)
NEURON_VIEW: Final = Explanation(
    "Choose a query above. Each row is a key: its vector k, the product q × k in every dimension with the three "
    "largest underlined, their sum q · k, the score, and the weight after softmax over all keys. Hover over a row to "
    "see its numbers in the formula; click it to keep it. On the keyboard, ← and → choose the query, ↑ and ↓ the key, "
    "and Shift with ← and → the dimension.",
    "A single dimension has no meaning: rotating all queries and keys together gives the same weights.",
)
NORMS: Final = Explanation(
    "A long vector has large numbers; a cosine of 1 means that the layer kept a token's direction.",
    "A layer norm follows every block and fixes much of the length, so a norm says little about importance.",
)

WHY_HERE: Final = Explanation(
    "A bar is what one earlier part of the model adds to this score. On the left the query's state is split and the "
    "key stays as it is, on the right the other way round; either side sums to the score. An earlier head or "
    "feed-forward block counts with what it wrote at that token, and layer norms divide by what they divided by in "
    "this run. A click on a head's bar chooses that head.",
    "The split follows the residual connections alone: what a head read before it wrote is in its own bar. A score "
    "counts only compared with those of the other keys, so a term that raises all of them alike changes no weight. And "
    "a weight is no reason for what the model says.",
)


def heat_map_explanation(*, pair: bool, special: Special) -> Explanation:
    """How to read the heat map of one text or of a pair."""
    sums = "; over both sentences a row sums to 1." if pair else "; a row sums to 1."
    return Explanation(
        "Each row is a token that looks (query), each column a token that is looked at (key)"
        + ("." if special == "hide" else sums),
        "A large weight does not mean that the token matters for the result: attention is not an explanation.",
    )


def model_view_explanation(*, units: int, pooled: bool) -> Explanation:
    """How to read the model view.

    Args:
        units: how many tokens or words the text has.
        pooled: whether they exceed the cells along a side of a head's picture.
    """
    cells = f" A cell is the largest of several weights, because {units} tokens do not fit." if pooled else ""
    return Explanation(
        "Layers downward, heads across; inside each picture, queries and keys as in the heat map. The colour follows "
        f"the square root of the weight, so that small ones show.{cells} Hover "
        "names a head and measures it on this text; a click or the arrow keys choose it for the whole page.",
        "A regular pattern (the previous token, the diagonal) says what a head often does, not what it is for.",
    )


def attribution_explanation(view: Literal["heat map", "head view", "model view"], *, from_input: bool) -> Explanation:
    """How to read a view that shows a method of attribution instead of weights.

    Args:
        from_input: whether the method attributes to the input.
    """
    source = "of the input" if from_input else "as it goes into the layer"
    sources = "of the input" if from_input else "as they go into it"
    what = {
        "heat map": f"Each row is a token as it leaves the layer, each column a token {source}; a cell says how much "
        "of the row's token comes from the column's.",
        "head view": f"A line runs from a token as it leaves the layer (left) to a token {source} that it comes from "
        "(right).",
        "model view": f"Inside each picture rows are tokens as they leave the layer, columns tokens {sources}. The "
        "colour follows the square root of the number, so that small ones show.",
    }
    return Explanation(
        what[view],
        "How much of a token comes from another one is not how much that one matters for the result. Methods "
        "disagree, and none of them is right by its name.",
    )
