"""Models from the Hugging Face hub: from the local cache, or downloaded.

Only safetensors, settings and tokenizer files are downloaded, never code.
"""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

from huggingface_hub import DryRunFileInfo, snapshot_download
from huggingface_hub.errors import (
    DryRunError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    HTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)
from huggingface_hub.utils import tqdm, validate_repo_id

from encoder.errors import ModelError, OfflineError, UnknownModelError
from encoder.models.files import quoted
from encoder.models.other_formats import OTHER_ENDS, check_weight_files
from encoder.progress import Progress, no_progress
from encoder.text.vocabulary_file import has_tokenizer

TOKENIZER = ["tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "added_tokens.json", "*.model"]
WANTED = ["config.json", *TOKENIZER, "*.safetensors", "*.safetensors.index.json"]
# Of sentence-transformers: its modules, their settings and weights.
POOLING = ["modules.json", "config_sentence_transformers.json", "sentence_*_config.json"]
POOLING += ["[0-9]_*/config.json", "[0-9]_*/model.safetensors"]
OTHERS = [f"*{end}" for end in OTHER_ENDS]  # listed for the error message, never downloaded
IGNORED = ["*/*"]  # subfolders have exports to other formats


def is_hub_id(name: str) -> bool:
    """Whether a name is a valid model id of the hub."""
    try:
        validate_repo_id(name)
    except HFValidationError:
        return False
    return True


def cached_folder(model_id: str) -> Path | None:
    """The folder of a model that is completely cached, or None. Never uses the network."""
    try:
        folder = snapshot_download(model_id, local_files_only=True, allow_patterns=WANTED, ignore_patterns=IGNORED)
    except (LocalEntryNotFoundError, HFValidationError):
        return None
    except RuntimeError as error:  # from pathlib: there is no home folder
        raise ModelError(
            f"{model_id} cannot be searched for: there is no home folder with a cache. Set HF_HOME to a folder."
        ) from error
    return Path(folder) if _is_whole(Path(folder)) else None


def _is_whole(folder: Path) -> bool:
    """Whether a cache folder has all files of a model; a download may be incomplete, or of other files.

    The hub's client checks this for downloads of whole snapshots, such as ours, but not for single files.
    """
    shards = [
        shard
        for index in folder.glob("*.safetensors.index.json")
        for shard in re.findall(r'"([^"/]+\.safetensors)"', index.read_text(encoding="utf-8", errors="replace"))
    ]
    return (
        all((folder / name).is_file() for name in ("config.json", *shards))
        and any(folder.glob("*.safetensors"))
        and has_tokenizer(folder)
    )


def fetch(model_id: str, *, progress: Progress = no_progress) -> Path:
    """The folder of a hub model, downloaded if it is not cached.

    A model that another program cached without its `modules.json` is not completed, and is pooled by the mean.

    Args:
        progress: called with the bytes received and the total, one call at a time, from any thread.
    Raises:
        UnknownModelError: the hub has no such model.
        OfflineError: the hub cannot be reached.
        CheckpointError: it has no safetensors.
        ModelError: it is gated, or cannot be stored.
    """
    if not is_hub_id(model_id):
        raise UnknownModelError(f"{quoted(model_id)} is neither a folder nor a model id such as 'bert-base-uncased'.")
    folder = cached_folder(model_id)
    if folder is not None:
        return folder
    try:
        files = snapshot_download(model_id, allow_patterns=WANTED + OTHERS, ignore_patterns=IGNORED, dry_run=True)
        check_weight_files((file.filename for file in files), f"{model_id} on the hub")
        count = _Count(progress, _bytes_to_download(files))
        snapshot_download(model_id, allow_patterns=POOLING, tqdm_class=_bar(_Count(no_progress, 0)))
        folder = Path(
            snapshot_download(
                model_id,
                allow_patterns=WANTED,
                ignore_patterns=IGNORED,
                tqdm_class=_bar(count),
            )
        )
    # Errors of the disk, the hub's client, its HTTP library, malformed JSON, and its Rust part.
    except (OSError, HTTPError, ValueError, RuntimeError) as error:
        raise _explained(model_id, error) from error
    count.finish()
    return folder


def _bytes_to_download(files: list[DryRunFileInfo]) -> int:
    return sum(file.file_size or 0 for file in files if file.will_download and not file.filename.endswith(OTHER_ENDS))


def _explained(model_id: str, error: Exception) -> ModelError:
    cause = error.__cause__ if isinstance(error, (DryRunError, LocalEntryNotFoundError)) else error
    if isinstance(cause, GatedRepoError):
        return ModelError(
            f"The owners of {model_id} ask for an agreement: accept it on the hub and log in with `hf auth login`."
        )
    if isinstance(cause, RepositoryNotFoundError):
        return UnknownModelError(f"The hub has no model {model_id!r}, or it is private: check the spelling.")
    if isinstance(cause, OfflineModeIsEnabled):
        return OfflineError(
            f"{model_id} is not on this computer, and HF_HUB_OFFLINE forbids downloading it: unset it and start "
            "again, or go on with a model that needs no download."
        )
    if isinstance(cause, HfHubHTTPError):
        return OfflineError(
            f"{model_id} is not on this computer, and the hub answered {cause.response.status_code} when asked for it: "
            "try again later, or go on with a model that needs no download."
        )
    if isinstance(cause, OSError) and cause.errno:
        return ModelError(f"{model_id} could not be stored on this computer: {cause.strerror}.")
    return OfflineError(
        f"{model_id} is not on this computer and could not be downloaded ({type(cause or error).__name__}): connect "
        "to the internet and try again, or go on with a model that needs no download."
    )


class _Count:
    """The bytes received of all files, reported monotonically."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._arrived = 0
        self._reported = 0
        self._lock = threading.Lock()

    def add(self, size: int) -> None:
        """Add bytes; negative if the client restarts a file."""
        with self._lock:
            self._arrived += size
            self._report(min(self._arrived, self._total))

    def finish(self) -> None:
        """Report completion, including files found elsewhere in the cache."""
        with self._lock:
            self._report(self._total)

    def _report(self, arrived: int) -> None:
        if arrived > self._reported:
            self._reported = arrived
            self._progress(arrived, self._total)


def _bar(count: _Count) -> type[tqdm]:
    """A silent progress bar class for the hub's client, which counts the bytes written to disk."""

    class Bar(tqdm):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.counts = kwargs.get("name") == "huggingface_hub.snapshot_download"  # not the bar that counts files
            super().__init__(*args, **kwargs | {"disable": True})  # type: ignore[no-untyped-call]

        def update(self, n: float | None = 1) -> bool | None:
            if self.counts:
                count.add(int(n or 0))
            return super().update(n)

    return Bar
