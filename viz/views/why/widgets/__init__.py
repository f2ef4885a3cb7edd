"""Why this prediction? What each word adds to a number of the model, and whether that holds when words are removed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from encoder import Trace
from encoder.attribution.target import resolve_target
from encoder.errors import HeadlightError, InputError, NoProbesError, NotFiniteError
from encoder.offers import CATALOGUE
from encoder.shipped.names import BUNDLED
from viz.caches import run_cache
from viz.state.selection import Selection
from viz.tours.pictures import why_picture
from viz.tours.tour import Stop
from viz.views.why.answer.measured import measured_methods
from viz.views.why.answer.words import EXPLANATION
from viz.views.why.steps import why as words_and_test
from viz.views.why.widgets.choice import choose_method
from viz.views.why.widgets.removals import choose_removals
from viz.widgets import change_button
from viz.widgets.answer import show_answer
from viz.widgets.question import about_answer, choose_number
from viz.widgets.recipe import show_or_explain
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown


def why(traces: Mapping[str, Trace], selection: Selection, stop: Stop | None) -> Explanation | None:
    """The number, its words and the test of their order; a sentence says what does not apply.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
        stop: of a tour: before an audience, only the words or only the test are shown, whichever it is about.
    """
    model_name = next(iter(traces.values())).model_name
    selection = about_answer(next(iter(traces.values())), selection)
    try:
        question = choose_number(traces, selection, more=choose_method)
        target = resolve_target(run_cache.model(model_name), question, partial(run_cache.trace, model_name))
    except (InputError, NotFiniteError):
        raise
    except NoProbesError:
        _offer_probed_model()
        return None
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return None
    about = why_picture(stop) if stop is not None and selection.stage else None
    recipe = words_and_test(question, target, selection, model_name=model_name, about=about)
    order = show_or_explain(recipe, model_name, view="why")
    if order and about is None:
        choose_removals(model_name, question, target, order, selection)
    if about is None:
        show_answer(measured_methods(model_name), view="why")
    return EXPLANATION


def _offer_probed_model() -> None:
    """A way on where the model's parts of speech cannot be read."""
    title = CATALOGUE[BUNDLED].title
    st.info(f"Parts of speech cannot be read from this model: no probe was trained on it. {title} has one.")
    change_button(f"Open {title}", {"model": BUNDLED}, key="why_probed_model")
