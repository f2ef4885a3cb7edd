"""Models from the Hugging Face hub: from this computer's cache where they are in it, else downloaded.

Only safetensors, settings and tokenizer files are ever fetched; no code that a model brings along is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    DryRunError,
    GatedRepoError,
    HFValidationError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
)
from huggingface_hub.utils import tqdm, validate_repo_id

from encoder.checkpoint import check_weight_files
from encoder.errors import ModelError, OfflineError, UnknownModelError

# Called with the bytes that have arrived and the bytes that there are, from any thread.
Progress = Callable[[int, int], None]

SETTINGS = ["config.json", "tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "added_tokens.json"]
WANTED = [*SETTINGS, "*.model", "*.safetensors", "*.safetensors.index.json"]
LOOKED_AT = [*WANTED, "*.bin", "*.pt", "*.ckpt"]
IGNORED = ["*/*"]  # exports to other formats lie in folders


def is_hub_id(name: str) -> bool:
    """Whether a name could be a model's id on the hub."""
    try:
        validate_repo_id(name)
    except HFValidationError:
        return False
    return True


def cached_folder(model_id: str) -> Path | None:
    """The folder of a model that is on this computer already, or None. Never uses the network."""
    try:
        folder = snapshot_download(model_id, local_files_only=True, allow_patterns=WANTED, ignore_patterns=IGNORED)
    except (LocalEntryNotFoundError, HFValidationError):
        return None
    # A download that broke off, or one of another tool's that fetched the settings only.
    return Path(folder) if any(Path(folder).glob("*.safetensors")) else None


def fetch(model_id: str, *, progress: Progress | None = None, endpoint: str | None = None) -> Path:
    """The folder of a hub model, downloaded unless it is on this computer.

    Raises:
        UnknownModelError: the hub has no such model.
        OfflineError: the hub cannot be reached.
        CheckpointError: it has no safetensors.
        ModelError: its owners ask for an agreement first.
    """
    if not is_hub_id(model_id):
        raise UnknownModelError(f"{model_id!r} is neither a folder nor a model id such as 'bert-base-uncased'.")
    folder = cached_folder(model_id)
    if folder is not None:
        return folder
    try:
        files = snapshot_download(
            model_id, allow_patterns=LOOKED_AT, ignore_patterns=IGNORED, dry_run=True, endpoint=endpoint
        )
        check_weight_files((file.filename for file in files), f"{model_id} on the hub")
        return Path(
            snapshot_download(
                model_id,
                allow_patterns=WANTED,
                ignore_patterns=IGNORED,
                tqdm_class=_bar(progress or _ignore),
                endpoint=endpoint,
            )
        )
    except OSError as error:  # every failure of the hub's client, and of the disk
        raise _explained(model_id, error) from error


def _explained(model_id: str, error: OSError) -> ModelError:
    cause = error.__cause__ if isinstance(error, DryRunError) else error
    if isinstance(cause, GatedRepoError):
        return ModelError(
            f"The owners of {model_id} ask for an agreement: accept it on the hub and log in with `hf auth login`."
        )
    if isinstance(cause, RepositoryNotFoundError):
        return UnknownModelError(f"The hub has no model {model_id!r}, or it is private: check the spelling.")
    return OfflineError(
        f"{model_id} is not on this computer and could not be downloaded ({type(cause).__name__}): connect to the "
        "internet and try again, or go on with a model that needs no download."
    )


def _ignore(arrived: int, total: int) -> None:
    pass


def _bar(progress: Progress) -> type[tqdm]:
    """A progress bar class for the hub's client that reports bytes and draws nothing."""

    class Bar(tqdm):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs.pop("name", None)
            self.counts_bytes = kwargs.get("unit") == "B" and str(kwargs.get("desc", "")).startswith("Reconstructing")
            super().__init__(*args, **kwargs | {"disable": False, "file": _Nowhere()})

        def update(self, n: float | None = 1) -> bool | None:
            shown = super().update(n)
            if self.counts_bytes and self.total:
                progress(int(self.n), int(self.total))
            return shown

    return Bar


class _Nowhere:
    """A file that forgets what is written to it."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass
