"""The map of all pairs of words, what it sums to, and the same as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from encoder import Tokens
from encoder.comparison.similarity_map import POINTS, SimilarityMap, tokens_to_run
from encoder.measures.units import Level, units_of
from viz.caches import run_cache, similarity_cache
from viz.caches.similarity_cache import ESTIMATE_POINTS, Texts
from viz.figures.config import plot_config
from viz.figures.pair_lines import MOST_WORDS, pair_lines
from viz.figures.pair_map import pair_map
from viz.panels.common import theme
from viz.panels.first_answer import let_paint
from viz.panels.jobs import follow
from viz.panels.tables import show_table
from viz.wording.labels import escape_markdown, make_visible, numbered, shorten
from viz.wording.numbers import written

NAMED = 3  # pairs, in words
LONGEST_NAME = 24  # characters of a word there
MOST_MISSING = 0.01  # of the cosine: more is said
MOST_AT_ONCE = 10**11  # multiplications while the page waits: about a second on two cores
SMALL = 0.01  # a cosine of which no share is told


def estimated_map(model_name: str, texts: Texts, tokens: tuple[Tokens, Tokens], level: Level) -> SimilarityMap | None:
    """The map at fewer points, which people see at once; None for long texts, and where the map itself is there."""
    is_there = run_cache.cached_job(similarity_cache.similarity, model_name, texts, level).result is not None
    work = run_cache.model(model_name).multiplications(_tokens_to_run(tokens, level, ESTIMATE_POINTS))
    if is_there or work > MOST_AT_ONCE:
        return None
    return similarity_cache.estimate(model_name, texts, level)


def follow_map(model_name: str, texts: Texts, tokens: tuple[Tokens, Tokens], level: Level) -> SimilarityMap | None:
    """The map; None as long as it is worked out, which its progress shows."""
    return follow(
        run_cache.cached_job(similarity_cache.similarity, model_name, texts, level),
        model_name,
        tokens=_tokens_to_run(tokens, level, POINTS),
        what="Pairs of words",
        key="similar_map",
    )


def _tokens_to_run(tokens: tuple[Tokens, Tokens], level: Level, points: int) -> int:
    a, b = ((len(each), len(labels_of(each, level))) for each in tokens)
    return tokens_to_run(a, b, points=points)


def show_pairs(found: SimilarityMap, tokens: tuple[Tokens, Tokens], level: Level, *, answer: object) -> None:
    """The map, the same as lines where they can be followed, the largest pairs by name, and what all of them sum to.

    Args:
        answer: what the map follows from beside level and points, as `let_paint` takes it.
    """
    a, b = (labels_of(each, level) for each in tokens)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _chart(pair_map(found.values, a, b, theme=theme()), "pairs")
        let_paint((answer, level, found.points), key="similar because")
        if max(len(a), len(b)) <= MOST_WORDS:
            _chart(pair_lines(found.values, a, b, theme=theme()), "lines")
    largest = np.argsort(-found.values, axis=None, kind="stable")[:NAMED].tolist()
    named = [
        f"“{_name(a[row])}” and “{_name(b[column])}” {written(found.values[row, column], '+.3f')}"
        for row, column in (divmod(index, len(b)) for index in largest)
    ]
    st.markdown(f"**Most is added by** {', '.join(named)}. {sum_in_words(found)}")
    st.caption(
        f"The rest belongs to no pair. It is the cosine with [MASK] in place of every word of A, "
        f"{written(found.cosine_a_masked, '.3f')}, plus that with every word of B masked, "
        f"{written(found.cosine_b_masked, '.3f')}, minus that with all words masked, "
        f"{written(found.cosine_both_masked, '.3f')}. Masked sentences still have special tokens, "
        "a length, and what masks are to this model."
    )


def show_pairs_as_table(found: SimilarityMap, tokens: tuple[Tokens, Tokens], level: Level) -> None:
    """The same numbers as a table, a row for each word of A."""
    a, b = (numbered(labels_of(each, level)) for each in tokens)
    table = pd.DataFrame(found.values, columns=b)
    table.insert(0, "A", a, allow_duplicates=True)
    show_table(lambda: table, title="The pairs as a table", name="similar because", key="similar_table")


def _chart(figure: go.Figure, name: str) -> None:
    config = plot_config(f"similar-because-{name}")
    st.plotly_chart(figure, theme=None, width="content", config=config, key=f"similar_{name}")


def labels_of(tokens: Tokens, level: Level) -> tuple[str, ...]:
    """The names of the units of a text between which the cosine is split."""
    return units_of(tokens, level=level, special="hide").labels


def _name(label: str) -> str:
    return escape_markdown(shorten(make_visible(label), LONGEST_NAME))


def sum_in_words(found: SimilarityMap) -> str:
    """What the pairs sum to, what is no pair's, and how much the two miss of the cosine, as Markdown."""
    error, cosine = found.completeness_error, abs(found.cosine)
    share = f", {error / cosine:.2%} of the cosine" if cosine > SMALL else ""
    caution = ""
    if error > MOST_MISSING * cosine:
        caution = " **That is more than 1 % of the cosine**: small pairs say nothing here."
    missing = "below 0.0001" if error < 0.0001 else f"{error:.4f}"
    return (
        f"Sum of all pairs **{written(found.values.sum(), '+.3f')}**, the rest "
        f"**{written(found.references, '+.3f')}**, total **{written(found.cosine, '.3f')}**; completeness error "
        f"{missing}{share}, at {found.points} points.{caution}"
    )
