"""Consent to download a model or to read it from a folder: what the page says before it asks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from encoder.offers import CATALOGUE, PATHS, PREFIXES, SCRATCH_BERT, NameKind, kind_of_name, without_prefix
from viz.wording.labels import escape_markdown, make_visible, shorten

AGREED = "agreed"  # in the session: names of models that the user agreed to download, or to read from a folder
LONGEST = 80  # characters of a name in a sentence

# Described by the form of the name alone: a link may name any path, and the page must not reveal which ones exist.
PATH = (
    "**{}** is a path. Loading it needs a folder there with a config.json, a tokenizer and .safetensors weights; code "
    "that lies there is not run."
)
LOADABLE: Mapping[NameKind, str] = MappingProxyType(
    {
        "folder": PATH,
        "file": PATH,
        "no folder": PATH,
        "network path": "**{}** is a path on the network. Loading it needs a folder there with a config.json, a "
        "tokenizer and .safetensors weights; code that lies there is not run.",
        "hub id": "**{}** is not in the list: it is taken for a folder of this computer or, where there is none, for a "
        "model id of the Hugging Face hub. Loading the latter downloads its settings, its tokenizer and its "
        ".safetensors weights, unless they are on this computer; code of a model is neither downloaded nor run.",
    }
)
NEITHER = (
    "**{}** is neither a folder on this computer nor a model id such as bert-base-uncased: check the spelling, or "
    "choose a model of the list."
)
INTO_OURS = " The weights have to be a BERT's: they are put into our own encoder."


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
