"""The walk: one step at a time, each with its words, formula, tensors, a cell to open, and its code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

import streamlit as st

from encoder import Trace
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.steps import Step, source_of
from encoder.experiments.anatomy.walk import TWIN, build, is_ours, ours
from encoder.measures.unit_attention import MEAN
from viz import cache
from viz.panels.anatomy import attention, inputs, layer, numbers
from viz.panels.anatomy.cells import listen, open_cell, opened_in
from viz.panels.anatomy.draw import tensors
from viz.panels.anatomy.navigate import navigate
from viz.panels.anatomy.walk import Walk
from viz.panels.common import texts_of
from viz.state import session
from viz.state.selection import Selection

LONG_CODE = 14  # lines; longer code scrolls in a box of its own
BESIDE: Mapping[StepKey, Callable[[Walk], None]] = MappingProxyType(
    {
        "text": inputs.text,
        "ids": inputs.ids,
        "positions": inputs.positions,
        "scaling": attention.scaling,
        "mask": attention.mask,
        "what-if": attention.what_if,
        "feed-forward": layer.feed_forward,
        "layers": layer.layers,
        "prediction": layer.prediction,
        "numbers": numbers.numbers,
    }
)


def anatomy(trace: Trace, selection: Selection, *, place: str) -> None:
    """One step of the walk through our own encoder."""
    if place == "B":
        st.info("The walk takes one text at a time: sentence A, above. As a pair, it takes both at once.")
        return
    if not is_ours(cache.model(TWIN.get(trace.model_name, trace.model_name))):
        _other_models()
        return
    backend = ours(cache.model(TWIN.get(trace.model_name, trace.model_name)))
    texts = texts_of(trace)
    head = 0 if selection.head == MEAN else selection.head
    record = cache.anatomy(backend.name, texts, layer=selection.layer)
    navigate(selection.anatomy.step)
    _remarks(trace, selection, backend.name)
    step = build(selection.anatomy.step, backend, record, head=head)
    opened = opened_in(step.opened, selection) if step.opened else None
    walk = Walk(backend=backend, record=record, texts=texts, head=head, selection=selection, opened=opened)
    st.markdown(f"#### {step.title}")
    st.markdown(step.text)
    st.latex(step.formula)
    tensors(step, walk)
    if step.key in BESIDE:
        BESIDE[step.key](walk)
    open_cell(step, walk)
    _code(step)
    listen(walk)


def _code(step: Step) -> None:
    """The code that did it, as it stands in the files now."""
    for made in step.sources:
        source = source_of(made)
        height: int | Literal["content"] = 340 if source.code.count("\n") > LONG_CODE else "content"
        with st.expander(
            f"The code that did it: `{made.__qualname__}`, {source.file}, line {source.line}", expanded=True
        ):
            st.code(source.code, language="python", height=height)


def _remarks(trace: Trace, selection: Selection, name: str) -> None:
    said = []
    if name != trace.model_name:
        said.append("The walk runs the bundled BERT's weights in our own modules: the same numbers to within 1e-5.")
    if selection.head == MEAN:
        said.append("A mean over heads has no queries of its own, so the walk shows head 0.")
    if selection.level == "words" or selection.special != "show":
        said.append("The walk shows wordpieces and all special tokens, whatever the sidebar says.")
    if said:
        st.caption(" ".join(said))


def _other_models() -> None:
    """A model whose modules are not ours: two ways on."""
    st.info("The walk opens our own encoder, and this model has other modules. Take one of ours:")
    for name, label in (("scratch-bert", "BERT's weights in our encoder"), ("scratch", "Our encoder, trained here")):
        st.button(label, key=f"walk_with_{name}", on_click=session.change, kwargs={"model": name})
