"""The page below its opening: the choice of a view, the runs, the view of them, and the map of all heads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder.errors import InputError, NotFiniteError
from viz.answers.room import STOP
from viz.caches import revisions, run_cache
from viz.components.wires.number_keys import KEY as KEYS
from viz.components.wires.number_keys import number_keys
from viz.computing import events
from viz.page import direct, loading, settings, stage
from viz.page.around_view import show_link_problems
from viz.page.connection import connect, send_other_layers
from viz.page.errors import show_error, show_errors
from viz.page.opening import Places
from viz.page.saving import export_menu
from viz.page.settings import Size
from viz.page.shown_runs import ShownRuns, runs_of, wait_for_model
from viz.page.text_inputs import inputs_state
from viz.page.texts import SENTENCES, SOURCE, report_runs
from viz.page.tours.claims import show_claims
from viz.state import session
from viz.state.fields import opening_of, with_values
from viz.state.reducer import within_model, within_runs
from viz.state.selection import OWN, Selection, View
from viz.views.registered import LISTED, PANELS, Panel, list_style, view_title, views_of
from viz.widgets import change_button
from viz.widgets.captions import show_explanation
from viz.widgets.first_answer import notify_once, wait_until_painted
from viz.widgets.room import is_at_stop

P = ParamSpec("P")

PICTURE_AND_MAP = (13, 6)  # shares of the page's width


def _reported(draw: Callable[P, None]) -> Callable[P, None]:
    """Report how long the open view took, and what came of it."""

    @wraps(draw)
    def draw_and_report(*args: P.args, **kwargs: P.kwargs) -> None:
        with events.reported("run", view=session.current().view, by="page"):
            draw(*args, **kwargs)

    return draw_and_report


def draw(places: Places) -> None:
    """Draw all of the page but its opening, and fill the opening's places."""
    name, size = settings.draw(places.model, places.settings)
    # The claims of a tour may be in the sidebar, and a fragment cannot write outside itself.
    draw_main = _draw_main if session.current().tour else st.fragment(_draw_main)
    draw_main(name, size, places.claims, current_rerun_key())
    with places.export:
        export_menu(name)
    session.finish()
    loading.show_progress()


@show_errors
def _draw_main(name: str, size: Size, claims_place: DeltaGenerator | None, drawn_key: object) -> None:
    """All but the opening: the choice of a view, the view and its surroundings. Choosing a view reruns only this.

    Args:
        drawn_key: the `current_rerun_key` that the opening was drawn with. If it has changed, the whole page reruns.
    """
    if _is_stale(name, drawn_key):
        st.rerun()
    _choose_view()
    panel = PANELS[session.current().view]
    place_on_stage = stage.show_stage(name, size)
    if panel.of == "table":
        _draw_collection(panel, name)
    else:
        # If nothing else depends on the view, the part that shows the texts reruns alone while the user types.
        draw_runs = st.fragment(_draw_runs) if panel.is_drawn_alone else _draw_runs
        draw_runs(panel, name, size, drawn_key)
    show_claims(place_on_stage or claims_place, name, session.current())


