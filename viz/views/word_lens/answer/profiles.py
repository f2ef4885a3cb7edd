"""Attention from and to each occurrence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from encoder.measures.near_ties import largest_first
from encoder.measures.unit_attention import WordProfile, word_profile
from viz.answers.answer import Answer, Chart, Columns, Part, Row, ShadedWords, Table
from viz.answers.word_places import Occurrence, heading
from viz.figures.profiles import Ring, profile_bars
from viz.wording.explanations import Explanation
from viz.wording.labels import head_name

MOST_BARS = 16
HEADING: Final = "What it looks at, what looks at it"


def profiles(
    occurrences: Sequence[Occurrence], *, layer: int, head: int, points: Sequence[Mapping[str, Any]] = ()
) -> Answer:
    """Rows and columns of one layer's head, or of the mean over its heads, the sentences next to each other.

    Args:
        points: of a stop, as `viz.tours.pointing.placed_points` gives them.
    """
    found = [
        word_profile(each.trace.weights(layer), each.trace.tokens, each.positions, head=head) for each in occurrences
    ]
    letters = [each.letter for each in occurrences]
    name = head_name(layer, head)
    most = max(len(profile.units) for profile in found)
    table = Table(
        name="profiles",
        title="The weights as a table",
        columns=lambda: _columns(letters, found),
        on_page="download",
    )
    explanation = Explanation(
        "The stronger the colour behind a word, and the longer its bar, the more attention passes. To the right "
        "the chosen word's row, which sums to 1; to the left its column: the share of each word's own attention "
        "that comes to the chosen word. Layer and head are chosen next to the chart."
        + (f" Bars stand for the {MOST_BARS} largest only; the text shows all." if most > MOST_BARS else ""),
        "A large weight does not mean that the token is used: the value vectors and later layers decide that.",
    )
    row = Row(tuple(_column(letter, profile, points) for letter, profile in zip(letters, found, strict=True)))
    return Answer((heading(f"{HEADING} · {name}"), row, table), explanation)


def _column(letter: str, profile: WordProfile, points: Sequence[Mapping[str, Any]]) -> tuple[Part, ...]:
    labels = profile.units.labels
    largest = _largest_units(profile, MOST_BARS)
    ringed = [ring for point in points for ring in _rings(point, letter, profile, largest)]
    chart = Chart(
        name=f"profile-{letter}",
        alt=f"Bars on both sides of the words of sentence {letter}: what looks at the word, and what it looks at.",
        figure=lambda theme: profile_bars(
            profile.looks_at[largest],
            profile.looked_at_by[largest],
            [labels[index] for index in largest],
            word=largest.index(profile.word),
            colour=theme.sentence(letter),
            ringed=ringed,
            theme=theme,
        ),
    )
    sides = (("looks at", profile.looks_at), ("is looked at by", profile.looked_at_by))
    words = (
        ShadedWords(title=title, words=labels, weights=weights, marked=profile.word, sentence=letter)
        for title, weights in sides
    )
    return (*words, chart)


def _rings(point: Mapping[str, Any], letter: str, profile: WordProfile, shown: Sequence[int]) -> list[Ring]:
    """Frames around a word's bars, or around the bar of a cell in the word's row or column."""
    if point["kind"] == "head" or point["run"] not in ("pair", letter):
        return []

    def rows_of(positions: Sequence[int]) -> list[int]:
        return [row for row, unit in enumerate(shown) if set(profile.units.members[unit]) & set(positions)]

    if point["kind"] == "token":
        return [(row, "both") for row in rows_of(point["token"])]
    word = shown.index(profile.word)
    queries, keys = rows_of(point["query"]), rows_of(point["key"])
    if word in queries:
        return [(row, "it looks at") for row in keys]
    return [(row, "looks at it") for row in queries] if word in keys else []


def _largest_units(profile: WordProfile, count: int) -> list[int]:
    """The units with the largest bars, and the word itself, in the order of the text: at most `count`."""
    largest = np.maximum(profile.looks_at, profile.looked_at_by)
    largest[profile.word] = 2  # more than any attention
    return sorted(largest_first(largest, count))


def _columns(letters: Sequence[str], found: Sequence[WordProfile]) -> Columns:
    counts = [len(profile.units) for profile in found]
    return {
        "sentence": np.repeat(letters, counts),
        "position": [position for count in counts for position in range(count)],
        "unit": [label for profile in found for label in profile.units.labels],
        "is_the_word": [
            index == profile.word for profile, count in zip(found, counts, strict=True) for index in range(count)
        ],
        "looks_at": np.concatenate([profile.looks_at for profile in found]),
        "looked_at_by": np.concatenate([profile.looked_at_by for profile in found]),
    }
