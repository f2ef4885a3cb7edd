"""Which files of a model folder hold its vocabulary."""

from __future__ import annotations

from pathlib import Path


def has_tokenizer(folder: Path) -> bool:
    """Whether a model folder holds a vocabulary."""
    return any(path for pattern in ("tokenizer.json", "vocab.*", "*.model") for path in folder.glob(pattern))
