"""`headlight tokens`, `headlight attend` and `headlight why`: one run in a terminal, or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Column, Table
from rich.text import Text

from encoder.attribution.explaining import WordValues, explain, target_of
from encoder.catalogue import load
from encoder.measures.near_ties import largest_first
from encoder.measures.unit_attention import MEAN, head_or_mean
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray
from encoder.text.readings import cut_in_words
from viz.theme import THEMES
from viz.wording.labels import make_visible

CELL: Final = 5  # characters of a weight with the space around it
BARS: Final = 24  # characters of the longest bar


def run(command: str, given: argparse.Namespace) -> None:
    """Run a command, and print what was found. Raises HeadlightError."""
    found, shown, notes = COMMANDS[command](load(given.model), given)
    for note in notes:
        sys.stderr.write(f"{note}\n")
    if given.json:
        sys.stdout.write(f"{json.dumps({'model': given.model, **found}, ensure_ascii=False, default=_plain)}\n")
    else:
        Console(highlight=False).print(shown)


Found = tuple[Mapping[str, Any], RenderableType, Sequence[str]]  # for JSON, for people, and remarks


def _tokens(model: Backend, given: argparse.Namespace) -> Found:
    """How the text is read."""
    tokens = model.tokenize(given.text, given.text_b)
    table = _table("", *tokens.columns)
    for index, row in enumerate(zip(*tokens.columns.values(), strict=True)):
        table.add_row(str(index), *map(_cell, row))
    return {"tokens": _records(tokens.columns)}, table, _cut(tokens.truncated)


def _attend(model: Backend, given: argparse.Namespace) -> Found:
    """The weights of a head as a matrix or, of a text that is wider than the terminal, the largest of each token."""
    trace = model.trace(given.text, given.text_b)
    weights = head_or_mean(trace.weights(given.layer), MEAN if given.head is None else given.head)
    labels = [make_visible(label) for label in trace.tokens.labels]
    wide = sum(max(CELL, len(label) + 1) for label in labels) + max(map(len, labels)) > Console().width
    shown = _largest(weights, labels) if wide else _matrix(weights, labels)
    head = "mean" if given.head in (None, MEAN) else given.head
    found = {"layer": given.layer, "head": head, "tokens": trace.tokens.labels, "weights": weights.round(6)}
    return found, shown, [*trace.notes, *_cut(trace.tokens.truncated)]


def _matrix(weights: FloatArray, labels: Sequence[str]) -> Table:
    """Queries down, keys across."""
    table = Table("from ↓ to →", *(Column(f" {label}", justify="right") for label in labels), box=None, padding=0)
    for label, row in zip(labels, weights.tolist(), strict=True):
        table.add_row(f"{label} ", *(Text(f" {weight:.2f}", _shade(weight), justify="right") for weight in row))
    return table


def _largest(weights: FloatArray, labels: Sequence[str]) -> Group:
    table = _table("from", "to", "weight")
    for label, row in zip(labels, weights, strict=True):
        key = largest_first(row)[0]
        table.add_row(label, labels[key], Text(f"{row[key]:.2f}", _shade(float(row[key]))))
    return Group("The largest weight of each token:", table)


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # without "-0.000"


def _why(model: Backend, given: argparse.Namespace) -> Found:
    """What each word adds to a class."""
    question = given.text if given.text_b is None else (given.text, given.text_b)
    target = target_of(model, question, given.label)
    values = explain(model, target, given.method)
    name = target.label or target.unit
    table = _table("word", f"adds to “{name}”", "")
    most = float(np.abs(values.values).max()) or 1.0
    for word, value in zip(values.words, values.values.tolist(), strict=True):
        bar = "█" * round(BARS * abs(value) / most)
        table.add_row(make_visible(word), _signed(value), Text(bar, "blue" if value > 0 else "yellow"))
    for part, value in _rest(values):
        table.add_row(part, _signed(value), "")
    found = {"method": given.method, "label": target.label, "words": _records(values.columns), **values.rest}
    shown = Group(f"“{name}”: {_signed(values.total)} {values.unit}", table)
    return found, shown, _cut((values.cut_off,))


def _rest(values: WordValues) -> Iterator[tuple[str, float]]:
    """The parts of the total that are no words; none where the method does not divide the total."""
    if values.baseline is not None:
        words = float(values.values.sum())
        yield "(baseline)", values.baseline
        yield "(special tokens)", values.framing
        yield "(missed)", values.total - values.baseline - values.framing - words


COMMANDS: Final[Mapping[str, Callable[[Backend, argparse.Namespace], Found]]] = {
    "tokens": _tokens,
    "attend": _attend,
    "why": _why,
}


def _table(*columns: str) -> Table:
    return Table(*columns, box=None)


def _records(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _plain(value: Any) -> Any:
    """A number or an array of NumPy for JSON."""
    return value.tolist()


def _cell(value: object) -> str:
    return "" if value is None or value is False else "yes" if value is True else make_visible(str(value))


def _cut(truncated: Sequence[int]) -> list[str]:
    return [f"Read{cut_in_words(sum(truncated))}."] if sum(truncated) else []


def _shade(weight: float) -> Style:
    """The page's colour of a weight behind legible digits."""
    scale = THEMES["light"].sequential
    _, colour = scale[round(weight * (len(scale) - 1))]
    return Style(bgcolor=colour, color="white" if weight > 0.5 else "black")
