"""The export menu: the page as a file or as a link, its numbers, and the views that other tools have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from encoder.errors import InputError, NotFiniteError
from encoder.runs.trace import LAYER_ARRAYS, Trace, excerpts
from encoder.shipped.probes import has_probes, word_classes
from viz.answers.answer import Answer, Sentence
from viz.answers.shared_word import shared_word_sentence
from viz.caches import revisions, run_cache
from viz.page.errors import show_errors
from viz.page.runs import run_encoder, write
from viz.page.slides_file import view_button
from viz.payloads.attributions import ShownMaps
from viz.recipes.step import LongStep
from viz.saved_page.contents import VIEW_NAMES, Page, ViewName
from viz.saved_page.document import document
from viz.saved_page.pages import page_of_generation, page_of_traces
from viz.saved_page.traces import Shown
from viz.state import session
from viz.state.messages import shared_selection
from viz.state.selection import OWN, Selection, View
from viz.views.registered import PANELS, Panel
from viz.widgets import save_button
from viz.widgets.tables import file_name, name_of_file, page_link
from viz.widgets.units import why_not_drawn
from viz.wording import file_names
from viz.wording.excerpts import excerpt_sentences
from viz.wording.labels import escape_markdown
from viz.wording.models import title_of_model

if TYPE_CHECKING:
    from encoder.collection.driving_words import DrivingWords
    from encoder.collection.kinds.base import Results
    from encoder.collection.table import Collection

MENU: Final = "export_folded"  # Streamlit's key of the menu
LOOK_LIKE_OTHERS: Final[frozenset[View]] = frozenset({"data", "bertviz"})  # the heat map, and our own head view
OTHER_VIEWS: Final[Mapping[View, str]] = {"bertviz": "Open in BertViz", "data": "The raw numbers (Data)"}
SHORT = 128  # up to so many tokens, all layers of a text are saved
MEGABYTE: Final = 1_000_000
PAGE_HELP: Final = "One HTML file with hover, layers, heads and keys, in both themes."
REPORT_HELP: Final = "Errors, groups of rows and driving words, with three rows of each, and the filter in sight."
TABLE_HELP: Final = "One HTML file with the finding, each class, calibration, slices, and the rows of the filter."
ANSWER_HELP: Final = "One HTML file of the answer: its sentences, charts and tables."
RUN_HELP: Final = (
    "Tokens, queries, keys, values and hidden states. `encoder.Trace.load(path)` reads them back, equal to the bit."
)


def export_menu(model_name: str) -> None:
    """The menu, at any place of the page. Opening it renders nothing else, and only a click makes a file.

    Args:
        model_name: of the page's runs.
    """
    st.fragment(_menu)(model_name, session.current().view)


@show_errors
def _menu(model_name: str, drawn: View) -> None:
    """The menu of the page that shows the view `drawn`."""
    if session.current().view != drawn:
        st.rerun()
    menu = st.popover("Export", icon=":material/download:", key=MENU, on_change="rerun")
    if menu.open:
        with menu:
            _offer(model_name)


def _offer(model_name: str) -> None:
    """What the menu has for the current selection."""
    selection = session.readable()
    panel = PANELS[selection.view]
    if panel.of == "table":
        if selection.view == "texts":
            _offer_table(model_name, selection)
        elif selection.table.collection != OWN:
            # A stop of a tour, which the file is made of, has no table of the user's.
            st.markdown("**Page that opens without a server** (.html)", help=ANSWER_HELP)
            view_button(selection)
        _offer_link(selection)
        return
    if panel.of == "generation":
        _offer_generation(model_name, selection)
        _offer_link(selection)
        return
    try:
        whole = run_encoder(model_name, selection)
    except (InputError, NotFiniteError):  # the page says so
        whole = {}
    traces = excerpts(whole, selection.first)
    has_units = all(
        len(run_cache.units(trace, level=selection.level, special=selection.special)) for trace in traces.values()
    )
    if traces and has_units:
        _offer_pages(model_name, traces, selection)
    _offer_link(selection)
    if traces and has_units:
        _offer_numbers(model_name, panel, whole, selection)
    st.markdown("**Other views**")
    with st.container(horizontal=True, gap="xsmall"):
        for view, label in OTHER_VIEWS.items():
            if view != selection.view:
                st.button(label, key=f"export_{view}", on_click=_open_view, args=(view,))


def _open_view(view: View) -> None:
    session.change(view=view)
    session.set_value(MENU, False)


def _offer_pages(model_name: str, traces: Mapping[str, Trace], selection: Selection) -> None:
    """Buttons that save the open view and all views.

    A session keeps what its buttons refer to, so they refer to no run: a click gets it from the memo.
    """
    st.markdown("**Page that opens without a server** (.html)", help=PAGE_HELP)
    every = Shown(level=selection.level, special=selection.special, layers=_layers(traces, selection))
    why = next(filter(None, (why_not_drawn(trace, selection) for trace in traces.values())), "")
    if why:
        st.caption(f"{escape_markdown(why)} The file shows attention weights.")
    make = partial(_page, model_name, selection, shows_weights=bool(why))
    if every.layers:
        st.caption(f"The text is long, so the file has layer {selection.layer} only.")
    if sentences := [*excerpt_sentences(traces)]:
        st.caption(" ".join(sentences))
    view = _view_of(traces, selection)
    is_shown = PANELS[selection.view].long_texts != "none" or all(trace.whole is None for trace in traces.values())
    with st.container(horizontal=True, gap="xsmall"):
        if view:
            alone = Shown(views=(view,), level=every.level, special=every.special, layers=every.layers)
            _page_button(PANELS[selection.view].title, view, partial(make, alone), selection)
        elif selection.view not in LOOK_LIKE_OTHERS and is_shown:
            view_button(selection)
        _page_button("All attention views", view or "heat map", partial(make, every), selection, name="all views")


def _offer_generation(model_name: str, selection: Selection) -> None:
    """A button that saves an encoder-decoder's page; as in `_offer_pages`, it refers to no run."""
    st.markdown("**Page that opens without a server** (.html)", help=PAGE_HELP)
    make = partial(_written_page, model_name, selection)
    _page_button("All views of the three attentions", selection.decoder.picture, make, selection, name="all views")


