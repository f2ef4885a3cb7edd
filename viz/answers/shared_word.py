"""The part of speech that a probe predicts for the word that two sentences share, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from encoder.runs.trace import Trace
from encoder.shipped.probes import WordClasses
from viz.answers.word_lens.word import find_word_places, occurrences_of
from viz.state.selection import Selection
from viz.tours.places import LETTERS
from viz.wording.labels import make_visible
from viz.wording.tags import Reading, reading_sentence


def shared_word_sentence(traces: Sequence[Trace], classes: Sequence[WordClasses], selection: Selection) -> str:
    """What the probe of `selection.tags` predicts for the word of the word lens in both sentences.

    Args:
        traces: of two sentences that are encoded separately, or else the sentence is empty.
        classes: of the words of each trace.
    Returns:
        Plain text; "" if the two sentences share no word and none was chosen.
    """
    if len(traces) < len(LETTERS):
        return ""
    by_letter: dict[str, Trace] = dict(zip(LETTERS, traces, strict=True))
    occurrences = occurrences_of(by_letter, find_word_places(by_letter, selection))
    if len(occurrences) < len(LETTERS):
        return ""
    state = selection.tags if isinstance(selection.tags, int) else None
    readings = []
    for each, found in zip(occurrences, classes, strict=True):
        row = found.read_from(state)[each.word_index]  # (C,)
        readings.append(Reading(make_visible(each.word), each.letter, found.tags[row.argmax()], float(row.max())))
    return reading_sentence(readings)
