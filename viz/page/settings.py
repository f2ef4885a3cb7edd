"""The model, and the settings: how tokens are shown, and the keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder.offers import CATALOGUE, WRITERS, CatalogueEntry, ModelName, saved_steps
from encoder.shipped.names import SCRATCH, step_name, steps
from encoder.shipped.probes import has_probes
from viz import permitted
from viz.caches import revisions, run_cache
from viz.components.wires.number_keys import number_keys_switch
from viz.components.wires.page_watch import page_watch
from viz.page import loading
from viz.page.direct import path_on_server
from viz.page.passport import show_passport
from viz.page.password import SIGN_OUT
from viz.page.quantity_choice import choose_quantity
from viz.page.text_inputs import choose_encoding
from viz.state import session
from viz.state.codecs import Tags
from viz.state.fields import default_of, value_of
from viz.state.reducer import within_model
from viz.widgets import choice
from viz.widgets.canvas import theme
from viz.widgets.captions import show_glossary
from viz.widgets.consent import AGREED, ANY_ENCODER, Kind, Sized, offered_encoders, open_model
from viz.widgets.consent import Size as Size
from viz.wording.labels import escape_markdown
from viz.wording.models import title_of_model
from viz.wording.settings import LEVELS, SHOWING, SPECIAL_TOKENS, SPECIALS, TAGS, probe_title
from viz.wording.training import training_step_label

if TYPE_CHECKING:
    from viz.streamlit_internals import PopoverContainer

KEYS = "Keyboard shortcuts: 1 to 9 open views, P presents"
NAMED = CATALOGUE | WRITERS


@dataclass(frozen=True, slots=True)
class Offer:
    """Models of one kind: the field of the selection that names one, the listed ones, and the loading function."""

    field: Kind
    entries: Mapping[str, CatalogueEntry]
    load: Callable[[str], Sized]
    help: str


def _load_writer(name: str) -> Sized:
    from viz.caches import writers  # imports torch

    return writers.writer(name)


ENCODERS = Offer(
    "model",
    CATALOGUE,
    run_cache.model,
    ANY_ENCODER,
)
ENCODER_DECODERS = Offer(
    "writer",
    WRITERS,
    _load_writer,
    "The one that was trained here, or type the folder of a T5, BART or Marian model, or its hub id.",
)


def display() -> None:
    """Words or wordpieces, with special tokens or without."""
    choice(
        SHOWING,
        LEVELS,
        field="level",
        help="For a word in several pieces we add the attention that it receives and average the attention that it "
        "gives (Clark et al. 2019).",
    )
    choice(
        SPECIAL_TOKENS,
        SPECIALS,
        field="special",
        help="They often receive most of the attention. If you hide them, rows add up to less than 1; “Hide and "
        "rescale” makes them add up to 1 again. The page says how much is missing.",
    )


def tags(name: str, size: Size) -> None:
    """Parts of speech under the tokens.

    A browser that has not received a change of the model may report a layer that the new one lacks, as text.
    """
    readable = has_probes(name)
    options: list[Tags] = ["off", "all", *range(size.num_layers + 1)]
    shown = session.current().tags
    st.selectbox(
        TAGS,
        options,
        format_func=probe_title,
        disabled=not readable,
        help="Read from the model's vectors by a small classifier, trained on labelled text."
        if readable
        else "No classifier was trained for this model. A model that tags words itself always shows its own tags.",
        **session.bound("tags", from_widget=lambda tags: tags if tags in options else shown, options=options),
    )


def pick(offer: Offer) -> tuple[str, Size]:
    """The choice of a model. Returns the name, with the revision of its files, and the size of the model in use.

    The model in use is the last one that could be loaded: a name that fails or needs consent changes nothing. A model
    whose files have changed is loaded again; if that fails, the page falls back to its default model.
    """
    in_use_key = f"{offer.field}_in_use"
    in_use = st.session_state.setdefault(in_use_key, default_of(offer.field))
    wanted = value_of(session.current(), offer.field)
    if offer is ENCODERS:
        names = offered_encoders(in_use, wanted)
    else:
        names = list(dict.fromkeys([*offer.entries, *permitted.listed("writers"), in_use, wanted]))
    st.selectbox(
        "Model",
        names,
        format_func=title,
        accept_new_options=not permitted.is_limited(),
        help=None if permitted.is_limited() else offer.help,
        **session.bound(offer.field, options=names),
    )
    if wanted != in_use and _open(wanted, offer):
        st.session_state[in_use_key] = in_use = wanted
    name, before = revisions.current(in_use), st.session_state.get(f"{offer.field}_revision", "")
    if revisions.unrevised(before) == in_use and before != name:
        if _open(in_use, offer):
            st.session_state[f"{offer.field}_changed"] = name
        else:
            st.session_state[in_use_key] = in_use = name = default_of(offer.field)
    size = _size_of(name, offer)
    st.session_state[f"{offer.field}_revision"] = name
    if st.session_state.get(f"{offer.field}_changed") == name:
        st.info("The files of this model have changed: it was loaded again, and the page shows its new numbers.")
    if in_use != wanted:
        st.caption(f"The page goes on with {escape_markdown(title(in_use))}.")
    return name, size


def _size_of(name: str, offer: Offer) -> Size:
    """A model's size, which is known for shipped models without loading them."""
    entry = offer.entries.get(ModelName(name).listed)
    sized: Sized | CatalogueEntry = entry if entry and not entry.downloads else offer.load(name)
    return Size(sized.num_layers, sized.num_heads)