def _offer_table(model_name: str, selection: Selection) -> None:
    """A button that saves what the view of a table shows, once all rows are read."""
    from viz.caches.collections import current_collection, shown_results  # imports pyarrow and DuckDB

    collection = current_collection(selection.table.collection)
    found = None if collection is None else shown_results(model_name, collection)
    if found is None:
        return
    collection, results = found
    st.markdown("**Page that opens without a server** (.html)", help=TABLE_HELP)
    save_button(
        PANELS["texts"].title,
        partial(_table_page, collection, results, selection),
        file_names.file_name(collection.name, "texts", "html"),
        key="save_table",
    )
    words = _known_words(collection, results, model_name)
    save_button(
        "Report of one page",
        partial(_report, collection, results, selection, words, page_link()),
        file_names.file_name(collection.name, "report", "html"),
        key="save_report",
        help=REPORT_HELP,
    )


def _known_words(collection: Collection, results: Results, model_name: str) -> DrivingWords | None:
    """The words that drive the errors, if the view has found them."""
    from encoder.collection.row_filters import ERRORS, is_error
    from viz.caches.collections import saved_run
    from viz.caches.steps import job_of
    from viz.views.driving_words.steps import words_of

    if not results.unit or not is_error(results).any():
        return None
    step = next(words_of(collection, results, ERRORS, "", saved=saved_run(collection, results)))
    found: DrivingWords | None = job_of(step, model_name).result if isinstance(step, LongStep) else None
    return found


def _report(
    collection: Collection, results: Results, selection: Selection, words: DrivingWords | None, link: str
) -> bytes:
    from viz.html.answers import html_page_of_answer
    from viz.views.texts.answer.report import report

    answer = report(collection, results, rows=selection.table.rows, words=words, link=link)
    return html_page_of_answer(_title_of_table(collection, results), answer).encode()


def _title_of_table(collection: Collection, results: Results) -> str:
    return f"{title_of_model(revisions.unrevised(results.model_name))} reads “{collection.name}”"


def _table_page(collection: Collection, results: Results, selection: Selection) -> bytes:
    """A slide for each part of the view: its sentences on the left, charts and tables on the right."""
    from viz.slides.contents import Slide, Slides
    from viz.slides.document import slides_document
    from viz.views.texts.answer.file import answers_of

    slides = []
    for heading, answer in answers_of(collection, results, rows=selection.table.rows, order=selection.table.order):
        said = [part for part in answer.parts if isinstance(part, Sentence)]
        shown = Answer(tuple(part for part in answer.parts if not isinstance(part, Sentence)))
        words = "\n\n".join(part.text for part in said)
        title = heading or _title_of_table(collection, results)
        slides.append(Slide(title=title, words=words, answers=(("", shown),) if shown.parts else ()))
    return slides_document(Slides(title=f"Headlight: {collection.name}", slides=tuple(slides))).encode()


