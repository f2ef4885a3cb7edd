"""The models that a page without a server can run."""

from __future__ import annotations

from typing import Final

import encoder
from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.files import usual_name
from encoder.models.scratch import ScratchBackend
from encoder.offers import CATALOGUE, fetch, folder_of, without_prefix
from encoder.shipped.names import SCRATCH_BERT
from viz.wording.models import name_in_short

_WAY_ON: Final = "The app shows other models: headlight --model NAME."


def open_model(name: str) -> ScratchBackend:
    """A model that our own encoder runs: one that ships, or the BERT of a folder or of the hub.

    Raises:
        ModelError: it cannot be loaded.
        UnsupportedModelError: a browser cannot run it, or would read other tokens.
    """
    fetch(name)
    folder = folder_of(name)
    if folder is None:
        backend = encoder.load(name)
    else:
        backend = _from_folder(name, f"{SCRATCH_BERT}:{folder}")
        short = name_in_short(without_prefix(name))
        backend.name = f"./{short}" if short in CATALOGUE else short  # the page says no path of this machine
    if not isinstance(backend, ScratchBackend):
        raise UnsupportedModelError(f"{name} runs in transformers, which no browser has. {_WAY_ON}")
    tokenizer = backend.tokenizer
    if type(tokenizer.inner.backend_tokenizer.model).__name__ != "WordPiece":
        raise UnsupportedModelError(
            f"The tokenizer of {name} is not the WordPiece tokenizer that the page has. {_WAY_ON}"
        )
    if tokenizer.prompt:
        raise UnsupportedModelError(f"{name} reads a prompt before each text, which the page cannot. {_WAY_ON}")
    return backend


def _from_folder(name: str, folder: str) -> encoder.Backend:
    try:
        return encoder.load(folder, all_positions=name != usual_name(name))
    except CheckpointError as error:
        raise UnsupportedModelError(f"{name} cannot run in a browser. {error} {_WAY_ON}") from error
