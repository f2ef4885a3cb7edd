"""`headlight texts run`: a model over a table of any size, on this machine or on a Ray cluster."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Final, get_args

from encoder.collection.engine import RowWorker, TableRun, prepare, run_texts
from encoder.collection.names import What
from encoder.collection.row_labels import LabelClasses
from encoder.engines.choice import choose_engine
from encoder.engines.local import usable_cores
from encoder.errors import ArgumentError
from encoder.models.device import choose_device

LONG_RUN: Final = 600  # seconds; before a longer run starts, its duration is printed


def run(given: argparse.Namespace) -> None:
    """Run the command, and print where the results are. Raises HeadlightError."""
    named = {name.strip() for name in given.what.split(",")}
    if unknown := sorted(named - set(get_args(What))):
        raise ArgumentError(f"--what takes {', '.join(get_args(What))}, not {', '.join(unknown)}.")
    what = [name for name in get_args(What) if name in named]
    device = str(choose_device(given.device))
    table = prepare(
        given.table,
        given.model,
        what,
        text=given.text,
        text_b=given.text_b,
        label=given.label,
        labels=_parse_classes(given.labels),
        device=device,
    )
    number = table.collection.num_blank
    blank = f"Rows without a text, which are left out: {number:,}." if number else ""
    sys.stderr.writelines(f"{said}\n" for said in (*table.collection.remarks, blank, table.labels_in_words) if said)
    on_cpu = device == "cpu"
    workers = given.workers or (usable_cores() if on_cpu else 1)
    engine = choose_engine(given.engine, partial(RowWorker, table.job), workers, given.address, on_gpu=not on_cpu)
    if table.seconds / workers >= LONG_RUN:
        sys.stderr.write(duration_in_words(table, workers))
    for file in run_texts(table, given.out, engine):
        sys.stdout.write(f"{file}\n")


def _parse_classes(given: str | None) -> LabelClasses | None:
    """The classes in an option such as "0=negative,1=positive" or "numbers"; an empty class is none."""
    if given is None or given == "numbers":
        return given and "numbers"
    pairs = [part.partition("=") for part in given.split(",")]
    if not all(sign for _, sign, _ in pairs):
        raise ArgumentError(f"--labels takes a class for each label, as in 0=negative,1=positive, not {given!r}.")
    classes = {label.strip(): name.strip() or None for label, _, name in pairs}
    if len(classes) < len(pairs):
        raise ArgumentError(f"--labels gives a label two classes: {given!r}.")
    return classes


def duration_in_words(table: TableRun, workers: int) -> str:
    """How long a run is going to take."""
    hours, minutes = divmod(round(table.seconds / workers / 60), 60)
    duration = f"{hours:,} hours" if hours > 1 else f"{60 * hours + minutes} minutes"
    models = f"{workers} models at once" if workers > 1 else "one model"
    heads = f", {table.heads} of them with one head silenced" if table.heads else ""
    return (
        f"Each of {len(table.collection):,} rows takes as long as {table.passes} forward passes{heads}: about "
        f"{duration} with {models}, at the speed of this machine. Ctrl+C stops the run, and the same command continues "
        "it.\n"
    )
