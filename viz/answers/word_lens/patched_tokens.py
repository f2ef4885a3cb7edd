"""Below picture 5: which tokens' states carry the word's part of speech or its shift."""

from __future__ import annotations

from typing import Final

from encoder.attribution.patching_estimates import PatchedTexts
from encoder.attribution.word_estimates import PatchedTag
from encoder.models.labels import TAGS
from encoder.shipped.probes import has_probes
from viz.answers.answer import Sentence
from viz.answers.word_lens.word import Occurrence
from viz.state.selection import Carried
from viz.wording.labels import escape_markdown

NO_GRADIENT: Final = " In A that distance is 0 and has no gradient: the estimate uses the gradient in B."


def carried_number(model_name: str, chosen: Carried) -> Carried:
    """The number that the tokens carry: the shift if the model has no probes."""
    return chosen if has_probes(model_name) else "shift"


def tokens_heading(number: Carried) -> Sentence:
    """The heading of the map, or of the reason why there is none."""
    return Sentence(f"**Which tokens carry the {number}?** Any token's state from A, put into B")


def words_of_patching(b: Occurrence, patched: PatchedTexts) -> dict[str, str]:
    """Unit and meaning of a cell: arguments of `viz.answers.patched_tokens.patched_tokens`."""
    word = escape_markdown(b.name)
    if isinstance(patched, PatchedTag):
        first, second = (TAGS[index] for index in patched.classes)
        unit, more = f"log-odds, {first} against {second}", ""
        says = f"how “{word}” in B moves from {second} towards {first}, as the last layer's probe reads it,"
    else:
        unit, more = "distance from A to B", NO_GRADIENT
        says = f"by how much the cosine distance of “{word}” in B from the word in A changes after the last layer"
    what = (
        f"A cell says {says} when one token's state there is the one that A has at that place. A state that "
        f"moves it carries something for it; whether the model needs that state, this does not say.{more}"
    )
    return {"unit": unit, "what": what}
