"""The page below its opening: the choice of a view, the runs, the view of them, and the map of all heads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder.errors import InputError, NotFiniteError
from encoder.runs.generation import Generation
from encoder.runs.trace import Trace, excerpts
from encoder.text.tokens import USUAL_TOKENS
from viz.caches import revisions, run_cache
from viz.components.wires.number_keys import KEY as KEYS
from viz.components.wires.number_keys import number_keys
from viz.page import direct, loading, settings, stage
from viz.page.around_view import choose_heads, show_link_problems, show_tokens
from viz.page.connection import connect, send_other_layers
from viz.page.errors import show_error, show_errors
from viz.page.opening import Places
from viz.page.quantity_choice import explain_quantity
from viz.page.runs import run_encoder, write
from viz.page.saving import export_menu
from viz.page.settings import Size
from viz.page.text_inputs import inputs_state
from viz.page.texts import SENTENCES, SOURCE, report_runs
from viz.page.tour_on_stage import stop_of_view
from viz.page.tours.claims import show_claims
from viz.panels import PANELS, CollectionPanel, DecoderPanel, EncoderPanel, view_title, views_of
from viz.panels.captions import show_explanation
from viz.panels.first_answer import notify_once, wait_until_painted
from viz.state import session
from viz.state.reducer import within_runs
from viz.state.selection import DEFAULT, OWN, Run, Selection, View
from viz.wording.explanations import Explanation

if TYPE_CHECKING:
    from viz.answers.word_lens.word import WordPlaces

HEAD_CARD = "viz.page.head_card"  # imports pyarrow, which blocks the server
PICTURE_AND_MAP = (13, 6)  # shares of the page's width
Runs = TypeVar("Runs")


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
    if current_rerun_key() != drawn_key or not revisions.is_current(name):
        st.rerun()
    _choose_view()
    panel = PANELS[session.current().view]
    place_on_stage = stage.show_stage(name, size)
    # If nothing else depends on the view, the part that shows the texts reruns alone while the user types.
    if isinstance(panel, DecoderPanel):
        draw_generation = st.fragment(_draw_generation) if panel.is_drawn_alone else _draw_generation
        draw_generation(panel, name, size, drawn_key)
    elif isinstance(panel, CollectionPanel):
        _draw_collection(panel, name)
    else:
        draw_runs = st.fragment(_draw_runs) if panel.is_drawn_alone else _draw_runs
        draw_runs(panel, name, size, drawn_key)
    show_claims(place_on_stage or claims_place, name, session.current())


def _choose_view() -> None:
    """The choice of a view. A number key opens a view of the open view's group."""
    selection = session.current()
    views = [view for view in PANELS if PANELS[view].group != "export" or view == selection.view]
    with st.container(key="views", horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "View",
            views,
            format_func=view_title,
            label_visibility="collapsed",
            width=520,  # of the longest title
            **session.bound("view", options=views),
        )
        if selection.table.opened is not None and not selection.shows_collection:
            st.button(
                f"Back to the table (row {selection.table.opened + 1:,})",
                icon=":material/arrow_back:",
                key="back_to_table",
                on_click=session.change,
                kwargs={"view": selection.table.opened_from},
            )
        keyed = views_of(PANELS[selection.view].group)
        number_keys([PANELS[view].title for view in keyed], on_asked=partial(_open_by_key, keyed))


def _open_by_key(views: Sequence[View]) -> None:
    asked = (st.session_state.get(KEYS) or {}).get("asked")
    if isinstance(asked, int) and 0 <= asked < len(views):
        session.change(view=views[asked])


@show_errors
def _draw_collection(panel: CollectionPanel, name: str) -> None:
    """A view of the table of texts."""
    from viz.caches.collections import current_collection, saved_run  # imports pyarrow
    from viz.page.collection_inputs import explain_saved_results
    from viz.page.table_card import show_card

    session.save()
    selection = session.current()
    show_link_problems()
    loading.wait()
    collection = current_collection(selection.table.collection)
    if collection is None:
        st.info("A link carries no table: open yours above, or choose one of those that ship.")
        return
    with st.container(key="workspace"), st.container():
        explain_saved_results(name, collection)
        is_own = selection.table.collection == OWN and saved_run(collection) is None and not selection.stage
        explanation = panel.draw(name, collection, selection) if not is_own or show_card(name, collection) else None
    if explanation:
        show_explanation(explanation)


