"""Runs of shipped examples, kept in the user's cache folder from one start of the app to the next.

Nothing that somebody typed is written: only a run whose texts are exactly those of `viz.examples`. An entry is one
file, named after a checksum of the model's weights, the texts and the format; it begins with a checksum of the rest, a
trace's file. Entries that are damaged or of something else are removed, and the oldest ones where all of them together
are too large. Where the folder cannot be written to, nothing is kept.

`HEADLIGHT_CACHE` names another folder, or "off".
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from encoder import Trace
from encoder.errors import TraceFileError
from encoder.runs.trace_file import FORMAT
from viz.examples import EXAMPLES

logger = logging.getLogger(__name__)

VARIABLE, OFF = "HEADLIGHT_CACHE", "off"
ENDING = ".trace"
LIMIT = 64_000_000  # bytes; all examples as pairs and apart take half of it
DIGEST = hashlib.sha256().digest_size

Texts = tuple[str, str | None]
SHIPPED: frozenset[Texts] = frozenset(
    texts for example in EXAMPLES for texts in ((example.a, example.b), (example.a, None), (example.b, None))
)


def is_shipped(texts: Texts) -> bool:
    """Whether these are an example's sentences, as a pair or one alone."""
    return texts in SHIPPED


def cache_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Where runs are cached, by the conventions of the platform; None where that is off, or no home is known."""
    named = environment.get(VARIABLE, "").strip()
    if named.lower() == OFF:
        return None
    try:
        return (Path(named).expanduser() if named else _cache_base(environment, platform) / "headlight") / "runs"
    except RuntimeError as error:  # HOME is not set, and the user id has no entry
        logger.info("no run is cached: %s", error)
        return None


def _cache_base(environment: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if platform == "darwin":
        return Path.home() / "Library" / "Caches"
    xdg = Path(environment.get("XDG_CACHE_HOME", ""))
    return xdg if xdg.is_absolute() else Path.home() / ".cache"  # a relative one is to be ignored


class KeptRuns:
    """A folder of runs of one model.

    Every method may be called from any thread and process: entries are written beside their place and moved there.
    """

    def __init__(self, folder: Path | None, *, fingerprint: str, limit: int = LIMIT) -> None:
        """`fingerprint` is a checksum of the model's weights; a folder of None keeps nothing."""
        self._folder, self._fingerprint, self._limit = folder, fingerprint, limit

    def read(self, model_name: str, texts: Texts) -> Trace | None:
        """The run that was kept, or None. An entry that is damaged, or of something else, is removed."""
        path = self._path(model_name, texts)
        if path is None:
            return None
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            logger.info("no kept run can be read: %s", error)
            return None
        trace = _unpack(data)
        if trace is not None and (trace.model_name, trace.tokens.sentences) == (model_name, _given(texts)):
            return trace
        logger.warning("removing %s, which is damaged or of something else", path)
        _remove(path)
        return None

    def write(self, trace: Trace, texts: Texts) -> None:
        """Keep a run, unless its texts are no example's."""
        path = self._path(trace.model_name, texts)
        if path is None or trace.silenced_heads or trace.tokens.sentences != _given(texts):
            return
        data = trace.to_bytes()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, suffix=ENDING, delete=False) as file:
                file.write(hashlib.sha256(data).digest() + data)
            os.replace(file.name, path)
        except OSError as error:
            logger.info("this run is not kept: %s", error)
            return
        self._drop_oldest(path.parent)

    def _path(self, model_name: str, texts: Texts) -> Path | None:
        if self._folder is None or not is_shipped(texts):
            return None
        key = json.dumps([FORMAT, self._fingerprint, model_name, texts])
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}{ENDING}"

    def _drop_oldest(self, folder: Path) -> None:
        """Remove entries until the others are within the limit, the one that was written first before all others."""
        with suppress(OSError):  # another process removes the same ones
            entries = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in folder.glob(f"*{ENDING}"))
            total = sum(size for _, size, _ in entries)
            for _, size, path in entries:
                if total <= self._limit:
                    return
                _remove(path)
                total -= size


def _given(texts: Texts) -> tuple[str, ...]:
    return tuple(text for text in texts if text is not None)


def _unpack(data: bytes) -> Trace | None:
    """The trace in an entry, or None where it is damaged."""
    digest, content = data[:DIGEST], data[DIGEST:]
    if hashlib.sha256(content).digest() != digest:
        return None
    try:
        return Trace.from_bytes(content)
    except TraceFileError:
        return None


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.info("%s cannot be removed: %s", path, error)
