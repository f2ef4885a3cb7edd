"""The catalogue: which models there are, their sizes, and which need consent; everything known without loading them.

Needs neither torch nor transformers; the hub's client is imported lazily. `encoder.catalogue` loads models.
"""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from encoder.models.files import WITHOUT_ADAPTER, usual_name
from encoder.progress import Progress, no_progress
from encoder.shipped.names import BUNDLED, CHECKPOINT, SCRATCH, SEQ2SEQ, STEP_PREFIX, TUNED, parse_step
from encoder.shipped.names import SCRATCH_BERT as SCRATCH_BERT

PREFIXES = (f"{SCRATCH_BERT}:", f"{WITHOUT_ADAPTER}:")  # of a folder's name
PATHS = ("/", "~", ".")  # prefixes of names that can only be paths
NameKind = Literal["listed", "folder", "file", "no folder", "network path", "hub id", "nothing"]


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One model of the catalogue."""

    name: str
    title: str
    description: str
    num_layers: int
    num_heads: int
    downloads: str = ""  # size of the download, or ""


CATALOGUE = {
    entry.name: entry
    for entry in (
        CatalogueEntry(
            BUNDLED,
            "all-MiniLM-L6-v2, a small BERT",
            "Pretrained on plain text, then trained to embed whole sentences. It ships with Headlight.",
            num_layers=6,
            num_heads=12,
        ),
        CatalogueEntry(
            TUNED,
            "all-MiniLM-L6-v2, tuned on film reviews",
            "The same small BERT, fine-tuned here to tell good reviews from bad ones.",
            num_layers=6,
            num_heads=12,
        ),
        CatalogueEntry(
            "bert-base-uncased",
            "BERT base, uncased",
            "The smaller model of the BERT paper (Devlin et al. 2019).",
            num_layers=12,
            num_heads=12,
            downloads="440 MB",
        ),
        CatalogueEntry(
            SCRATCH,
            "Small encoder, trained here",
            "Our own encoder, trained from random weights on film reviews and tagged sentences.",
            num_layers=4,
            num_heads=4,
        ),
        CatalogueEntry(
            SCRATCH_BERT,
            "all-MiniLM-L6-v2, without predictions",
            "The same small BERT and the same attention, but without the sentiment head that was trained here.",
            num_layers=6,
            num_heads=12,
        ),
        CatalogueEntry(
            "scratch-untrained",
            "Small encoder, untrained",
            "Our own encoder with random weights: what it shows is noise.",
            num_layers=4,
            num_heads=4,
        ),
    )
}


WRITERS = {
    SEQ2SEQ: CatalogueEntry(
        SEQ2SEQ,
        "Encoder-decoder, trained here",
        "Our own encoder and decoder, trained here to reverse words, sort them, and rewrite dates.",
        num_layers=2,
        num_heads=4,
    )
}


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model's name, parsed.

    Attributes:
        text: as users write it.
    """

    text: str

    @property
    def usual(self) -> str:
        """The name of the same model, which reads as many tokens as its folder says."""
        return usual_name(self.text.strip())

    @property
    def step(self) -> int | None:
        """The step of its training of the from-scratch model; None for another model, and for its last step.

        Raises:
            UnknownModelError: the step is not a number.
        """
        return parse_step(self.usual) if self.usual.startswith(STEP_PREFIX) else None

    @property
    def listed(self) -> str:
        """The name in the catalogue, if it is there; a training step is one of the from-scratch model."""
        return SCRATCH if self.usual.startswith(STEP_PREFIX) else self.usual

    @property
    def entry(self) -> CatalogueEntry | None:
        """The model's entry in the catalogue; None if it is not listed."""
        return (CATALOGUE | WRITERS).get(self.listed)

    @property
    def ships(self) -> bool:
        """Whether the model ships with Headlight."""
        return self.entry is not None and not self.entry.downloads


def fetch(name: str, *, progress: Progress = no_progress) -> None:
    """Download what `load(name)` would download; does nothing for other models.

    Raises:
        ModelError: it cannot be downloaded.
    """
    name = usual_name(name.strip())
    if is_on_the_hub(name):
        from encoder.models import hub

        hub.fetch(name, progress=progress)


def is_on_the_hub(name: str) -> bool:
    """Whether a name refers to a model of the hub, cached or not."""
    name = usual_name(name)
    if name in CATALOGUE:
        return bool(CATALOGUE[name].downloads)
    return bool(name) and kind_of_name(name) in ("hub id", "nothing")


def without_prefix(name: str) -> str:
    """The folder in a name such as "scratch-bert:FOLDER"."""
    name = usual_name(name)
    return name.removeprefix(next((prefix for prefix in PREFIXES if name.startswith(prefix)), ""))


def _is_in_a_folder(name: str) -> bool:
    """Whether a name without a prefix is a path: an existing one, or a mistyped one in an existing folder."""
    return os.path.exists(name) or os.path.isdir(os.path.dirname(name))


def saved_steps(name: str) -> dict[int, str]:
    """The steps of a training that are saved next to a folder `checkpoint-STEP`, and the name of each; else nothing."""
    folder = folder_of(name)
    if folder is None or is_on_the_hub(name) or not CHECKPOINT.fullmatch(folder.name):
        return {}
    start = name.strip().rstrip("/\\").removesuffix(folder.name)
    found = {
        int(match[1]): f"{start}{match[0]}"
        for path in folder.parent.glob("checkpoint-*")
        if (match := CHECKPOINT.fullmatch(path.name)) and any(path.glob("*config.json"))
    }
    return dict(sorted(found.items()))


def folder_of(name: str) -> Path | None:
    """The local folder that a model is loaded from; None for models that ship, or if there is none."""
    name = usual_name(name.strip())
    if ModelName(name).ships:
        return None
    if is_on_the_hub(name):
        from encoder.models import hub

        return hub.cached_folder(name)
    path = os.path.expanduser(without_prefix(name))
    return Path(path) if os.path.isdir(path) else None


def needs_consent(name: str) -> bool:
    """Whether loading a model would download it, or read a folder named by a user.

    Links can name any model, so the app then waits for a click.
    """
    entry = ModelName(name).entry
    return entry is None or (bool(entry.downloads) and folder_of(name) is None)


def kind_of_name(name: str) -> NameKind:
    """What a name refers to, without loading or downloading anything.

    Links can name any path. Network paths are not looked up, because on Windows that alone sends a login.
    """
    name = usual_name(name.strip())
    if ModelName(name).entry is not None:
        return "listed"
    path = os.path.expanduser(without_prefix(name))
    if path.startswith(("//", "\\\\")):
        return "network path"
    if os.path.isdir(path):
        return "folder"
    if os.path.isfile(path):
        return "file"
    if name.startswith((*PREFIXES, *PATHS)) or _is_in_a_folder(name):
        return "no folder"
    from encoder.models import hub

    return "hub id" if hub.is_hub_id(name) else "nothing"
