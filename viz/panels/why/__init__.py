"""Why this prediction? What each word adds to a number of the model, and whether that holds when words are removed."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Trace
from encoder.errors import HeadlightError, InputError, NotFiniteError
from viz.caches import explaining_cache
from viz.caches.run_cache import model
from viz.panels.why.choice import choose_number
from viz.panels.why.measured import show_measured
from viz.panels.why.testing import show_test
from viz.panels.why.words import show_words, show_words_as_table
from viz.state.selection import Selection
from viz.tours.pictures import first_why_picture
from viz.tours.tour import Stop
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown

EXPLANATION = Explanation(
    "The method splits one number of the model among the words. Then words are taken away, the one that adds most "
    "first: where the split is right about this sentence, the number falls faster than in random orders.",
    "The model was not trained on sentences without some of their words. Another method, or another number, may name "
    "other words. Attention is not used here, and is not an explanation.",
)


def why(traces: Mapping[str, Trace], selection: Selection, _: object, stop: Stop | None) -> Explanation | None:
    """The number, its words and the test of their order; what does not apply says so in a sentence.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
        stop: of a tour before an audience: where it is about the test, that stands above the words.
    """
    model_name = next(iter(traces.values())).model_name
    try:
        question = choose_number(traces, selection)
        number = explaining_cache.number(model(model_name), question)
    except (InputError, NotFiniteError):
        raise
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return None
    try:
        test_first = stop is not None and first_why_picture(stop) == "test"
        above = st.container() if test_first else None
        found = show_words(model_name, question, number, selection)
        with above or st.container():
            show_test(model_name, question, number, found, selection, curve_first=test_first)
        if found is not None:
            show_words_as_table(number, found, selection.level)
    except NotFiniteError:
        raise
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
    show_measured()
    return EXPLANATION