def _offer_link(selection: Selection) -> None:
    """The address of the page, with a button that copies it."""
    st.markdown("**Link to this page**")
    if session.linked() != selection:
        st.caption("The text is too long for a link: save the page instead.")
    else:
        st.code(page_link(), language=None, wrap_lines=True)


def _offer_numbers(model_name: str, panel: Panel, traces: Mapping[str, Trace], selection: Selection) -> None:
    """Buttons that save what the view shows as a table, and the runs."""
    st.markdown("**Numbers**")
    if panel.offer_csv:
        with st.container(horizontal=True, gap="xsmall"):
            for place, trace in excerpts(traces, selection.first).items():
                panel.offer_csv(trace, selection, place=place)
    else:
        st.caption("This view has several tables: each has its own “Download as CSV”.")
    for place, trace in traces.items():
        run = "Whole run" if place == "pair" else f"Whole run of {place}"
        save_button(
            f"{run} (.safetensors, {_size_of(trace) / MEGABYTE:.1f} MB)",
            partial(_run_as_bytes, model_name, selection, place),
            name_of_file(file_name("run", place), "safetensors"),
            key=f"save_trace_{place}",
            help=RUN_HELP,
        )


def _size_of(trace: Trace) -> int:
    """The bytes of a trace's arrays."""
    layers = [getattr(layer, name) for layer in trace.layers for name in LAYER_ARRAYS]
    arrays = [trace.hidden_states, *trace.embedding_parts.values(), *layers]
    return sum(array.nbytes for array in arrays if array is not None)


def _page(model_name: str, chosen: Selection, shown: Shown, *, shows_weights: bool, **options: Any) -> Page:
    """The page of a selection's runs; `options` are of `page_of_traces`."""
    traces = excerpts(run_encoder(model_name, chosen), chosen.first)
    maps = {} if shows_weights else _maps(traces, chosen)
    return page_of_traces(traces, shown, maps=maps, answer=_answer(traces, chosen), **options)


def _answer(traces: Mapping[str, Trace], selection: Selection) -> str:
    """What the model reads the word as that two sentences share; "" without it, without probes, or if links are cut."""
    if any(trace.links or not has_probes(trace.model_name) for trace in traces.values()):
        return ""
    runs = list(traces.values())
    return shared_word_sentence(runs, [word_classes(trace) for trace in runs], selection)


def _written_page(model_name: str, chosen: Selection, **options: Any) -> Page:
    """The page of an encoder-decoder's run; `options` are of `page_of_generation`."""
    kind, shown = chosen.decoder.kind, Shown(level=chosen.level, special=chosen.special)
    first = "cross" if kind == "all" else kind
    return page_of_generation(write(model_name, chosen), shown, first=first, **options)


def _run_as_bytes(model_name: str, selection: Selection, place: str) -> bytes:
    return run_encoder(model_name, selection)[place].to_bytes()


def _maps(traces: Mapping[str, Trace], selection: Selection) -> Mapping[str, ShownMaps]:
    """The maps that the page shows instead of weights, by place; none if it shows weights."""
    if selection.draws_weights:
        return {}
    from viz.caches import attribution_cache  # imports torch

    level, special = selection.level, selection.special
    return {
        place: attribution_cache.shown(trace, quantity=selection.drawn, level=level, special=special)
        for place, trace in traces.items()
    }


def _layers(traces: Mapping[str, Trace], selection: Selection) -> tuple[int, ...] | None:
    """The layers that are saved; None for all."""
    longest = max(len(trace.tokens) for trace in traces.values())
    return None if longest <= SHORT else (selection.layer,)


def _view_of(traces: Mapping[str, Trace], selection: Selection) -> ViewName | None:
    """The open view, if it can be saved."""
    if selection.view == "neuron view" and any(trace.layers[0].query is None for trace in traces.values()):
        return None
    return next((view for view in VIEW_NAMES if view == selection.view), None)


def _page_button(
    label: str, view: ViewName, make: Callable[..., Page], selection: Selection, *, name: str = ""
) -> None:
    """A button that saves a page, which is built on a click.

    Args:
        view: the view that is open first.
        name: of the views, for the file's name; by default the first one's.
    """
    name = name or view
    save_button(
        label,
        lambda: document(make(view=view, selection=shared_selection(selection))).encode(),
        name_of_file(name, "html"),
        key=f"save_page_{'-'.join(name.split())}",
    )
