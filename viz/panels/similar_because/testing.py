"""The test: what the map splits as pairs are taken away in its order, beside random pairs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from encoder import Tokens
from encoder.attribution.removal_curves import RANDOM_ORDERS, removal_counts, verdict
from encoder.comparison.pair_removals import largest_pairs_first
from encoder.comparison.similarity_map import SimilarityMap
from encoder.measures.units import Level
from encoder.runs.arrays import FloatArray
from viz.caches import similarity_cache
from viz.caches.run_cache import cached_job, cached_with_model
from viz.caches.similarity_cache import Texts
from viz.figures.config import plot_config
from viz.figures.removal_curves import removal_curves
from viz.panels.common import theme
from viz.panels.jobs import follow
from viz.panels.tables import show_table
from viz.panels.verdicts import in_words

UNIT = "cosine, without the rest"


def show_test(model_name: str, texts: Texts, tokens: tuple[Tokens, Tokens], found: SimilarityMap, level: Level) -> None:
    """The curves and the verdict."""
    st.markdown("### Does it hold for these sentences?")
    pairs = largest_pairs_first(found.values)
    own = cached_with_model(similarity_cache.curve, model_name, texts, pairs, level)
    counts = removal_counts(len(pairs))
    said, picture = st.container(), st.container()
    random = follow(
        cached_job(similarity_cache.random_pairs, model_name, texts, level),
        model_name,
        tokens=RANDOM_ORDERS * len(counts) * sum(map(len, tokens)),
        what=f"{RANDOM_ORDERS} random orders of random pairs",
        key="similar_random",
    )
    if random is not None:
        result = verdict(own, random, units=len(pairs))
        said.markdown(in_words(result, UNIT, model_name=model_name, text="The shorter sentence"))
    figure = removal_curves(own, counts, unit=UNIT, taken="pairs of words", random=random, theme=theme())
    picture.plotly_chart(figure, theme=None, config=plot_config("similar-because-test"), key="similar_test")
    st.caption(
        "Taking a pair away puts [MASK] in place of its word of A and of its word of B, the pair that adds most "
        "first; each word is in one pair at most. What is measured is the sum of all pairs: it ends at 0, where no "
        "word of one sentence is left. The cosine alone would rise again, because masks are like masks."
    )
    show_table(
        lambda: _table(counts, own, random),
        title="The curves as a table",
        name="similar because test",
        key="similar_test_table",
    )


def _table(counts: Sequence[int], own: FloatArray, random: FloatArray | None) -> pd.DataFrame:
    columns = {"pairs_taken_away": counts, "this_order": own}
    for index, curve in enumerate([] if random is None else random):
        columns[f"random_{index}"] = curve
    return pd.DataFrame(columns)
