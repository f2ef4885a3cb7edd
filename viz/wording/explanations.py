"""How to read the views of saved files, and what they do not show; the answers of other views have their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from encoder.measures.units import Special


@dataclass(frozen=True, slots=True)
class Explanation:
    """How to read a view, and what it does not show, in full sentences."""

    how_to_read: str
    what_it_does_not_show: str


# What several views do not show.
OF_PROBABILITIES: Final = "A probability is the model's own number, not its chance of being right."
OF_PATTERNS: Final = (
    "A regular pattern (the previous token, the diagonal) shows what a head often does, not what it is for."
)
HEAD_VIEW: Final = Explanation(
    "A line runs from a token (query, left) to a token that it looks at (key, right); the thicker, the more attention. "
    "Choose heads by their numbers.",
    "Many heads at once blur together: look at one at a time before you say what it does.",
)
NEURON_VIEW: Final = Explanation(
    "Choose a query above. Each row is a key: its vector k, the product q × k in every dimension with the three "
    "largest underlined, their sum q · k, the score, and the weight after softmax over all keys. Hover over a row to "
    "see its numbers in the formula; click it to keep it. On the keyboard, ← and → choose the query, ↑ and ↓ the key, "
    "and Shift with ← and → the dimension.",
    "A single dimension has no meaning: rotating all queries and keys together gives the same weights.",
)
ROUTES: Final = Explanation(
    "Layers go upwards. A line is an attention weight, from the token that is looked at to the token that looks, one "
    "layer higher. Wider lines contribute more; blue ones raise the output, orange ones lower it. Links that "
    "cannot reach the output, such as those of layers above the one that it is read after, are not counted.",
    "Contributions are estimates from gradients, of this text and this output, and say nothing about other texts.",
)
NORMS: Final = Explanation(
    "A long vector has large numbers; a cosine of 1 means that the layer kept a token's direction.",
    "A layer norm follows every block and fixes much of the length, so a norm says little about importance.",
)


def heat_map_explanation(*, pair: bool, special: Special) -> Explanation:
    """How to read the heat map of one text or of a pair."""
    sums = " Over both sentences, each row adds up to 1." if pair else " Each row adds up to 1."
    return Explanation(
        "Each row is a token that looks (query), each column a token that it can look at (key)."
        + ("" if special == "hide" else sums)
        + " A large weight does not mean that the token matters for the result.",
        "Attention is not an explanation.",
    )


def model_view_explanation(*, units: int, pooled: bool) -> Explanation:
    """How to read the model view.

    Args:
        units: how many tokens or words the text has.
        pooled: whether they exceed the cells along a side of a head's picture.
    """
    cells = f" A cell is the largest of several weights, because {units} tokens do not fit." if pooled else ""
    return Explanation(
        "Each row is a layer, each column a head, and each picture a small heat map. Colours follow the square root "
        f"of the weight, so that small weights show.{cells} Hover over a head for its name and its numbers on this "
        "text; click it, or use the arrow keys, to choose it.",
        OF_PATTERNS,
    )


def attribution_explanation(view: Literal["heat map", "head view", "model view"], *, from_input: bool) -> Explanation:
    """How to read a view that shows a method of attribution instead of weights.

    Args:
        from_input: whether the method attributes to the input.
    """
    source = "of the input" if from_input else "as it enters the layer"
    sources = "of the input" if from_input else "as they enter it"
    what = {
        "heat map": f"Each row is a token as it leaves the layer, each column a token {source}. A cell shows how much "
        "of the row's token comes from the column's.",
        "head view": f"A line runs from a token as it leaves the layer (left) to a token {source} that it comes from "
        "(right).",
        "model view": f"In each picture, rows are tokens as they leave the layer and columns are tokens {sources}. "
        "Colours follow the square root of the number, so that small numbers show.",
    }
    return Explanation(
        what[view],
        "Methods disagree, and none of them is the right one; where a token comes from is not what matters for the "
        "result.",
    )
