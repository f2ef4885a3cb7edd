"""Picture 2: what each occurrence looks at, and what looks at it."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from encoder.measures.unit_attention import WordProfile, word_profile
from encoder.runs.arrays import FloatArray
from viz.figures.profiles import profile_bars
from viz.panels.common import head_name, theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.layout import chart, heading, show_explanation_and_csv
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.labels import make_visible

SENTENCES = 54  # pixels of the two lines of words at a stop of a tour
MOST_BARS = 16


def show_profiles(occurrences: Sequence[Occurrence], selection: Selection) -> None:
    """Rows and columns of the chosen layer and head, the sentences next to each other."""
    line = heading(2, f"What it looks at, what looks at it · {head_name(selection)}")
    shown = {
        each.letter: word_profile(
            each.trace.weights(selection.layer), each.trace.tokens, each.positions, head=selection.head
        )
        for each in occurrences
    }
    for column, (letter, profile) in zip(st.columns(len(shown), gap="medium"), shown.items(), strict=True):
        with column:
            _side(letter, profile)
    hidden = max(len(profile.units) for profile in shown.values()) > MOST_BARS
    show_explanation_and_csv(
        line,
        Explanation(
            "The stronger the colour behind a word, and the longer its bar, the more attention passes. To the right "
            "the chosen word's row, which sums to 1; to the left its column: the share of each word's own attention "
            "that comes to the chosen word. Layer and head are chosen beside the picture."
            + (f" Bars stand for the {MOST_BARS} largest only; the text shows all." if hidden else ""),
            "A large weight does not mean that the token is used: the value vectors and later layers decide that.",
        ),
        lambda: _table(shown),
        "profiles",
    )


def _side(letter: str, profile: WordProfile) -> None:
    colour = theme().sentence(letter)
    labels = profile.units.labels
    st.html(
        _coloured("looks at", profile.looks_at, labels, word=profile.word, colour=colour)
        + _coloured("is looked at by", profile.looked_at_by, labels, word=profile.word, colour=colour)
    )
    largest = largest_units(profile, MOST_BARS)
    figure = profile_bars(
        profile.looks_at[largest],
        profile.looked_at_by[largest],
        [labels[index] for index in largest],
        word=largest.index(profile.word),
        colour=colour,
        theme=theme(),
    )
    chart(figure, f"profile-{letter}", above=SENTENCES)


def largest_units(profile: WordProfile, count: int) -> list[int]:
    """The units with the largest bars, and the word itself, in the order of the text: at most `count`."""
    largest = np.maximum(profile.looks_at, profile.looked_at_by)
    largest[profile.word] = np.inf
    return sorted(np.argsort(-largest, kind="stable")[:count].tolist())


def _coloured(title: str, weights: FloatArray, labels: Sequence[str], *, word: int, colour: str) -> str:
    """A sentence with a colour behind each word; the strongest has half of the full colour, to stay legible."""
    high = max(float(weights.max()), 1e-6)
    words = []
    for index, (label, weight) in enumerate(zip(labels, weights.tolist(), strict=True)):
        share = round(50 * weight / high)
        frame = f"outline:2px solid {colour};" if index == word else ""
        words.append(
            f'<bdi style="background:color-mix(in srgb,{colour} {share}%,transparent);{frame}border-radius:4px;'
            f'padding:1px 4px" title="{weight:.4f}">{html.escape(make_visible(label))}</bdi>'
        )
    return (
        '<div style="font-size:var(--sentence-size,17px);line-height:var(--sentence-line,1.9);max-height:9.5lh;'
        'overflow:auto;overflow-wrap:anywhere">'
        f'<span style="font-size:0.82em;opacity:.7">{title}</span> {" ".join(words)}</div>'
    )


def _table(shown: dict[str, WordProfile]) -> pd.DataFrame:
    return pd.concat(
        pd.DataFrame(
            {
                "sentence": letter,
                "position": range(len(profile.units)),
                "unit": profile.units.labels,
                "is_the_word": [index == profile.word for index in range(len(profile.units))],
                "looks_at": profile.looks_at,
                "looked_at_by": profile.looked_at_by,
            }
        )
        for letter, profile in shown.items()
    )