@show_errors
def _draw_generation(panel: DecoderPanel, name: str, size: Size, drawn_key: object) -> None:
    """The text and what the decoder writes, the view, and the map of all heads; `drawn_key` as in `_draw_runs`."""
    session.pop_browser_change()  # already part of the selection, and all of this is drawn
    session.save()
    selection = session.current()
    _rerun_if_stale(panel, name, drawn_key)
    generation: Generation | None = None
    with st.container():
        show_link_problems()
        loading.wait()
        try:
            generation = _run_readable(partial(write, name))
        except (InputError, NotFiniteError) as error:
            show_error(error)
        else:
            num_tokens = len(generation.source.tokens) + len(generation.target.tokens)
            selection = _clamp_selection({"decoder": num_tokens}, num_steps=len(generation.written))
            panel.draw_texts(generation, selection)
    picture, beside = _places_of(panel)
    if generation:
        with picture, st.container():
            explanation = panel.draw(generation, selection)
            below = st.container()
            if explanation:
                show_explanation(explanation)
        with picture, st.container():
            connect(panel, name, size, selection)
    with picture:
        tokens = [generation.source.tokens] if generation and _shows_current_texts() else []
        report_runs(SOURCE, tokens, run_cache.expected_seconds(name, tokens), alone=panel.is_drawn_alone)
    if generation:
        with beside:
            if not selection.stage:
                panel.draw_map(generation, selection)
                explain_quantity({}, selection)
            send_other_layers(panel, name)
        with below:  # slower than the view
            panel.draw_lens(generation, selection)


@show_errors
def _draw_runs(panel: EncoderPanel, name: str, size: Size, drawn_key: object) -> None:
    """The sentences' tokens, the view of their runs, and the map of all heads.

    Args:
        drawn_key: as in `_draw_main`. If it or the view has changed, the whole page reruns.
    """
    session.pop_browser_change()  # already part of the selection, and all of this is drawn
    session.save()
    _rerun_if_stale(panel, name, drawn_key)
    with st.container(gap="xsmall"):  # one container, so that messages do not shift the elements below
        show_link_problems()
        traces, words = _run_and_show_tokens(panel, name)
    selection = session.readable()
    place, beside = _places_of(panel)
    update_fields = partial(_update_fields, panel, name, traces, place)
    if traces:
        # Always at the same position, by which Streamlit identifies it.
        picture, connection, below = place.container(), place.container(), place.container()
        with notify_once(update_fields), picture:
            try:
                explanation = _draw_view(panel, traces, selection, words)
            except NotFiniteError as error:  # in a run that only this view needs
                show_error(error)
            else:
                if explanation:  # once, below the last view
                    with below:
                        show_explanation(explanation)
        with connection:
            connect(panel, name, size, selection)
        with beside:  # after the view, which the user waits for
            if not selection.stage:
                _draw_beside(panel, name, traces, selection)
            send_other_layers(panel, name)
    else:
        update_fields()


def _draw_view(
    panel: EncoderPanel, traces: Mapping[str, Trace], selection: Selection, words: WordPlaces | None
) -> Explanation | None:
    """The view of the runs, or a sentence if it is not for a text as long. Returns how to read it."""
    longest = max(len(trace.tokens) for trace in traces.values())
    if longest <= USUAL_TOKENS or panel.long_texts != "none":
        shown = excerpts(traces, selection.first) if panel.long_texts == "excerpt" else traces
        return panel.draw(shown, selection, words, stop_of_view(selection))
    others = ", ".join(
        other.title for other in PANELS.values() if other.long_texts != "none" and other.group != "export"
    )
    st.info(
        f"{panel.title} is for texts of up to {USUAL_TOKENS} tokens, and this one has {longest:,}. "
        f"Views for longer texts: {others}."
    )
    return None


