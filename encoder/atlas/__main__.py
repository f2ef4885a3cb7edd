"""`python -m encoder.atlas`: build an atlas of heads, show it, merge several, or ship one."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from encoder.arguments import positive
from encoder.atlas.build.assembly import build, merge
from encoder.atlas.build.corpus import MOST_WORDS
from encoder.atlas.build.measuring import BATCH_SENTENCES, Measurer, Setting
from encoder.atlas.build.shards import SHARD, Source
from encoder.atlas.build.shipping import ship
from encoder.atlas.plan import read_atlas
from encoder.atlas.reader import SHIPPED
from encoder.engines.choice import choose_engine
from encoder.engines.local import Engine, usable_cores
from encoder.errors import AtlasError, reports_errors
from encoder.models.device import choose_device


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 1 for a faulty file or model, 130 after Ctrl+C."""
    args = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], None] = args.command
    try:
        command(args)
    except BrokenPipeError:  # as in `show | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. Finished shards are saved: continue with --resume.\n")
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m encoder.atlas", description=__doc__)
    commands = parser.add_subparsers(required=True)
    building = commands.add_parser("build", help="measure what every head does over a corpus")
    building.set_defaults(command=_build)
    building.add_argument("--model", required=True, help="a name of the catalogue, or a model folder")
    building.add_argument("--corpus", type=Path, nargs="+", metavar="FILE", help="split into halves by document")
    building.add_argument("--choose", type=Path, nargs="+", metavar="FILE", help="files on which heads are chosen")
    building.add_argument("--measure", type=Path, nargs="+", metavar="FILE", help="files on which they are measured")
    building.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    building.add_argument("--resume", action="store_true", help="continue an interrupted build")
    building.add_argument("--engine", choices=("local", "ray"), default="local")
    building.add_argument("--address", help="of a Ray cluster (default: start one here)")
    building.add_argument(
        "--workers", type=positive, metavar="N", help="processes (default: one per core, or one on a GPU)"
    )
    building.add_argument("--device", default="auto", help="auto, cpu or cuda")
    building.add_argument("--limit", type=positive, metavar="N", help="the first N sentences of each half")
    building.add_argument("--max-words", type=positive, default=MOST_WORDS, metavar="N", help="skip longer sentences")
    building.add_argument(
        "--batch-size", type=positive, default=BATCH_SENTENCES, metavar="N", help="sentences per batch"
    )
    building.add_argument("--shard-size", type=positive, default=SHARD, metavar="N", help="sentences per shard")
    building.add_argument("--column", metavar="NAME", help="the sentences' column in .csv, .tsv and .jsonl files")
    building.add_argument("--pairs", action="store_true", help="read neighbouring sentences in pairs")
    showing = commands.add_parser("show", help="print an atlas")
    showing.set_defaults(command=_show)
    showing.add_argument("folder", type=Path, metavar="FOLDER")
    showing.add_argument("--json", action="store_true")
    merging = commands.add_parser("merge", help="merge atlases of one model over several corpora")
    merging.set_defaults(command=_merge)
    merging.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    merging.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    shipping = commands.add_parser("ship", help="write the files of an atlas that the app reads")
    shipping.set_defaults(command=_ship)
    shipping.add_argument("folder", type=Path, metavar="FOLDER")
    shipping.add_argument("--chosen-on", required=True, metavar="CORPUS", help='its usual name: "EWT train"')
    shipping.add_argument("--measured-on", required=True, metavar="CORPUS")
    shipping.add_argument("--credit", default="", metavar="TEXT", help="who made the sentences, and their licence")
    shipping.add_argument("--out", type=Path, default=SHIPPED, metavar="FOLDER", help="(default: those that ship)")
    shipping.add_argument("--steps", type=Path, nargs="+", default=(), metavar="FOLDER", help="earlier steps' atlases")
    return parser


def _build(args: argparse.Namespace) -> None:
    if (args.corpus is None) == (args.choose is None) or (args.choose is None) != (args.measure is None):
        raise AtlasError("Give --corpus, which is split into halves, or both --choose and --measure.")
    source = Source(
        choose=tuple(args.corpus or args.choose),
        measure=tuple(args.corpus or args.measure),
        most_words=args.max_words,
        pairs=args.pairs,
        limit=args.limit,
        column=args.column,
        shard=args.shard_size,
    )
    if args.corpus is None and source.split:
        raise AtlasError("--choose and --measure name the same files: give --corpus to split them into halves.")
    device = str(choose_device(None if args.device == "auto" else args.device))
    setting = Setting(model=args.model, device=device, batch_sentences=args.batch_size)
    build(setting, source, args.out, _engine(args, setting), resume=args.resume)


def _engine(args: argparse.Namespace, setting: Setting) -> AbstractContextManager[Engine]:
    on_cpu = setting.device == "cpu"
    workers = args.workers or (usable_cores() if on_cpu else 1)
    return choose_engine(args.engine, partial(Measurer, setting), workers, args.address, on_gpu=not on_cpu)


def _show(args: argparse.Namespace) -> None:
    atlas = read_atlas(args.folder)
    if args.json:
        sys.stdout.write(json.dumps(atlas, indent=1, ensure_ascii=False) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _in_words(atlas))


def _merge(args: argparse.Namespace) -> None:
    merge(args.folders, args.out)


def _ship(args: argparse.Namespace) -> None:
    names = {"chosen_on": args.chosen_on, "measured_on": args.measured_on, "credit": args.credit}
    ship(args.folder, args.out, steps=args.steps, **names)


def _in_words(atlas: dict[str, Any]) -> Iterator[str]:
    """The lines that `show` prints."""
    files = {half: ", ".join(file["name"] for file in of_half) for half, of_half in atlas["files"].items()}
    for half, verb in (("choose", "Chosen"), ("measure", "Measured")):
        yield f"{verb} on {atlas['sentences'][half]:,} sentences of {files[half]}."
    yield f"Model: {atlas['model']} ({atlas['model_checksum'][:12]}…), built {atlas['built']}."
    for reason, count in atlas["skipped"].items():
        yield f"Skipped: {count:,} × {reason}."
    yield ""
    if not atlas["relations"]:
        yield "No relation has 150 examples."
    for row in atlas["relations"]:
        yield _relation(row)
    together = atlas["all_relations"]
    if together is not None:
        yield (
            f"All relations, each by its own head: {together['accuracy']:.3f}, "
            f"best fixed offsets {together['offset_accuracy']:.3f}, n = {together['n']:,}."
        )
    yield ""
    yield from map(_head, atlas["heads"])


def _relation(row: dict[str, Any]) -> str:
    better = row["accuracy"] - row["offset_accuracy"]
    verdict = "syntactic" if row["syntactic"] else "no better than the offset" if better <= 0 else "slightly better"
    return (
        f"{row['relation']:<14} {row['direction']:<17} L{row['layer']} H{row['head']:<2}  {row['accuracy']:.3f} "
        f"[{row['low']:.3f}, {row['high']:.3f}]  best fixed offset {row['offset']:+d}: {row['offset_accuracy']:.3f}  "
        f"n = {row['n']:,}  {verdict}"
    )


def _head(row: dict[str, Any]) -> str:
    place = f"L{row['layer']} H{row['head']}"
    positional = f"; positional, offset {row['peak_offset']:+d}" if row["positional"] else ""
    found = {"habit": row["habit"], "relation": f"{row['relation']}, {row['direction']}"}.get(row["special"])
    return f"{place}: {found or 'no habit stands out'}{positional}"


if __name__ == "__main__":
    sys.exit(main())