def _describe(name: str, size: Size) -> None:
    model = ModelName(name)
    described = f"{model.entry.description} " if model.entry and model.step is None else ""
    st.caption(f"{described}{size.num_layers} layers × {size.num_heads} heads.")


def _training_slider(name: str) -> None:
    """The choice of a training step of the from-scratch encoder, which is part of the model's name."""
    options = steps()
    last, own = options[-1], ModelName(name).step
    shown = session.bound(
        "model",
        key="step",
        to_widget=lambda _: last if own is None else own,
        from_widget=lambda step: SCRATCH if step == last else step_name(step),
        initial="value",
    )
    st.select_slider(training_step_label(), options, **shown)


def _slider_of_checkpoints(name: str) -> None:
    """The choice of a saved step of the training that a folder belongs to: consent to one is consent to all."""
    names = saved_steps(name)
    if len(names) < 2:
        return
    st.session_state.setdefault(AGREED, set()).update(names.values())
    own = next(step for step, of_step in names.items() if of_step == name.strip().rstrip("/\\"))
    shown = session.bound(
        "model", key="checkpoint", to_widget=lambda _: own, from_widget=lambda step: names[step], initial="value"
    )
    st.select_slider("Training step", names, **shown)


def title(name: str) -> str:
    """The title of a model."""
    return title_of_model(revisions.unrevised(name))


def _open(name: str, offer: Offer) -> bool:
    """Load a model as `open_model` does."""

    def load(name: str) -> Sized:
        loading.wait()
        return offer.load(name)

    return open_model(name, load, kind=offer.field)


def draw(model_place: DeltaGenerator, menu: PopoverContainer) -> tuple[str, Size]:
    """Draw the model and, while their menu is open, the settings. Returns the name and size of the model in use."""
    writes = session.current().shows_decoder
    writer_before = st.session_state.get("writer_in_use")
    with model_place:
        name, size = pick(ENCODER_DECODERS if writes else ENCODERS)
        if not writes:
            show_passport(name)
        if writes and writer_before not in (None, revisions.unrevised(name)):
            st.rerun()  # the tasks belong to the previous model
        session.adjust(within_model(session.current(), size.num_layers, size.num_heads))
        if not writes and ModelName(name).listed == SCRATCH:
            _training_slider(name)
        elif not writes and not permitted.is_limited():
            _slider_of_checkpoints(revisions.unrevised(name))
    if menu.open:
        with menu:
            _draw_settings(name, size)
    page_watch(theme().name)
    return name, size


def _draw_settings(name: str, size: Size) -> None:
    selection = session.current()
    if not (selection.shows_decoder or selection.shows_collection):
        choose_encoding()
    display()
    if not selection.shows_decoder:
        tags(name, size)
        choose_quantity(selection)
    number_keys_switch(KEYS)
    if st.toggle("Explain the terms", key="terms"):
        show_glossary()
    _describe(name, size)
    if permitted.asks_for_password():
        st.html(f'<a href="{path_on_server(SIGN_OUT)}" style="color: inherit">Sign out</a>')
