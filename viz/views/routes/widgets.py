"""Routes: which attention carries the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from encoder import Trace
from encoder.attribution.questions import Question
from encoder.attribution.routes import WORDED, OtherOrders, Routes
from encoder.attribution.target import Target, resolve_target
from encoder.errors import HeadlightError, InputError, NotFiniteError
from viz.answers.room import PAGE
from viz.caches import run_cache
from viz.caches.memo import VALUES
from viz.components.routes import routes as picture
from viz.components.wires.store import store
from viz.payloads.message import Message
from viz.payloads.routes import cut_message
from viz.state.fields import text_of
from viz.state.selection import Selection
from viz.views.routes.steps import CURVE, MOST_EXACT, PICTURE, every_cut, picture_of, wordings
from viz.views.routes.steps import routes as recipe
from viz.widgets.canvas import view_data
from viz.widgets.first_answer import let_paint
from viz.widgets.folds import Fold, show_folds
from viz.widgets.question import about_answer, choose_number
from viz.widgets.recipe import show_recipe
from viz.widgets.room import room_of
from viz.wording.explanations import ROUTES, Explanation
from viz.wording.labels import escape_markdown


def routes(traces: Mapping[str, Trace], selection: Selection, *_: object) -> Explanation | None:
    """The output, the links that carry it, and how far they hold; a sentence says what does not apply.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
    """
    model_name = next(iter(traces.values())).model_name
    read = partial(run_cache.trace, model_name)
    selection = about_answer(next(iter(traces.values())), selection)
    try:
        question = choose_number(traces, selection)
        target = resolve_target(run_cache.model(model_name), question, read)
        trace = read(*target.tokens.sentences)
        widgets: dict[str, Callable[..., object]] = {
            PICTURE: partial(_show_picture, target, traces, selection),
            CURVE: partial(_send_curve, target, selection),
        }
        room = room_of(selection)
        found = show_recipe(recipe(question, target, trace, room), model_name, view="routes", widgets=widgets)
        if found is not None and room is PAGE:
            _show_folds(question, target, found, model_name)
    except (InputError, NotFiniteError):
        raise
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return None
    return ROUTES


def _show_folds(question: Question, target: Target, found: Routes, model_name: str) -> None:
    show, folds = partial(show_recipe, model_name=model_name, view="routes"), []
    if question.kind in WORDED:
        of_wordings = partial(show, wordings(question, target, found), place="wordings")
        folds.append(Fold(name="wordings", title="Does it hold in other words?", show=of_wordings))
    if len(target.tokens) <= MOST_EXACT:
        of_cuts = partial(show, every_cut(question, target, found), place="every")
        folds.append(Fold(name="every", title="What does each link change by itself?", show=of_cuts))
    show_folds(folds, view="routes")


def _show_picture(target: Target, traces: Mapping[str, Trace], selection: Selection, found: Routes) -> None:
    """The canvas; its lines can be selected if the page's run is that of the target."""
    message = _message(target, selection, found)
    place = next((place for place, trace in traces.items() if trace.tokens.ids == target.tokens.ids), None)
    data = view_data(selection, place=place or "A")
    cuts = {"run": "B" if place == "B" else "A", "shown": text_of(selection, "cut")} if place else None
    store(message, key="store_routes")
    picture(data if place else {**data, "texts": []}, message=message, key="routes", cuts=cuts)
    let_paint(message.id, key="routes")


def _send_curve(target: Target, selection: Selection, found: Routes, others: OtherOrders) -> None:
    store(cut_message(_message(target, selection, found), others.cut), key="store_routes_cut")


def _message(target: Target, selection: Selection, found: Routes) -> Message:
    return VALUES.compute((_message, found, selection.level), lambda: picture_of(target, found, selection.level))
