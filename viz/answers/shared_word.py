"""The part of speech that a probe predicts for the word of the word lens, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from encoder.runs.trace import Trace
from encoder.shipped.probes import WordClasses
from viz.answers.strongest_link import shared_in_pair
from viz.answers.word_places import find_word_places, least_sure_words, occurrences_of
from viz.state.selection import Selection
from viz.tours.places import LETTERS
from viz.wording.labels import make_visible
from viz.wording.tags import Reading, reading_sentence


def shared_word_sentence(traces: Sequence[Trace], classes: Sequence[WordClasses], selection: Selection) -> str:
    """What the probe of `selection.tags` predicts for the word of the word lens in each sentence.

    Where the sentences share no word, and none was chosen, it is the least sure word of each.

    Args:
        traces: of one sentence, of two that are encoded separately, or of a pair.
        classes: of the words of each trace.
    Returns:
        Plain text; "" if a sentence has no word.
    """
    is_pair = traces[0].tokens.sentence_b_start is not None
    by_letter: dict[str, Trace] = dict(zip(LETTERS, traces, strict=False))
    if is_pair:
        words = [*shared_in_pair(traces[0], selection)]
    else:
        words = [each.word_index for each in occurrences_of(by_letter, find_word_places(by_letter, selection))]
    if len(words) < len(traces) + is_pair:
        words = [word for trace in traces for word in least_sure_words(trace)]
    if len(words) < len(traces) + is_pair:
        return ""
    state = selection.tags if isinstance(selection.tags, int) else None
    readings = []
    for letter, word, trace, found in zip(LETTERS, words, (*traces, traces[0]), (*classes, classes[0]), strict=False):
        row = found.read_from(state)[word]  # (C,)
        name = make_visible(trace.tokens.words[word])
        readings.append(Reading(name, letter if len(words) > 1 else "", found.tags[row.argmax()], float(row.max())))
    return reading_sentence(readings)
