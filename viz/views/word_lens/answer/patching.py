"""The word's state in A, substituted for the one in B; below it, which tokens' states carry a number."""

from __future__ import annotations

from typing import Final

from encoder.attribution.patching_estimates import PatchedTexts
from encoder.attribution.word_estimates import PatchedTag
from encoder.experiments.patching import Patching
from encoder.models.labels import TAGS
from encoder.shipped.probes import has_probes
from viz.answers.answer import Answer, Chart, Columns, Part, Row, Sentence, Table
from viz.answers.word_places import Occurrence, heading
from viz.figures.patching import patched_probability_lines, patching_lines
from viz.state.selection import Carried
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, state_names

EXPLANATION: Final = Explanation(
    "At each place of the axis, B is run once with the word's state replaced by the one that A has there, and "
    "the layers after it work on. Left: how near the word's final vector comes to the one it has in A, and to "
    "its own in B. Right: the output of the last layer's probe, for the likeliest class of A and of B.",
    "The rest of B stays as it was, so the later layers get a mixture that no sentence gives. That the vector "
    "ends near A's does not show that its meaning does.",
)
NO_GRADIENT: Final = " In A that distance is 0 and has no gradient: the estimate uses the gradient in B."


def patching_heading(a: Occurrence) -> Sentence:
    """The heading of the picture, or of the reason why there is none."""
    return heading(f"Which layers decide? “{a.name}” from A, patched into B")


def patching(a: Occurrence, found: Patching) -> Answer:
    """B's final vector when A's state is substituted after one of the layers."""
    lines = Chart(
        name="patching",
        alt="The cosine of the word's final vector to the one in A and to the one in B, by the layer after which its "
        "state was replaced.",
        figure=lambda theme: patching_lines(
            found.to_a, found.to_b, first_state_nearer_to_a=found.first_state_nearer_to_a, theme=theme
        ),
    )
    probe = _probe(found)
    parts: list[Part | Row] = [
        patching_heading(a),
        lines if probe is None else Row(((lines,), (probe,))),
        Sentence(_verdict(found)),
    ]
    if found.averaged:
        note = "The word has another number of pieces in A than in B: the mean over A's pieces went into each."
        parts.append(Sentence(note, "caption"))
    table = Table(name="patching", title="The curves as a table", columns=lambda: _columns(found), on_page="download")
    return Answer((*parts, table), EXPLANATION)


def _probe(found: Patching) -> Chart | None:
    """The last layer's probe on the patched word; None for a model without probes."""
    probabilities = found.probabilities
    if probabilities is None or found.unpatched_a is None or found.unpatched_b is None:
        return None
    shown = tuple(dict.fromkeys((int(found.unpatched_a.argmax()), int(found.unpatched_b.argmax()))))
    return Chart(
        name="patching-belief",
        alt="How likely the last layer's probe finds the part of speech of A and of B, by the layer after which the "
        "word's state was replaced.",
        figure=lambda theme: patched_probability_lines(probabilities, TAGS, shown=shown, theme=theme),
    )


def _verdict(found: Patching) -> str:
    if found.has_no_shift:
        return "**There is nothing to carry over**: the word's final vectors in A and in B point the same way."
    state_index = found.first_state_nearer_to_a
    if state_index is None:
        return "**A's state does not prevail**: even replaced at the end, B's word stays nearer to its own vector."
    if state_index == 0:
        return (
            "**A's state prevails from the embeddings on**: wherever it is substituted, the word ends up nearer to "
            "its vector in A."
        )
    return (
        f"**From layer {state_index - 1} on A's state prevails**: replaced there or later, the word ends nearer to its "
        "vector in A than to the one in B. Replaced earlier, B's other words pull it back."
    )


def _columns(found: Patching) -> Columns:
    columns: Columns = {"entry": state_names(len(found.to_a)), "cosine_to_a": found.to_a, "cosine_to_b": found.to_b}
    if found.probabilities is None:
        return columns
    return {**columns, **dict(zip(TAGS, found.probabilities.T, strict=True))}


def carried_number(model_name: str, chosen: Carried) -> Carried:
    """The number that the tokens carry: the shift if the model has no probes."""
    return chosen if has_probes(model_name) else "shift"


def tokens_heading(number: Carried) -> Sentence:
    """The heading of the map, or of the reason why there is none."""
    return Sentence(f"**Which tokens carry the {number}?** Any token's state from A, patched into B")


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
        f"A cell shows {says} when one token's state there is replaced by A's at the same place. A state that "
        f"moves it carries something for it; this does not show whether the model needs that state.{more}"
    )
    return {"unit": unit, "what": what}
