"""The answer of the lens in a few sentences, and the picture that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from encoder.measures.near_ties import first_largest
from encoder.measures.similarity import ReferenceBand, cosines_by_layer, divergence_layer
from encoder.measures.unit_attention import MEAN, word_profile
from encoder.offers import CATALOGUE
from encoder.runs.trace import Trace
from encoder.shipped.names import BUNDLED
from encoder.shipped.probes import has_probes, word_classes
from viz.answers.answer import Answer, Sentence
from viz.answers.word_places import Occurrence
from viz.examples import EXAMPLES
from viz.tours.pictures import LensPicture
from viz.views.word_lens.answer.divergence import verdict_of
from viz.wording.labels import escape_markdown, heads_in_words, in_markdown
from viz.wording.numbers import written
from viz.wording.tags import Reading, reading_sentence

SMALL_MODEL: Final = 12  # layers: a model with fewer is called small
SHORT: Final = 12  # tokens: a sentence with fewer is called short
SURE: Final = 0.5  # probability of a part of speech from which on it can be the answer
KINDS: Final[Mapping[str, str]] = {"PROPN": "NOUN", "AUX": "VERB"}  # parts of speech of one kind
TO_TRY: Final = next(example for example in EXAMPLES if example.word == "bank")


def leading_picture(occurrences: Sequence[Occurrence]) -> LensPicture:
    """The picture that shows the answer: the parts of speech where they are read and differ, or stand alone."""
    if _answered_by_parts_of_speech(occurrences):
        return "parts of speech"
    return "divergence" if len(occurrences) == 2 else "profiles"


def _answered_by_parts_of_speech(occurrences: Sequence[Occurrence]) -> bool:
    if not has_probes(occurrences[0].trace.model_name):
        return False
    readings = list(map(_reading, occurrences))
    kinds = {KINDS.get(each.tag, each.tag) for each in readings}
    return len(readings) < 2 or (len(kinds) == 2 and all(each.probability >= SURE for each in readings))


def stays_close(occurrences: Sequence[Occurrence], band: ReferenceBand | None) -> bool:
    """Whether the answer is that the two uses do not diverge; `band` as `summary` has it."""
    return band is not None and leading_picture(occurrences) == "divergence" and _diverged(occurrences, band) is None


def short_answer(
    occurrences: Sequence[Occurrence],
    band: ReferenceBand | None,
    silenced: Mapping[str, Trace],
    *,
    layer: int,
    head: int,
) -> Answer:
    """What the two uses are read as or how far they are apart, what they look at, and what would show more.

    Args:
        band: as `summary` has it.
        silenced: the same runs with heads silenced, by sentence; empty where none is.
        layer, head: whose attention a sentence is about.
    """
    said = " ".join(filter(None, (summary(occurrences, band, silenced), _attention(occurrences, layer, head))))
    return Answer((Sentence(said), *(Sentence(text, "caption") for text in _advice(occurrences, band))))


def summary(occurrences: Sequence[Occurrence], band: ReferenceBand | None, silenced: Mapping[str, Trace]) -> str:
    """One criterion: the last probe's predictions where they differ, else how far the two vectors are apart.

    Args:
        band: cosines of pairs with one sense and with two. Only needed where `leading_picture` is the divergence.
        silenced: the same runs with heads silenced, by sentence; empty where none is.
    Returns:
        Markdown; "" where there is nothing to say.
    """
    said = []
    if has_probes(occurrences[0].trace.model_name):
        said.append(escape_markdown(reading_sentence(list(map(_reading, occurrences)))))
    if band is not None and leading_picture(occurrences) == "divergence":
        a, b = occurrences
        curve = cosines_by_layer(a.states, b.states)  # (L + 1,)
        said.append(verdict_of(curve, band, divergence_layer(curve, band)))
    if silenced:
        said.append(_with_silenced(occurrences, silenced))
    return " ".join(said)


def _diverged(occurrences: Sequence[Occurrence], band: ReferenceBand) -> int | None:
    """The layer from which on the two diverge; None if they do not."""
    a, b = occurrences
    return divergence_layer(cosines_by_layer(a.states, b.states), band)


def _attention(occurrences: Sequence[Occurrence], layer: int, head: int) -> str:
    """The key to which each occurrence pays most attention."""
    found = []
    for each in occurrences:
        profile = word_profile(each.trace.weights(layer), each.trace.tokens, each.positions, head=head)
        key = int(first_largest(profile.looks_at))
        label = f"“{in_markdown(profile.units.labels[key])}”"
        share = _percent(profile.looks_at[key])
        found.append(f"at {'itself' if key == profile.word else label} in {each.letter} ({share})")
    where = f"On average over the heads of layer {layer}" if head == MEAN else f"In layer {layer}, head {head}"
    return f"{where}, “{escape_markdown(occurrences[0].name)}” looks most {' and '.join(found)}."


def _advice(occurrences: Sequence[Occurrence], band: ReferenceBand | None) -> Iterator[str]:
    """What is missing, and what to do about it."""
    name, model = escape_markdown(occurrences[0].name), occurrences[0].trace.model_name
    if len(occurrences) == 1:
        yield f"Use “{name}” in both sentences to see how far its two uses differ."
    elif stays_close(occurrences, band):
        reasons = "; ".join(_reasons_to_stay_close(occurrences))
        yield (
            f"That need not mean one sense: {reasons}. Try longer sentences with a full stop, or the example "
            f"“{TO_TRY.title}”."
        )
    if not has_probes(model):
        yield (
            "No classifier was trained for this model's parts of speech: choose "
            f"“{CATALOGUE[BUNDLED].title}” to see whether the word is read as a noun or a verb."
        )


def _reasons_to_stay_close(occurrences: Sequence[Occurrence]) -> Iterator[str]:
    a, b = occurrences
    if min(len(a.trace.tokens), len(b.trace.tokens)) < SHORT:
        yield "short sentences say little about the sense"
    if not all(each.text.rstrip().endswith((".", "!", "?")) for each in occurrences):
        yield "a missing full stop changes every vector"
    if a.positions != b.positions:
        yield "the word has another position in A than in B"
    if a.trace.num_layers < SMALL_MODEL:
        yield "a small model separates senses less"


def _with_silenced(occurrences: Sequence[Occurrence], silenced: Mapping[str, Trace]) -> str:
    """The effect of silencing, compared with the runs with all heads."""
    changed = [replace(each, trace=silenced[each.letter]) for each in occurrences]
    found = []
    if len(occurrences) == 2:
        before, after = (
            written(cosines_by_layer(*(each.states for each in pair))[-1], ".2f") for pair in (occurrences, changed)
        )
        found.append(f"the cosine of the two after the last layer is {after} (with all heads {before})")
    if has_probes(occurrences[0].trace.model_name):
        read = []
        for each, own, other in zip(occurrences, map(_reading, occurrences), map(_reading, changed), strict=True):
            otherwise = f"{own.tag}, " if own.tag != other.tag else ""
            read.append(
                f"{other.tag} in {each.letter} "
                f"({_percent(other.probability)}; with all heads {otherwise}{_percent(own.probability)})"
            )
        found.append(f"the model reads {' and '.join(read)}")
    if not found:
        cosine = written(cosines_by_layer(occurrences[0].states, changed[0].states)[-1], ".2f")
        found.append(f"the cosine of the word's final vector to its own with all heads is {cosine}")
    return f"With {heads_in_words(next(iter(silenced.values())).silenced_heads)} silenced, {'; '.join(found)}."


def _reading(each: Occurrence) -> Reading:
    """The likeliest part of speech after the last layer."""
    classes = word_classes(each.trace)
    last = classes.probabilities[-1, each.word_index]  # (C,)
    return Reading(each.name, each.letter, classes.tags[np.argmax(last)], float(last.max()))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
