"""Check a model and tours: `headlight check [TOUR...] [--model NAME]`, also `python -m viz.tours check`.

Every claim is printed with its number; without a tour, the passport of the model. The exit code is 0 if all hold, 2 if
the model cannot be opened, and 1 if a claim does not hold or does not apply, a check differs, or a file is not a tour.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from encoder import Backend
from encoder.errors import HeadlightError, TourError
from encoder.models.passport import Passport
from encoder.runs.generation import Generation
from viz.claims.of_tables import TableSubject, table_subject
from viz.claims.outcome import Outcome, work_out
from viz.claims.stops import open_encoder, open_writer, subject_of, written_by
from viz.claims.subject import Subject
from viz.commands import add_check
from viz.recipes.runner import StepRunner
from viz.state.selection import DEFAULT, Selection
from viz.tours.files import MOST_BYTES, read_tour
from viz.tours.grammar import format_claim
from viz.tours.shipped import NAMES, path_of
from viz.tours.tour import Stop, Tour
from viz.tours.visiting import selection_at

MARKS = {True: "✓", False: "✗", None: "–"}
OUTCOMES = {"holds": "✓", "differs": "✗", "does not apply": "–"}


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m viz.tours`. Returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m viz.tours", description="Work with tours.")
    commands = parser.add_subparsers(dest="command", required=True)
    add_check(commands.add_parser("check", help="say which claims of tours hold, with their numbers"))
    return check(parser.parse_args(arguments))


def check(options: argparse.Namespace) -> int:
    """Check the tours that the options name. Returns the exit code."""
    if not (options.files or options.model):
        sys.stderr.write("Name a tour, or a model with --model.\n")
        return 2
    if options.json if options.files else options.writer:
        sys.stderr.write("--json is for a model without a tour, and --writer for a tour.\n")
        return 2
    try:
        if options.model and not options.files:
            return _write_passport(open_encoder(options.model, asked=True).passport, as_json=options.json)
        if options.model:
            open_encoder(options.model, asked=True)
        if options.writer:
            open_writer(options.writer, asked=True)
    except HeadlightError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    files = [path for named in options.files for path in _files_of(named)]
    results = [_check_file(path, options.model, options.writer) for path in files]
    return 0 if results and all(results) else 1


def _write_passport(passport: Passport, *, as_json: bool) -> int:
    """Print the checks of a model. Returns the exit code."""
    if as_json:
        _write(json.dumps([asdict(check) for check in passport.checks], indent=2, ensure_ascii=False))
    else:
        for check in passport.checks:
            _write(f"{OUTCOMES[check.outcome]} {check.name}: {check.sentence}")
        _write(f"{passport.summary}.")
    return 1 if passport.remarks else 0


def _files_of(named: Path) -> list[Path]:
    """The tours in a folder, the tour of a name, or the file itself."""
    if named.is_dir():
        return sorted(named.glob("*.md"))
    return [path_of(str(named)) if str(named) in NAMES and not named.exists() else named]


def read_file(path: Path) -> Tour:
    """The tour in a file.

    Raises:
        TourError: the file cannot be read, or holds no tour.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise TourError(1, f"The file cannot be read ({error.strerror}).") from error
    return read_tour(data)


def outcomes_at(stop: Stop, page: Selection, *, model: str | None, writer: str | None) -> list[Outcome]:
    """The outcomes of a stop's claims.

    Args:
        page: the selection before the stop.
        model, writer: names for all stops; None uses those of the stop or the page.
    """
    if not stop.claims:
        return []
    try:
        subject = _subject_at(selection_at(stop, page), model, writer)
    except HeadlightError as error:
        return [Outcome(claim=claim, holds=None, why=str(error)) for claim in stop.claims]
    return [work_out(claim, subject) for claim in stop.claims]


def _subject_at(shown: Selection, model: str | None, writer: str | None) -> Subject | Generation | TableSubject:
    if shown.shows_decoder:
        return written_by(shown, open_writer(writer or shown.decoder.model, asked=bool(writer)))
    backend = open_encoder(model or shown.model, asked=bool(model))
    if shown.shows_collection:
        return table_subject(replace(shown, model=backend.name), _steps_of(backend))
    return subject_of(shown, backend)


@cache  # for the other stops of a command, which are often about the same table
def _steps_of(backend: Backend) -> StepRunner:
    return StepRunner(lambda _: backend)


def _check_file(path: Path, model: str | None, writer: str | None) -> bool:
    """Print the outcomes of a file. Returns whether it is a tour whose claims all hold."""
    try:
        tour = read_file(path)
    except TourError as error:
        _write(f"{path}: {error}")
        return False
    _write(f"{path}: {tour.title}")
    page = replace(DEFAULT, model=model or DEFAULT.model)
    outcomes = []
    for number, stop in enumerate(tour.stops, 1):
        _write(f"  {number} {stop.title}")
        for outcome in outcomes_at(stop, page, model=model, writer=writer):
            outcomes.append(outcome)
            _write(f"    {MARKS[outcome.holds]} {format_claim(outcome.claim)}  {outcome.sentence}")
        page = selection_at(stop, page)
    counts = {holds: sum(outcome.holds is holds for outcome in outcomes) for holds in MARKS}
    _write(f"  {len(outcomes)} claims: {counts[True]} hold, {counts[False]} do not hold, {counts[None]} do not apply.")
    return counts[True] == len(outcomes)


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