def _choose_view() -> None:
    """The choice of a view. A number key opens a view of the open view's group."""
    _drop_missing_row()
    selection = session.current()
    panel = PANELS[selection.view]
    with st.container(key="views", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(list_style(selection.view))
        st.menu_button(
            f"View: {panel.title}",
            LISTED,
            format_func=view_title,
            key="view",
            on_click=_open_chosen,
        )
        if selection.table.opened is not None and not selection.shows_collection:
            change_button(
                f"Back to the table (row {selection.table.opened + 1:,})",
                {"view": selection.table.opened_from},
                icon=":material/arrow_back:",
                key="back_to_table",
            )
        else:
            st.caption(panel.shows, width="content")
        keyed = views_of(panel.group)
        number_keys([PANELS[view].title for view in keyed], on_asked=partial(_open_by_key, keyed))


def _drop_missing_row() -> None:
    """Drop the row of a link that its table does not have."""
    opened = session.current().table.opened
    if opened is not None and session.is_linked():
        from viz.caches.collections import current_collection  # imports pyarrow

        collection = current_collection(session.current().table.collection)
        if collection is not None and opened >= len(collection):
            session.adjust(with_values(session.current(), {"from_row": None}))


def _open_chosen() -> None:
    if st.session_state["view"] is not None:
        session.open_view(st.session_state["view"])


def _open_by_key(views: Sequence[View]) -> None:
    asked = (st.session_state.get(KEYS) or {}).get("asked")
    if isinstance(asked, int) and 0 <= asked < len(views):
        session.open_view(views[asked])


@show_errors
@_reported
def _draw_collection(panel: Panel, name: str) -> None:
    """A view of the table of texts."""
    from viz.caches.collections import current_collection, saved_run  # imports pyarrow
    from viz.page.collection_inputs import explain_missing_table, explain_saved_results
    from viz.page.table_card import show_card
    from viz.views import recipe_of_table
    from viz.widgets.recipe import show_or_explain
    from viz.widgets.rows import FEWER_ROWS

    session.save()
    session.forget_finding()
    selection = session.current()
    problems = st.empty()
    show_link_problems(problems)
    loading.wait()
    collection = current_collection(selection.table.collection)
    if collection is None:
        explain_missing_table()
        return
    with st.container(key="workspace"), st.container():
        explain_saved_results(name, collection)
        is_own = selection.table.collection == OWN and saved_run(collection) is None and not selection.stage
        is_run = not is_own or show_card(name, collection, compares=panel.compares_labels)
        explanation = None
        if is_run and is_at_stop(selection):
            recipe = recipe_of_table(selection.view)(collection, selection, STOP)
            show_or_explain(recipe, name, view="stop", less=FEWER_ROWS)
        elif is_run:
            explanation = panel.draw(name, collection, selection)
    show_link_problems(problems)  # of the view as well
    if explanation:
        show_explanation(explanation)


@show_errors
@_reported
def _draw_runs(panel: Panel, name: str, size: Size, drawn_key: object) -> None:
    """The tokens of the texts, the view of their runs, and the map of all heads.

    Args:
        drawn_key: as in `_draw_main`. If it or the view has changed, the whole page reruns.
    """
    _save_browser_change(size)
    session.forget_finding()
    _rerun_if_stale(panel, name, drawn_key)
    with st.container(gap="xsmall"):  # one container, so that messages do not shift the elements below
        problems, above = st.empty(), st.container()
        try:
            runs = _run_and_show_texts(panel, name)
        finally:
            show_link_problems(problems)  # of the texts as well
    selection = session.readable()
    place, beside = _places_of(panel)
    update_fields = partial(_update_fields, panel, name, runs, place)
    if runs is None:
        update_fields()
        return
    with above:
        show_rest_above = runs.show_above(selection)
    # Made in every run and in this order: Streamlit identifies what is in them by their positions.
    picture, connection, below = place.container(), place.container(), place.container()
    with notify_once(update_fields), picture:
        try:
            explanation = runs.show_view(panel, selection)
        except NotFiniteError as error:  # in a run that only this view needs
            show_error(error)
        else:
            if explanation:  # once, below the last view
                with below:
                    show_explanation(explanation)
    show_link_problems(problems)  # of the view as well
    with connection:
        show_rest_below = connect(panel, name, size, selection)
    with beside:  # after the view, which the user waits for
        if not selection.stage:
            runs.show_beside(panel, name, selection)
        send_other_layers(panel, name)
    rest = [show for show in (show_rest_above, show_rest_below) if show]
    wait_until_painted(key="rest", wanted=bool(rest))  # what is worked out next competes with the browser
    for show in rest:
        show()
    with below:
        runs.show_last(selection)


def _run_and_show_texts(panel: Panel, name: str) -> ShownRuns | None:
    """Run the texts and show their tokens. Returns the runs, None if an error is shown."""
    wait_for_model(panel, name, session.current())
    try:
        runs = _run_readable(partial(runs_of, panel, name))
    except (InputError, NotFiniteError) as error:
        show_error(error)
        return None
    runs.show_texts(panel, _clamp_selection(runs))
    return runs


def _run_readable(run: Callable[[Selection], ShownRuns]) -> ShownRuns:
    """The runs of the current texts or, if they cannot be read, of the last readable ones.

    In the latter case the page shows the error, and `page.css` dims what follows.

    Raises:
        InputError: the texts cannot be read, and none were read before.
    """
    selection = session.current()
    try:
        found = run(selection)
    except InputError as error:
        session.note_texts(readable=False)
        if session.readable() == selection:
            raise
        found = run(session.readable())
        with st.container(key="unread"):
            show_error(error)
            st.caption("Below is the last text that could be read.")
        return found
    session.note_texts(readable=True)
    return found


def _shows_current_texts() -> bool:
    """Whether the page shows the current texts, and not the last readable ones."""
    return session.readable() == session.current()


def _update_fields(panel: Panel, name: str, runs: ShownRuns | None, place: DeltaGenerator) -> None:
    """Send the text fields the marks of what they hold, and how the next texts are rendered."""
    tokens = runs.texts if runs and _shows_current_texts() else []
    selection = session.current()
    is_drawn_directly = (
        panel.in_browser and not selection.shows_decoder and revisions.unrevised(name) == selection.model
    )
    with place:
        report_runs(
            SOURCE if selection.shows_decoder else SENTENCES,
            tokens,
            run_cache.expected_seconds(name, tokens),
            alone=panel.is_drawn_alone,
            direct=direct.address() if is_drawn_directly else None,
        )


def _save_browser_change(size: Size) -> None:
    """Save a change that the browser sent, within the model's layers and heads, before anything is drawn."""
    if session.pop_browser_change():
        session.adjust(within_model(session.current(), size.num_layers, size.num_heads))
    session.save()


def _rerun_if_stale(panel: Panel, name: str, drawn_key: object) -> None:
    """Rerun the whole page if it does not belong to this fragment any more."""
    is_open = PANELS[session.current().view] is panel
    if not is_open or _is_stale(name, drawn_key):
        st.rerun()


def _is_stale(name: str, drawn_key: object) -> bool:
    """Whether the opening was drawn for another selection or other texts, or the model's files have changed."""
    return current_rerun_key() != drawn_key or not revisions.is_current(name)


def current_rerun_key() -> object:
    """The `rerun_key` of the current selection, and the revision of the texts."""
    return rerun_key(session.current()), session.text_revision()


def rerun_key(selection: Selection) -> object:
    """The part of a selection that the opening depends on: if it changes, the whole page reruns.

    With an open tour it is the whole selection: the tour's claims may be about anything.
    """
    if selection.tour:
        return selection
    shown = selection.shows_decoder, selection.shows_collection, selection.encodes_apart
    return opening_of(selection), shown, inputs_state(selection)


def _places_of(panel: Panel) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Places for the view and for the map of all heads, next to each other if there is a map."""
    with st.container(key="workspace"):
        if panel.shows_map:
            picture, beside = st.columns(PICTURE_AND_MAP, gap="medium")
        else:
            picture, beside = st.container(), st.container()
    return picture, beside


def _clamp_selection(runs: ShownRuns) -> Selection:
    """Release pins and a decoder's step that are out of range of the runs, here and in the address.

    Returns the selection of these runs.
    """
    selection = session.current()
    kept = within_runs(selection, runs.sizes, runs.num_steps)
    if kept != selection:
        session.adjust(kept)
        session.save()
    return session.readable()
