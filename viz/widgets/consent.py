"""Open a model, after consent if it is downloaded or read from a folder."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import streamlit as st

from encoder.errors import ModelError
from encoder.models.files import ALL_POSITIONS, usual_name
from encoder.offers import (
    CATALOGUE,
    PATHS,
    PREFIXES,
    SCRATCH_BERT,
    ModelName,
    NameKind,
    fetch,
    kind_of_name,
    without_prefix,
)
from viz import permitted
from viz.caches import revisions, run_cache
from viz.state import session
from viz.widgets import change_button, select_box
from viz.wording.labels import escape_markdown, make_visible, shorten
from viz.wording.models import title_of_model

AGREED = "agreed"  # in the session: names of models that the user agreed to download, or to read from a folder
NO_MODEL = "none"
OPENED = "opened"  # in the session: `Opened` of the encoders that were loaded, by name
ANY_ENCODER = (
    "Choose one, or type a model folder, “scratch-bert:FOLDER” for our encoder with a BERT folder's weights, "
    "or a model id of the Hugging Face hub."
)
LONGEST = 80  # characters of a name in a sentence

# Described by the form of the name alone: a link may name any path, and the page must not reveal which ones exist.
PATH = (
    "**{}** is a path. Loading it needs a folder there with a config.json, a tokenizer and .safetensors weights; code "
    "that lies there is not run."
)
LOADABLE: Mapping[NameKind, str] = {
    "folder": PATH,
    "file": PATH,
    "no folder": PATH,
    "network path": "**{}** is a path on the network. Loading it needs a folder there with a config.json, a "
    "tokenizer and .safetensors weights; code that lies there is not run.",
    "hub id": "**{}** is not in the list: it is taken for a folder of this computer or, where there is none, for a "
    "model id of the Hugging Face hub. Loading the latter downloads its settings, its tokenizer and its "
    ".safetensors weights, unless they are on this computer; code of a model is neither downloaded nor run.",
}
NEITHER = (
    "**{}** is neither a folder on this computer nor a model id such as bert-base-uncased: check the spelling, or "
    "choose a model of the list."
)
INTO_OURS = " The weights have to be a BERT's: they are put into our own encoder."

Kind = Literal["model", "writer"]  # the fields that name an encoder and an encoder-decoder


@dataclass(frozen=True, slots=True)
class Size:
    """The number of layers of a model, and of heads in each."""

    num_layers: int
    num_heads: int


class Sized(Protocol):
    """A model with a size."""

    num_layers: int
    num_heads: int


@dataclass(frozen=True, slots=True)
class Opened:
    """An encoder that was loaded in this session: its name with the revision of its files, and its size."""

    revised: str
    size: Size


def offered_encoders(*more: str) -> list[str]:
    """Names for a list of encoders: those that ship, a server's folders, those opened in this session, and `more`."""
    shipped = [name for name in CATALOGUE if permitted.may_open(name)]
    return list(dict.fromkeys([*shipped, *permitted.listed("encoders"), *st.session_state.get(OPENED, {}), *more]))


def size_of_encoder(name: str) -> Size | None:
    """The size of an encoder that ships or that was opened in this session; None for any other."""
    if (entry := CATALOGUE.get(ModelName(name).listed)) is not None:
        return Size(entry.num_layers, entry.num_heads)
    opened: Opened | None = st.session_state.get(OPENED, {}).get(name)
    return None if opened is None else opened.size


def open_another(name: str, *, prefix: str) -> bool:
    """Open an encoder next to the page's own, as `open_model` does; what ships is loaded with its first run.

    Args:
        prefix: of the keys of buttons.
    """
    ships = usual_name(name) in CATALOGUE and not CATALOGUE[usual_name(name)].downloads
    return ships or open_model(name, run_cache.model, kind="model", prefix=prefix)


def choose_second_model(own: str, chosen: str, *, prefix: str, shown: str = "") -> str | None:
    """A list of models, whose choice is shown next to the page's; its name once it is open.

    Args:
        own: the page's model, which is not offered.
        chosen: the current choice; "" for none.
        prefix: of the keys.
        shown: another model that is not offered.
    """
    offered = {name: title_of_model(name) for name in offered_encoders(*filter(None, [chosen]))}
    offered = {name: title for name, title in offered.items() if name not in (own, shown)}
    chosen = chosen if chosen in offered else ""
    select_box(
        "Second model",
        {"": NO_MODEL} | offered,
        shown=chosen,
        key=f"{prefix}against",
        on_choice=lambda name: session.change(other_model=name),
        width=360,
    )
    return chosen if chosen and open_another(chosen, prefix=prefix) else None


