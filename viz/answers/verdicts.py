"""The verdict of a removal test, in words."""

from __future__ import annotations

from collections.abc import Sequence

from encoder.attribution.removal_curves import Verdict
from encoder.shipped.names import is_untrained
from encoder.text.tokens import Tokens
from viz.wording.numbers import p_in_words, percent, written
from viz.wording.readings import counted, other_language, unknown_words

MOSTLY = 0.75  # share of random orders from which on the result is called inconclusive


def untrained_caveat(*model_names: str) -> str:
    """A warning if one of the models is untrained; "" otherwise."""
    if not any(map(is_untrained, model_names)):
        return ""
    subject = "This model is untrained" if len(set(model_names)) == 1 else "One of these models is untrained"
    return f"**{subject}:** its weights are random numbers, so this result means nothing about language."


def in_words(result: Verdict, *, model_name: str, text: str = "A text", texts: Sequence[Tokens] = ()) -> str:
    """The verdict on an order, in a sentence or two of Markdown; there is none for an untrained model.

    Nor is there one for texts with words that the model does not know, or in another language.

    Args:
        text: subject of the sentence on texts that are too short.
        texts: whose words are removed.
    """
    if is_untrained(model_name):
        return f"{untrained_caveat(model_name)} The order gets no verdict."
    said = (unknown_words(each) or other_language(each, model_name) for each in texts)
    if unread := next(filter(None, said), ""):
        return f"{unread} The order gets no verdict."
    if not result.testable:
        return (
            f"**Too short to test.** {text} of {counted(result.units, 'word')} has too few "
            "orders for random ones to differ."
        )
    beaten = f"this order is better than {result.beaten} of {result.of} random orders"
    if result.holds:
        return f"**Yes: {beaten}** ({p_in_words(result.p)})."
    if result.beaten >= MOSTLY * result.of:
        return f"**Not clearly: {beaten}** ({p_in_words(result.p)}). Do not rely on it here."
    return f"**No: {beaten}** ({p_in_words(result.p)}). Do not rely on it here."


def area_in_words(result: Verdict, unit: str) -> str:
    """By how much an order is better than random ones, and how much better the greedy search is.

    Args:
        unit: of the tested output.
    """
    share, best = result.share_of_best, ""
    if share is not None and share > 1:
        best = ", more than that of the order that the greedy search found"
    elif share is not None and share >= 0:  # negative: worse than random
        best = f", {percent(share)} of the way from random orders to the greedy search"
    area = written(result.between, "+.3f")
    return f"The area between this order and the mean of the random ones is {area} ({unit}){best}."
