"""How the model reads the texts, and how another one reads them."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Backend, Tokens, Trace
from encoder.errors import HeadlightError
from viz.caches import revisions
from viz.caches.steps import result_of
from viz.recipes.step import Step
from viz.state.selection import Selection
from viz.views.tokens import answer as answers
from viz.widgets.answer import show_answers
from viz.widgets.consent import choose_second_model
from viz.widgets.room import is_at_stop
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown
from viz.wording.models import title_of_model


def tokens(traces: Mapping[str, Trace], selection: Selection, *_: object) -> Explanation:
    """The rows of each text; below them, those of a second model.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
    """
    show_answers(traces, answers.tokens_of_texts(traces), view="tokens")
    own = revisions.unrevised(next(iter(traces.values())).model_name)
    second = None if is_at_stop(selection) else choose_second_model(own, selection.table.other_model, prefix="tokens_")
    if second is None:
        return answers.EXPLANATION
    st.markdown(f"### {escape_markdown(title_of_model(second))}")
    try:
        read = {
            place: answers.by_another_model(trace, result_of(Step(_tokens, trace.tokens.sentences), second))
            for place, trace in traces.items()
        }
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return answers.EXPLANATION
    show_answers(traces, read, view="tokens_second")
    return answers.EXPLANATION


def _tokens(backend: Backend, a: str, b: str | None = None) -> Tokens:
    return backend.tokenize(a, b).excerpt(0)
