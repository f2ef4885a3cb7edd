"""One sentence in several models, next to each other: one head of each, or all heads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder import Trace
from encoder.errors import HeadlightError
from encoder.measures.unit_attention import MEAN
from encoder.shipped.names import SCRATCH, steps
from viz import permitted
from viz.answers.answer import Answer
from viz.caches import message_cache, revisions, run_cache
from viz.caches.memo import cached
from viz.components.cell_map import cell_map
from viz.components.head_map import head_map
from viz.components.wires.store import store
from viz.state import session
from viz.state.codecs import MOST_MODELS
from viz.state.reducer import within_model
from viz.state.selection import Pictured, Selection
from viz.views.compare.answer.sides import nearest_step
from viz.views.models import answer as answers
from viz.views.models.answer import ModelRun
from viz.widgets import choice, select_box
from viz.widgets.answer import show_answer
from viz.widgets.canvas import view_data
from viz.widgets.captions import show_explanation
from viz.widgets.consent import ANY_ENCODER, Size, offered_encoders, open_another, size_of_encoder
from viz.widgets.first_answer import let_paint
from viz.widgets.units import shown_units
from viz.wording.labels import escape_markdown
from viz.wording.models import title_of_model
from viz.wording.training import training_step_label

PICTURES: Final[Mapping[Pictured, str]] = {"one head": "One head", "all heads": "All heads"}
MOST_IN_A_ROW: Final = 3
NUMBER_WIDTH: Final = 92  # pixels of a list of layers or heads
FEW_HEADS: Final = 6
FEW_HEADS_WIDTH: Final = 300  # pixels, in which a map of few heads is about as high as that of 72 in its column
SHORT: Final = 128  # tokens of a text of which all layers are sent


def models(traces: Mapping[str, Trace], selection: Selection, *_: object) -> None:
    """The choices, one sentence, and a column for each model; of two sentences encoded separately, A is shown."""
    place, trace = next(iter(traces.items()))
    if shown_units(trace, selection) is None:
        return
    model_name, texts = trace.model_name, trace.tokens.sentences
    own_name = revisions.unrevised(model_name)
    selection = replace(selection, model=own_name)  # which is another one where a link's model is not loaded
    if not selection.stage:
        _choose(trace, selection)
    picture, wanted = selection.side_by_side.picture, selection.shown_place.wanted
    others = answers.other_models(selection)
    answer = st.container()
    own = ModelRun(name=own_name, trace=trace, wanted=wanted, next_to=tuple(others.values()), is_own=True)
    runs = [own]
    first, *columns = _columns(1 + len(others))
    with first:
        _show_model(own, own, selection, place=place, key="own")
    let_paint((model_name, texts, wanted, picture, *others), key="models")
    for (key, name), column in zip(others.items(), columns, strict=True):
        with column:
            if not open_another(name, prefix=f"models_{key}_"):
                continue
            try:
                found = run_cache.trace(name, *texts)
            except HeadlightError as error:
                st.info(escape_markdown(str(error)))
                continue
            run = ModelRun(name=name, trace=found, wanted=wanted, next_to=(own_name, *others.values()))
            runs.append(run)
            _show_model(run, own, selection, place=place, key=key)
    spread = answers.spreads(runs, picture)
    with answer:
        show_answer(spread.finding() if selection.stage else Answer(spread.parts[:1]), view="models")
    if not selection.stage:
        show_answer(Answer(spread.parts[1:]), view="models")
    show_explanation(answers.EXPLANATION)


def _choose(own: Trace, selection: Selection) -> None:
    """The picture, the layer and the head, and the models next to the page's own."""
    chosen = selection.side_by_side.models
    offered = [name for name in offered_encoders(*chosen) if name != selection.model]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice("Picture", PICTURES, field="pictured", labelled=False)
        if selection.side_by_side.picture == "one head":
            _choose_head(own, selection)
        st.multiselect(
            "Next to the page's model",
            offered,
            format_func=title_of_model,
            placeholder="Add a model",
            accept_new_options=not permitted.is_limited(),
            max_selections=MOST_MODELS - 1,
            help=None if permitted.is_limited() else ANY_ENCODER,
            **session.bound(
                "models",
                to_widget=lambda names: [name for name in names if name != selection.model],
                from_widget=lambda names: answers.with_own(names, selection),
                initial="default",
            ),
        )


