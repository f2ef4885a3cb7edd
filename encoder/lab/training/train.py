"""Train the models that ship: `python -m encoder.training.train {scratch,sentiment,probes,mask,seq2seq}`.

Each command is a module of this package with two functions: `add_arguments(parser)` adds options to the common ones
(`--out`, `--seed`, `--threads`, `--device`, and `--data` except for `seq2seq`, which generates its data), and
`run(args)` trains on `args.device` and writes weights and a model card to `args.out`. Random numbers except dropout are
drawn on the CPU, so a seed gives the same initial weights and batches on every device.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from encoder.arguments import positive
from encoder.errors import reports_errors
from encoder.lab.command import command_parser
from encoder.models.device import add_device_option, choose_device
from encoder.shipped.names import WEIGHTS

COMMANDS = {
    "scratch": "the small encoder of ours, from zero: sentiment, its score, and parts of speech",
    "sentiment": "a low-rank adapter and a sentiment head for the bundled pretrained model",
    "probes": "linear probes that read parts of speech off every layer",
    "mask": "a head for masked words on the bundled pretrained model's states",
    "seq2seq": "the small encoder-decoder of ours, from zero: reversing words, sorting words, dates into ISO dates",
}
WITHOUT_DATA_FILES = ("seq2seq",)


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 1 for faulty data or settings."""
    parser = command_parser("encoder.training.train", __doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    modules = {name: importlib.import_module(f"encoder.lab.training.{name}") for name in COMMANDS}
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=f"Train {summary}.")
        if name not in WITHOUT_DATA_FILES:
            command.add_argument(
                "--data", type=Path, required=True, help="folder with the data files, plain or gzipped"
            )
        command.add_argument("--out", type=Path, default=WEIGHTS, help="folder for weights and model card")
        command.add_argument(
            "--seed", type=int, default=0, help="the same seed gives the same weights on the same device (default: 0)"
        )
        command.add_argument("--threads", type=positive, default=1, help="processor cores to use (default: 1)")
        add_device_option(command)
        modules[name].add_arguments(command)
    args = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    torch.set_num_threads(args.threads)
    args.device = choose_device(args.device)
    modules[args.command].run(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
