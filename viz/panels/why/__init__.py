"""Why this prediction? What each word adds to a number of the model, and whether that holds when words are removed."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Trace
from encoder.attribution.explaining import WordValues
from encoder.attribution.questions import Question
from encoder.attribution.removals import PERMUTATIONS
from encoder.attribution.target import Target
from encoder.errors import ArgumentError, HeadlightError, InputError, NoProbesError, NotFiniteError
from encoder.offers import CATALOGUE
from encoder.shipped.names import BUNDLED
from encoder.text.tokens import USUAL_TOKENS
from viz.answers.answer import Answer
from viz.answers.why.measured import measured_methods
from viz.answers.why.removals import TEST
from viz.answers.why.words import EXPLANATION, NO_TEST_OF_LONG, why_not_for_long, words, words_heading
from viz.caches import explaining_cache
from viz.caches.memo import VALUES
from viz.caches.run_cache import cached_job, model
from viz.panels.answer import show_answer
from viz.panels.jobs import follow
from viz.panels.why.choice import choose_number
from viz.panels.why.testing import show_test
from viz.state import session
from viz.state.selection import Selection
from viz.tours.pictures import why_picture
from viz.tours.tour import Stop
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown


def why(traces: Mapping[str, Trace], selection: Selection, _: object, stop: Stop | None) -> Explanation | None:
    """The number, its words and the test of their order; a sentence says what does not apply.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
        stop: of a tour: before an audience, only the words or only the test are shown, whichever it is about.
    """
    model_name = next(iter(traces.values())).model_name
    try:
        question = choose_number(traces, selection)
        target = explaining_cache.target(model(model_name), question)
    except (InputError, NotFiniteError):
        raise
    except NoProbesError:
        _offer_probed_model()
        return None
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return None
    try:
        about = why_picture(stop) if stop is not None and selection.stage else None
        if about != "test":
            show_answer(Answer((words_heading(question, target),)), view="why")
        found = _follow_values(model_name, question, target, selection)
        if found is not None and about != "test":
            new = (model_name, question, selection.why.method, selection.level)
            show_answer(words(target, found, selection), view="why", new=new)
        if about != "words" and len(target.tokens) > USUAL_TOKENS:
            st.caption(NO_TEST_OF_LONG)
        elif about != "words":
            show_answer(Answer((TEST,)), view="why")
            if found is None:
                st.caption("The test follows once the values are computed.")
            else:
                show_test(model_name, question, target, found, selection)
    except NotFiniteError:
        raise
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
    if about is None:
        show_answer(measured_methods(model_name), view="why")
    return EXPLANATION


def _offer_probed_model() -> None:
    """A way on where the model's parts of speech cannot be read."""
    title = CATALOGUE[BUNDLED].title
    st.info(f"Parts of speech cannot be read from this model: no probe was trained on it. {title} has one.")
    st.button(f"Open {title}", key="why_probed_model", on_click=session.change, kwargs={"model": BUNDLED})


def _follow_values(model_name: str, question: Question, target: Target, selection: Selection) -> WordValues | None:
    """What each word adds; None while it is computed. Raises HeadlightError if the method does not apply."""
    level, removal, method = selection.level, selection.why.removal, selection.why.method
    num_tokens = len(target.tokens)
    if method != "shapley" and num_tokens <= USUAL_TOKENS:
        return VALUES.get(explaining_cache.word_values, model_name, question, method, level, removal)
    if why_not := why_not_for_long(method, num_tokens):
        raise ArgumentError(why_not)
    job = cached_job(explaining_cache.explained, model_name, question, method, level, removal)
    if method == "shapley":
        tokens = PERMUTATIONS * num_tokens**2
        return follow(job, model_name, tokens=tokens, what="Shapley values", key="why_shapley")
    tokens = explaining_cache.PASSES_OF_GRADIENTS * num_tokens
    return follow(job, model_name, tokens=tokens, what="Integrated gradients", key="why_gradients")
