"""`headlight texts run`: a model over a table of any size, on this machine or on a Ray cluster."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import get_args

from encoder.collection.engine import Job, RowWorker, What, run_texts
from encoder.collection.files import open_collection
from encoder.engines.choice import choose_engine
from encoder.engines.local import usable_cores
from encoder.errors import ArgumentError
from encoder.models.device import choose_device


def add_options(options: argparse.ArgumentParser) -> None:
    """The options of `headlight texts run`."""
    options.add_argument("table", type=Path, metavar="TABLE", help=".csv, .tsv, .jsonl, .parquet, or a text a line")
    options.add_argument("--model", required=True, metavar="NAME", help="a name that “headlight --model” takes")
    options.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="of the results, in Parquet")
    options.add_argument(
        "--what", default="predictions", metavar="LIST", help=f"{', '.join(get_args(What))}, with commas between"
    )
    options.add_argument("--text", metavar="COLUMN", help="of the texts (default: guessed)")
    options.add_argument("--text-b", metavar="COLUMN", help="of second texts")
    options.add_argument("--label", metavar="COLUMN", help="of labels")
    options.add_argument("--engine", choices=("local", "ray"), default="local")
    options.add_argument("--workers", type=int, metavar="N", help="models at once (default: one for each core)")
    options.add_argument("--address", metavar="ADDRESS", help="of a running Ray cluster")
    options.add_argument("--device", metavar="NAME", help="cpu, cuda or mps (default: a GPU if there is one)")


def run(given: argparse.Namespace) -> None:
    """Run the command, and print where the results are. Raises HeadlightError."""
    what = tuple(dict.fromkeys(name.strip() for name in given.what.split(",")))
    if unknown := [name for name in what if name not in get_args(What)]:
        raise ArgumentError(f"--what takes {', '.join(get_args(What))}, not {', '.join(unknown)}.")
    guessed = open_collection(given.table)
    device = str(choose_device(given.device))
    job = Job(
        model=given.model,
        what=what,
        text=given.text or guessed.text,
        text_b=given.text_b or (None if given.text else guessed.text_b),
        label=given.label or guessed.label,
        device=device,
    )
    on_cpu = device == "cpu"
    workers = given.workers or (usable_cores() if on_cpu else 1)
    engine = choose_engine(given.engine, partial(RowWorker, job), workers, given.address, on_gpu=not on_cpu)
    for file in run_texts(given.table, job, given.out, engine):
        sys.stdout.write(f"{file}\n")