def _run_and_show_tokens(panel: EncoderPanel, name: str) -> tuple[dict[str, Trace], WordPlaces | None]:
    """Run the texts and show their tokens. Returns the runs, none if an error is shown, and the words of the view."""
    selection = session.current()
    if (
        panel.needs_model
        or not selection.draws_weights
        or any(run_cache.stored_trace(name, *texts) is None for texts in selection.runs)
    ):
        loading.wait()
    try:
        traces = _run_readable(partial(run_encoder, name))
    except (InputError, NotFiniteError) as error:
        show_error(error)
        return {}, None
    num_tokens = [len(trace.tokens) for trace in traces.values()]
    selection = _clamp_selection({"A": num_tokens[0], "B": num_tokens[-1]})
    words = panel.find_words(traces, selection) if panel.find_words else None
    show_tokens(list(traces.values()), selection, words=(words.a, words.b) if words else ())
    return traces, words


def _run_readable(run: Callable[[Selection], Runs]) -> Runs:
    """The result of a run of the current texts or, if they cannot be read, of the last readable ones.

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


def _update_fields(panel: EncoderPanel, name: str, traces: Mapping[str, Trace], place: DeltaGenerator) -> None:
    """Send the fields the marks of their texts, and how the next texts are rendered."""
    tokens = [trace.tokens for trace in traces.values()] if _shows_current_texts() else []
    is_drawn_directly = panel.in_browser and revisions.unrevised(name) == session.current().model
    with place:
        report_runs(
            SENTENCES,
            tokens,
            run_cache.expected_seconds(name, tokens),
            alone=panel.is_drawn_alone,
            direct=direct.address() if is_drawn_directly else None,
        )


def _draw_beside(panel: EncoderPanel, name: str, traces: Mapping[str, Trace], selection: Selection) -> None:
    """The maps of all heads, the measure, and the card of the head."""
    shown = excerpts(traces, selection.first)
    for place, trace in shown.items() if panel.shows_map else ():
        if run_cache.units(trace, level=selection.level, special=selection.special):
            choose_heads(trace, selection, place=place, is_first=place == next(iter(traces)))
    explain_quantity(shown, selection)
    if panel.shows_one_head:
        wait_until_painted(key="head_card", wanted=HEAD_CARD not in sys.modules)
        from viz.page.head_card import show_head_card

        show_head_card(name)


def _rerun_if_stale(panel: EncoderPanel | DecoderPanel, name: str, drawn_key: object) -> None:
    """Rerun the whole page if a fragment's view, the opening or the model's files have changed."""
    is_open = PANELS[session.current().view] is panel
    if not is_open or current_rerun_key() != drawn_key or not revisions.is_current(name):
        st.rerun()


def current_rerun_key() -> object:
    """The `rerun_key` of the current selection, and the revision of the texts."""
    return rerun_key(session.current()), session.text_revision()


def rerun_key(selection: Selection) -> object:
    """The part of a selection that the opening depends on: if it changes, the whole page reruns.

    With an open tour it is the whole selection: the tour's claims may be about anything.
    """
    if selection.tour:
        return selection
    rest = replace(
        selection,
        texts=replace(selection.texts, a="", b=""),
        view=DEFAULT.view,
        place=DEFAULT.place,
        first=DEFAULT.first,
        sentences=DEFAULT.sentences,
        scale=DEFAULT.scale,
        quantity=DEFAULT.quantity,
        bertviz=DEFAULT.bertviz,
        word_lens=DEFAULT.word_lens,
        why=DEFAULT.why,
        compare=DEFAULT.compare,
        side_by_side=DEFAULT.side_by_side,
        anatomy=DEFAULT.anatomy,
        decoder=replace(DEFAULT.decoder, model=selection.decoder.model, task=selection.decoder.task),
        table=replace(DEFAULT.table, collection=selection.table.collection),
    )
    return rest, selection.shows_decoder, selection.shows_collection, selection.encodes_apart, inputs_state(selection)


def _places_of(panel: EncoderPanel | DecoderPanel) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Places for the view and for the map of all heads, next to each other if there is a map."""
    with st.container(key="workspace"):
        if panel.shows_map:
            picture, beside = st.columns(PICTURE_AND_MAP, gap="medium")
        else:
            picture, beside = st.container(), st.container()
    return picture, beside


def _clamp_selection(num_tokens: Mapping[Run, int], num_steps: int | None = None) -> Selection:
    """Release pins and a decoder's step that are out of range of the runs, here and in the address.

    Returns the selection of these runs.
    """
    selection = session.current()
    kept = within_runs(selection, num_tokens, num_steps)
    if kept != selection:
        session.adjust(kept)
        session.save()
    return session.readable()
