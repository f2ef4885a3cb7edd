"""The view "Anatomy": one step at a time, each with its words, formula, tensors, a cell to open, and its code."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from encoder import Backend, Trace
from encoder.experiments.anatomy.names import STEPS as KEYS
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.record import is_ours, name_in_our_modules, ours
from encoder.experiments.anatomy.step_examples import position_table
from encoder.measures.unit_attention import MEAN
from viz.answers.anatomy.step import RecordedRun, StepContent
from viz.answers.anatomy.steps import STEPS
from viz.answers.anatomy.tensors import opened_in
from viz.caches import experiment_cache, run_cache
from viz.caches.revisions import unrevised
from viz.panels.anatomy.draw import draw_tensors
from viz.panels.anatomy.extras import EXTRAS
from viz.panels.anatomy.opened_cell import listen_to_clicks, open_cell
from viz.panels.anatomy.page import AnatomyPage
from viz.panels.room import is_at_stop
from viz.state import session
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown

ROOT = Path(__file__).parents[3]


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
    _draw_step(AnatomyPage(run=run, texts=texts, selection=selection))


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


def _draw_step(page: AnatomyPage) -> None:
    key = page.selection.anatomy.step
    step = STEPS[key]
    content = step.content(page.run)
    if content.opened_tensor:
        page = replace(page, opened=opened_in(content.opened_tensor, page.selection))
    if not is_at_stop(page.selection):  # which has a title of its own
        st.markdown(f"### {step.title}")
    if not page.selection.stage:  # before an audience, the speaker says so
        st.markdown(content.words)
    st.latex(content.formula)
    draw_tensors(content.tensors, page.labels, page, key=key)
    if key in EXTRAS:
        EXTRAS[key](page)
    if step.work_out:
        open_cell(step.work_out, page, key=key)
    _code(content)
    listen_to_clicks(page)


def _code(content: StepContent) -> None:
    """The code of the step, as it is in the files now."""
    for definition in content.sources:
        source = source_of(definition)
        with st.expander(
            f"The code that did it: `{definition.__qualname__}`, {source.file}, line {source.line}", expanded=True
        ):
            st.code(source.code, language="python", wrap_lines=True)


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


@dataclass(frozen=True, slots=True)
class SourceCode:
    """A piece of our own code: the file, its first line there, and the text."""

    file: str
    line: int
    code: str


def source_of(definition: type | Callable[..., Any]) -> SourceCode:
    """The source of a class or function, read now."""
    plain = inspect.unwrap(definition)  # a decorator of torch would name its own file
    lines, first = inspect.getsourcelines(plain)
    file = inspect.getsourcefile(plain)
    return SourceCode(
        file=Path(file).relative_to(ROOT).as_posix() if file else "",
        line=first,
        code=textwrap.dedent("".join(lines)).rstrip(),
    )
