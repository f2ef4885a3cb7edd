"""What the model box says of a name before anything is opened or downloaded."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from encoder.offers import CATALOGUE, SCRATCH_BERT, NameKind, kind_of_name
from viz.wording.labels import escape_markdown, make_visible, shorten

AGREED = "agreed"  # in the session: names of models that somebody agreed to download, or to read from a folder
LONGEST = 80  # characters of a name in a sentence

# Names that can be loaded, after a click.
LOADABLE: Mapping[NameKind, str] = MappingProxyType(
    {
        "folder": "**{}** is a folder on this computer. Loading it needs a config.json, a tokenizer and .safetensors "
        "weights in it; code that lies there is not run.",
        "network path": "**{}** is a path on the network. Loading it needs a folder there with a config.json, a "
        "tokenizer and .safetensors weights; code that lies there is not run.",
        "hub id": "**{}** is not in the list, and there is no folder of that name: it is taken for a model id of the "
        "Hugging Face hub. Loading it downloads its settings, its tokenizer and its .safetensors weights, unless they "
        "are on this computer; no code is downloaded.",
    }
)
# Names that cannot, with what to do.
UNUSABLE: Mapping[NameKind, str] = MappingProxyType(
    {
        "file": "**{}** is a file: name the folder that it is in.",
        "no folder": "There is no folder **{}** on this computer: check the path, or choose a model of the list.",
        "nothing": "**{}** is neither a folder on this computer nor a model id such as bert-base-uncased: check the "
        "spelling, or choose a model of the list.",
    }
)
INTO_OURS = " The weights have to be a BERT's: they are put into our own encoder."


def before_loading(name: str) -> tuple[bool, str]:
    """Whether a name that waits for a click can be loaded, and what it is and needs, as Markdown."""
    if name in CATALOGUE:
        entry = CATALOGUE[name]
        return True, f"**{escape_markdown(entry.title)}** has to be downloaded ({entry.downloads})."
    kind, prefix = kind_of_name(name), f"{SCRATCH_BERT}:"
    shown = escape_markdown(shorten(make_visible(name.removeprefix(prefix)), LONGEST))
    if kind in UNUSABLE:
        return False, UNUSABLE[kind].format(shown)
    return True, LOADABLE[kind].format(shown) + (INTO_OURS if name.startswith(prefix) else "")
