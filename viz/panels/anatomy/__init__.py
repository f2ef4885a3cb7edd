"""The view "Anatomy": one step at a time, each with its words, formula, tensors, a cell to open, and its code."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from encoder import Backend, Trace
from encoder.experiments.anatomy.names import STEPS as KEYS
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.record import is_ours, name_in_our_modules, ours
from encoder.experiments.anatomy.step_examples import position_table
from encoder.measures.unit_attention import MEAN
from viz.answers.anatomy.step import RecordedRun
from viz.answers.anatomy.steps import STEPS
from viz.answers.anatomy.tensors import Drawn, opened_in, tensors
from viz.caches import experiment_cache, run_cache
from viz.caches.revisions import unrevised
from viz.components.wires.plot_clicks import plot_clicks
from viz.panels.anatomy.steps import EXTRAS, AnatomyPage, show_cell
from viz.panels.room import is_at_stop
from viz.state import session
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown


def anatomy(trace: Trace, selection: Selection, *, place: str) -> None:
    """One step through our own encoder."""
    if place == "B":
        st.info("The anatomy shows one text at a time: sentence A, above. As a pair, it shows both at once.")
        return
    backend = run_cache.model(trace.model_name)
    if not is_ours(backend):
        _other_models(backend)
        return
    first, *rest = trace.tokens.sentences
    texts = (first, rest[0] if rest else None)
    run = RecordedRun(
        backend=ours(backend),
        record=run_cache.cached_with_model(experiment_cache.anatomy, backend.name, texts, layer=selection.layer),
        head=0 if selection.head == MEAN else selection.head,
    )
    selection = _clamp_cell(selection, run)
    if not is_at_stop(selection):  # a tour leads from step to step
        _navigate(selection.anatomy.step)
    _remarks(selection)
    _show_step(run, texts, selection)


def _clamp_cell(selection: Selection, run: RecordedRun) -> Selection:
    """Clamp the opened cell to the largest tensor of any step, here and in the address.

    Each step clamps it to its own tensor (`opened_in`); the address keeps the chosen cell for the next step.
    """
    sizes = run.sizes
    positions = len(position_table(run.backend.encoder))
    row = min(selection.anatomy.row, max(positions, sizes.T) - 1)
    column = min(selection.anatomy.column, max(positions, sizes.T, sizes.D, sizes.F) - 1)
    clamped = replace(selection, anatomy=replace(selection.anatomy, row=row, column=column))
    if clamped != selection:
        session.adjust(clamped)
        session.save()
    return clamped


def _show_step(run: RecordedRun, texts: tuple[str, str | None], selection: Selection) -> None:
    key, tokens = selection.anatomy.step, run.record.tokens
    step = STEPS[key]
    content, work_out = step.content(run), step.work_out
    opened = opened_in(content.opened_tensor, selection) if content.opened_tensor else None
    drawn = Drawn(
        labels=tokens.labels,
        opened=opened,
        sentence_b_start=tokens.sentence_b_start,
        head=run.head,
        clickable=True,
    )
    page = AnatomyPage(run=run, texts=texts, selection=selection, drawn=drawn)
    if not is_at_stop(selection):  # which has a title of its own
        st.markdown(f"### {step.title}")
    if not selection.stage:  # before an audience, the speaker says so
        st.markdown(content.words)
    page.show(content.formula)
    page.show(tensors(content.tensors, drawn))
    if key in EXTRAS:
        EXTRAS[key](page)
    if work_out:
        show_cell(page, lambda row, column: work_out(run, row, column))
    page.show(content.code)
    plot_clicks(page.clicks, key="anatomy_clicks")


def _remarks(selection: Selection) -> None:
    """Where the anatomy differs from the rest of the page."""
    remarks = []
    if selection.head == MEAN:
        remarks.append("A mean over heads has no queries of its own, so the anatomy shows head 0.")
    if selection.level == "words" or selection.special != "show":
        remarks.append("The anatomy shows wordpieces and all special tokens, whatever the sidebar says.")
    if remarks:
        st.caption(" ".join(remarks))


def _other_models(backend: Backend) -> None:
    """For models with other modules: buttons for models that can be opened."""
    st.info("The anatomy opens our own encoder, and this model has other modules. Choose one of ours:")
    same_weights = name_in_our_modules(backend, unrevised(backend.name))
    if same_weights:
        st.markdown(
            f"This model is a BERT folder. Named **{escape_markdown(same_weights)}** in the model box, its weights are "
            "loaded into our own encoder."
        )
        _model_button(same_weights, "This folder's weights in our encoder", key="anatomy_with_folder")
    for name, label in (("bundled", "The bundled BERT"), ("scratch", "Our encoder, trained here")):
        _model_button(name, label, key=f"anatomy_with_{name}")


def _model_button(name: str, label: str, *, key: str) -> None:
    st.button(label, key=key, on_click=session.change, kwargs={"model": name})


def _navigate(step: StepKey) -> None:
    """Previous and next, by click or arrow key, and a list of all steps between them."""
    index = KEYS.index(step)
    with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
        _button("Previous", KEYS[max(index - 1, 0)], shortcut="Left", disabled=index == 0)
        st.selectbox(
            "Step", KEYS, format_func=_numbered, label_visibility="collapsed", **session.bound("walk", options=KEYS)
        )
        _button("Next", KEYS[min(index + 1, len(KEYS) - 1)], shortcut="Right", disabled=index == len(KEYS) - 1)
    st.progress((index + 1) / len(KEYS))


def _button(label: str, target: StepKey, *, shortcut: str, disabled: bool) -> None:
    st.button(
        label,
        key=f"anatomy_{label.lower()}",
        shortcut=shortcut,
        disabled=disabled,
        on_click=session.change,
        kwargs={"walk": target},
    )


def _numbered(step: StepKey) -> str:
    return f"{KEYS.index(step) + 1} of {len(KEYS)} · {STEPS[step].title}"