def offer_all_positions(
    model_name: str, *, key: str, tokens: int | None = None, field: Literal["model", "other_model"] = "model"
) -> None:
    """A button that opens the model with all of its positions, if its folder has it read fewer tokens.

    Args:
        tokens: of the text that is cut off; None for a table of texts.
        field: of the selection that names the model.
    """
    tokenizer, name = run_cache.model(model_name).tokenizer, revisions.unrevised(model_name)
    usual, most = tokenizer.max_length, tokenizer.positions
    if usual < most:
        change_button(
            f"Read all {tokens:,}" if tokens and tokens <= most else f"Read {most:,} tokens",
            {field: f"{ALL_POSITIONS}{name}"},
            key=key,
            help=f"The model has positions for {most:,} tokens; its folder says {usual:,}, and so do libraries. The "
            "model then makes another vector of the text: the page says its cosine to the usual one.",
        )


def open_model(name: str, load: Callable[[str], Sized], *, kind: Kind, prefix: str = "") -> bool:
    """Load a model, after consent if that downloads it or reads a folder. Returns whether it is loaded.

    Otherwise this shows what the model needs, or why it cannot be loaded, and a button.

    Args:
        load: loads a model by its name; raises ModelError.
        prefix: of the keys of buttons.
    """
    agreed: set[str] = st.session_state.setdefault(AGREED, set())
    failed: dict[str, str] = st.session_state.setdefault(f"{kind}_failed", {})
    opened: dict[str, Opened] = st.session_state.setdefault(OPENED, {})

    folder = usual_name(name)
    if folder not in agreed and permitted.needs_consent(folder):
        loadable, sentence = before_loading(folder)
        if loadable:
            st.info(sentence)
            st.button("Load it", key=f"{prefix}load_model", width="stretch", on_click=agreed.add, args=(folder,))
        else:
            st.error(sentence)
            st.button("Try again", key=f"{prefix}try_again")  # the rerun looks for the folder again
        return False
    revised = revisions.current(name)
    if revised not in failed:
        is_known = name in opened and opened[name].revised == revised
        try:
            if not is_known:
                _download(permitted.resolve(name))
            with st.spinner("Loading the model …"):
                model = load(name)
        except ModelError as error:
            failed[revised] = str(error)
        else:
            if kind == "model":
                opened[name] = Opened(revised, Size(model.num_layers, model.num_heads))
            return True
    st.error(escape_markdown(failed[revised]))
    st.button("Try again", key=f"{prefix}try_again", on_click=failed.clear)
    return False


def _download(name: str) -> None:
    """`encoder.catalogue.fetch`, with a progress bar while it runs."""
    arrived = [0, 0]
    errors: list[ModelError] = []
    complete = threading.Event()

    def note(done: int, total: int) -> None:
        arrived[:] = done, total

    def work() -> None:
        try:
            fetch(name, progress=note)
        except ModelError as error:
            errors.append(error)
        else:
            complete.set()

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    bar = st.empty()
    while worker.is_alive():
        done, total = arrived
        if total:
            bar.progress(min(done / total, 1.0), text=f"Downloading {done / 1e6:.0f} of {total / 1e6:.0f} MB")
        worker.join(0.1)
    bar.empty()
    if errors:
        raise errors[0]
    if not complete.is_set():
        raise RuntimeError(f"the thread that downloads {name} ended with an error, which is in the log")


def before_loading(name: str) -> tuple[bool, str]:
    """Whether a name that needs consent can be loaded, and what it is and needs, as Markdown."""
    if name in CATALOGUE:
        entry = CATALOGUE[name]
        return True, f"**{escape_markdown(entry.title)}** has to be downloaded ({entry.downloads})."
    kind = kind_of_name(name)
    shown = escape_markdown(shorten(make_visible(without_prefix(name)), LONGEST))
    if kind == "nothing":
        return False, NEITHER.format(shown)
    if kind in ("folder", "file", "no folder") and not name.startswith((*PREFIXES, *PATHS)):
        kind = "hub id"  # of the same form
    return True, LOADABLE[kind].format(shown) + (INTO_OURS if name.startswith(f"{SCRATCH_BERT}:") else "")
