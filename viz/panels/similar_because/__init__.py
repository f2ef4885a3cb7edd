"""Similar because: the cosine of two sentences, split over pairs of their words, and whether that holds."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Trace
from encoder.comparison.similarity_map import POINTS
from encoder.comparison.text_vectors import cosine_of_runs
from encoder.errors import HeadlightError, NotFiniteError
from viz.caches import run_cache
from viz.panels.common import tell_unknown
from viz.panels.similar_because.pairs import estimated_map, follow_map, show_pairs, show_pairs_as_table
from viz.panels.similar_because.testing import show_test
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown
from viz.wording.numbers import written

__all__ = ["similar_because"]

SENTENCE_ENCODERS = ("bundled", "scratch-bert")
EXPLANATION = Explanation(
    "A cell says how much a word of A and a word of B add to the cosine together: blue raises it, orange lowers it. "
    "The lines show the same; pairs below a sixth of the largest have none. "
    "Each sentence is encoded alone, and its vector is the mean of its last states. On the way from a sentence of "
    "[MASK] to the words, integrated Jacobians follow what each word adds to that vector (Möller et al. 2023).",
    "The way from [MASK] is one of many, and another reference gives other numbers. That two words add to the cosine "
    "does not show that they mean the same. Attention is not used here, and is not an explanation.",
)


def similar_because(traces: Mapping[str, Trace], selection: Selection, *_: object) -> Explanation | None:
    """The cosine, its pairs and the test of their order; what does not apply says so in a sentence.

    Args:
        traces: of "A" and "B", each alone, or of the one sentence that there is.
    """
    if len(traces) < 2:
        st.info("This asks why two sentences are similar: type a second one, B, beside A.")
        return None
    model_name, level = next(iter(traces.values())).model_name, selection.level
    a, b = (trace.tokens for trace in traces.values())
    texts = (a.sentences[0], b.sentences[0])
    try:
        st.markdown(f"### A and B have a cosine of {written(cosine_of_runs(*traces.values()), '.3f')}")
        _tell_what_it_is(model_name)
        tell_unknown([a, b])
        picture = st.container()
        estimate = estimated_map(model_name, texts, (a, b), level)
        if estimate is not None:
            with picture:
                show_pairs(estimate, (a, b), level, answer=(model_name, texts))
                st.caption(f"An estimate at {estimate.points} points of the way, until the split at {POINTS} is there.")
        found = follow_map(model_name, texts, (a, b), level)
        if found is None:
            return EXPLANATION
        if estimate is not None:  # another page has worked the split out in this moment
            st.rerun()
        with picture:
            show_pairs(found, (a, b), level, answer=(model_name, texts))
        show_test(model_name, texts, (a, b), found, level)
        show_pairs_as_table(found, (a, b), level)
    except NotFiniteError:
        raise
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return None
    return EXPLANATION


def _tell_what_it_is(model_name: str) -> None:
    """A cosine of a model that embeds words, not sentences, is easily taken for more than it is."""
    if model_name not in SENTENCE_ENCODERS and not run_cache.model(model_name).pooling.embeds_texts:
        st.caption(
            "This model is not known to be trained on the similarity of sentences: its cosine can be high for any two "
            "of them. The split is true all the same."
        )