def _choose_head(own: Trace, selection: Selection) -> None:
    """Lists of the layers and of the heads that any of the models has."""
    known = [size_of_encoder(name) for name in answers.other_models(selection).values()]
    sizes = [Size(own.num_layers, own.num_heads), *(size for size in known if size)]
    layer, head = selection.shown_place.wanted

    def change(**values: int) -> None:
        session.change(**values)
        session.adjust(within_model(session.current(), own.num_layers, own.num_heads))

    layers = {index: str(index) for index in range(max(size.num_layers for size in sizes))}
    heads = {MEAN: "mean"} | {index: str(index) for index in range(max(size.num_heads for size in sizes))}
    shown = {"layer": min(layer, len(layers) - 1), "head": min(head, len(heads) - 2)}
    select_box(
        "Layer",
        layers,
        shown=shown["layer"],
        key="models_layer",
        on_choice=lambda index: change(layer=index, head=head),
        width=NUMBER_WIDTH,
    )
    select_box(
        "Head",
        heads,
        shown=shown["head"],
        key="models_head",
        on_choice=lambda index: change(layer=layer, head=index),
        width=NUMBER_WIDTH,
    )


def _columns(count: int) -> list[DeltaGenerator]:
    """Columns of one width, in rows of up to three; four models make two rows of two."""
    across = 2 if count == 4 else min(count, MOST_IN_A_ROW)
    rows = [st.columns(across, gap="small") for _ in range(0, count, across)]
    return [column for row in rows for column in row][:count]


def _show_model(run: ModelRun, own: ModelRun, selection: Selection, *, place: str, key: str) -> None:
    """The model's name, its picture, and below it a remark and the choice of a training step."""
    about = "" if selection.stage else f"  \n:small[:gray[{answers.description_of(run)}]]"
    st.markdown(f"**{answers.title_of(run)}**{about}")
    data = view_data(selection, place=place)
    data |= {"follows": answers.follows(run, own), "heading": answers.title_of(run)}
    if selection.side_by_side.picture == "all heads":
        _show_all_heads(run.trace, selection, data, key=key)
    else:
        _show_one_head(run, selection, data, key=key)
    if not selection.stage:
        st.caption(answers.remark_on(run, selection.side_by_side.picture))
    if key == SCRATCH and not selection.stage:
        _choose_step(selection.side_by_side.step)


def _show_one_head(run: ModelRun, selection: Selection, data: Mapping[str, Any], *, key: str) -> None:
    trace, level, special = run.trace, selection.level, selection.special
    layers = tuple(range(trace.num_layers)) if len(trace.tokens) <= SHORT else (run.shown[0],)
    message = cached(message_cache.layers_message, trace, layers=layers, level=level, special=special)
    store(message, key=f"store_models_{key}")
    cell_map(data, run=message.id, layers=trace.num_layers, place=f"models {key}", key=f"models_cells_{key}")


def _show_all_heads(trace: Trace, selection: Selection, data: Mapping[str, Any], *, key: str) -> None:
    message, _ = cached(message_cache.model_message, trace, level=selection.level, special=selection.special)
    store(message, key=f"store_models_map_{key}")
    with st.container(width=FEW_HEADS_WIDTH if trace.num_heads <= FEW_HEADS else "stretch"):
        head_map(data, message=message, large=False, key=f"models_map_{key}")


def _choose_step(step: int) -> None:
    session.note_shown(trained=nearest_step(step))
    st.select_slider(
        training_step_label(),
        steps(),
        **session.bound("trained", to_widget=lambda _: nearest_step(step), initial="value"),
    )
