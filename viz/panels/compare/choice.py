"""What is compared: A with B, a run with one without some heads, a model with another, or two steps of a training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

import streamlit as st

from encoder import Backend, Trace
from encoder.comparison.compare import WordMeasure
from encoder.errors import SelectionError
from encoder.measures.unit_attention import MEAN
from encoder.offers import CATALOGUE, needs_consent
from encoder.shipped.names import SCRATCH, STEP_PREFIX, parse_step, step_name, steps
from viz.caches import run_cache
from viz.caches.revisions import unrevised
from viz.examples import MINIMAL_PAIRS
from viz.panels.common import choose_silenced_heads, texts_of
from viz.state import session
from viz.state.selection import Compared, Selection
from viz.widgets import choice
from viz.wording.labels import escape_markdown, heads_in_words, make_visible, shorten

KINDS: Mapping[Compared, str] = MappingProxyType(
    {"texts": "A and B", "heads": "Heads silenced", "models": "Two models", "steps": "Two training steps"}
)
LONGEST_NAME = 24  # characters of a model's name


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The two runs that are compared.

    Attributes:
        names: of the two.
        places: of the page, "pair", "A" or "B", whose pinned tokens are pinned here.
        measure: how words are compared: models that were trained apart have no common axes.
        note: what is to be said of the two, as Markdown.
        texts: A and B where the two are those of one model, each alone.
    """

    a: Trace
    b: Trace
    names: tuple[str, str]
    places: tuple[str, str]
    measure: WordMeasure = "states"
    note: str = ""
    texts: tuple[str, str] | None = None


def choose_sides(traces: Mapping[str, Trace], selection: Selection) -> Sides:
    """Draw the choice of what is compared, and run what the page has not run.

    Raises:
        SelectionError: something is missing; the message says what to do.
        ModelError: the other model cannot be loaded.
        InputError: the other model reads nothing of the text.
    """
    choice("Compare", KINDS, field="compare", labelled=False)
    kind, (place, run) = selection.compare.kind, next(iter(traces.items()))
    if kind == "texts":
        return _two_texts(traces)
    if len(traces) > 1:
        st.caption(
            "The sentences are encoded separately: this compares runs of sentence A. Encode them as a pair to compare "
            "runs of both."
        )
    if kind == "heads":
        return _without_heads(run, place, selection)
    return _two_models(run, place, selection) if kind == "models" else _two_steps(run, place, selection)


def _two_texts(traces: Mapping[str, Trace]) -> Sides:
    with st.popover("Minimal pairs", icon=":material/compare_arrows:"):
        st.caption("Two sentences that differ in one thing. Both fields are filled with them.")
        for phenomenon, pairs in groupby(MINIMAL_PAIRS, key=lambda pair: pair.phenomenon):
            st.markdown(f"**{phenomenon.capitalize()}**")
            for pair in pairs:
                st.button(
                    f"{pair.a} / {pair.b}",
                    key=f"compare_pair_{MINIMAL_PAIRS.index(pair)}",
                    type="tertiary",
                    on_click=session.change,
                    kwargs={"a": pair.a, "b": pair.b},
                )
    if len(traces) < 2:
        raise SelectionError("This compares two sentences: type a second one, or choose one of the minimal pairs.")
    a, b = traces.values()
    texts = (texts_of(a)[0], texts_of(b)[0])
    note = "Each sentence is encoded alone."
    return Sides(a=a, b=b, names=("A", "B"), places=("A", "B"), note=note, texts=texts)


def _without_heads(run: Trace, place: str, selection: Selection) -> Sides:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose_silenced_heads(
            run,
            label="Heads that are silenced together",
            placeholder="Choose heads: their output is replaced by zero",
            key="compare_silenced",
        )
        chosen = (selection.layer, selection.head)
        st.button(
            f"Silence {heads_in_words([chosen])} alone" if selection.head != MEAN else "Silence the selected head",
            key="compare_silence",
            disabled=selection.head == MEAN,
            on_click=session.change,
            kwargs={"silenced": (chosen,)},
        )
    silenced = selection.word_lens.silenced
    if not silenced:
        raise SelectionError("No head is silenced yet: choose some above, or silence the selected head.")
    first, second = texts_of(run)
    changed = run_cache.cached_with_model(Backend.trace, run.model_name, first, second, silenced_heads=silenced)
    without = heads_in_words(silenced)
    note = f"The same text, run with all heads and without {without}. Attention can differ in later layers only."
    return Sides(a=run, b=changed, names=("all heads", "silenced"), places=(place, place), note=note)


def _two_models(run: Trace, place: str, selection: Selection) -> Sides:
    offered = [name for name in CATALOGUE if not needs_consent(name)]
    other = selection.compare.model
    names = list(dict.fromkeys([*offered, other]))
    st.selectbox(
        "The other model",
        names,
        format_func=lambda name: CATALOGUE[name].title,
        **session.bound("with_model", options=names),
    )
    title = CATALOGUE[other].title
    if other not in offered:
        raise SelectionError(f"{title} has to be downloaded first: choose it once as the model in the sidebar.")
    with st.spinner("Running the other model …"):
        second = run_cache.trace(other, *texts_of(run))
    name = shorten(make_visible(unrevised(run.model_name)), LONGEST_NAME)
    note = f"The same text in “{escape_markdown(name)}”, the page's model, and in “{other}” ({title})."
    return Sides(a=run, b=second, names=(name, other), places=(place, place), measure="structure", note=note)


def _two_steps(run: Trace, place: str, selection: Selection) -> Sides:
    try:
        own = step_of(run.model_name)
    except SelectionError:
        st.button("Open the from-scratch model", key="compare_scratch", on_click=_open_scratch)
        raise
    other = nearest_step(selection.compare.step)
    st.select_slider(
        "The other step",
        steps(),
        help="The page's own step is chosen in the sidebar.",
        **session.bound("with_step", to_widget=lambda _: other, initial="value"),
    )
    second = run_cache.trace(model_at_step(other), *texts_of(run))
    (first_step, first), (last_step, later) = sorted(((own, run), (other, second)), key=lambda each: each[0])
    note = f"The same text in one model, after step {first_step} and after step {last_step} of its training."
    names = (f"step {first_step}", f"step {last_step}")
    return Sides(a=first, b=later, names=names, places=(place, place), note=note)


def _open_scratch() -> None:
    session.change(model=SCRATCH)


def step_of(model_name: str) -> int:
    """The step of its training that a model stands for.

    Raises:
        SelectionError: it is not the from-scratch model.
    """
    if model_name == SCRATCH:
        return steps()[-1]
    if model_name.startswith(STEP_PREFIX):
        return parse_step(model_name)
    raise SelectionError("Steps of the training are kept of the from-scratch model only: open it to compare them.")


def nearest_step(wanted: int) -> int:
    """The step that was kept which is nearest to another."""
    return min(steps(), key=lambda step: abs(step - wanted))


def model_at_step(step: int) -> str:
    """The name of the from-scratch model after a step of its training."""
    return SCRATCH if step == steps()[-1] else step_name(step)
