"""`python -m tests.mutants`: how many small mistakes in the code the tests notice, and which they do not."""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from collections import Counter
from pathlib import Path

from encoder.arguments import positive
from tests.mutants.running import PATIENCE, Job, Outcome, run_all, warm_up
from tests.mutants.sources import Mutant, mistakes_in, sampled
from tests.mutants.targets import FOLDERS, ROOT, nearest_tests, source_files

logger = logging.getLogger("mutants")


def main(arguments: list[str] | None = None) -> int:
    """Sample, run, report. The exit code is 1 where the tests fail on the program as it is."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("paths", nargs="*", default=FOLDERS, help=f"files or folders; else {', '.join(FOLDERS)}")
    parser.add_argument("--sample", type=positive, default=200, metavar="N", help="how many mutants (200)")
    parser.add_argument("--seed", type=int, default=0, help="another seed samples others (0)")
    parser.add_argument("--workers", type=positive, default=2, help="processes at a time (2)")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    mistakes = [
        mistake
        for path in source_files(given.paths)
        for mistake in mistakes_in(path, (ROOT / path).read_text(encoding="utf-8"))
    ]
    chosen = sampled(mistakes, given.sample, seed=given.seed)
    logger.info("%d mutants, out of %d mistakes with seed %d", len(chosen), len(mistakes), given.seed)
    warm_up()
    with tempfile.TemporaryDirectory(prefix="headlight-mutants-") as folder:
        log = Path(folder) / "pytest.log"
        tests = {mutant.path: nearest_tests(mutant.path) for mutant in chosen}
        seconds = time_unchanged(set(tests.values()), workers=given.workers, log=log)
        if seconds is None:
            logger.error("The tests fail without any mutant:\n%s", log.read_text(encoding="utf-8", errors="replace"))
            return 1
        jobs = [Job(tests[mutant.path], limit(seconds[frozenset(tests[mutant.path])]), mutant) for mutant in chosen]
        outcomes: list[tuple[Mutant, Outcome]] = []
        for job, outcome, took in run_all(jobs, workers=given.workers, log=log):
            if job.mutant is not None:
                outcomes.append((job.mutant, outcome))
                where = f"{job.mutant.path}:{job.mutant.line}"
                logger.info("%4d of %d  %-8s %5.1f s  %s", len(outcomes), len(jobs), outcome, took, where)
    report(outcomes)
    return 0


def time_unchanged(selections: set[tuple[str, ...]], *, workers: int, log: Path) -> dict[frozenset[str], float] | None:
    """Seconds that the tests of each selection take on the program as it is, or None where one of them fails."""
    seconds = {}
    once = {frozenset(tests): tests for tests in selections}.values()  # not once for each order
    for job, outcome, took in run_all([Job(tests, 600.0) for tests in once], workers=workers, log=log):
        if outcome != "survived":
            return None
        seconds[frozenset(job.tests)] = took
    return seconds


def limit(seconds: float) -> float:
    """How long a mutant's tests may take: one that runs on for ever is noticed, too."""
    constant, factor = PATIENCE
    return constant + factor * seconds


def report(outcomes: list[tuple[Mutant, Outcome]]) -> None:
    """The share that was noticed, by folder and in all, and every mutant that was not."""
    survivors = sorted(
        (mutant for mutant, outcome in outcomes if outcome == "survived"), key=lambda m: (m.path, m.line)
    )
    for mutant in survivors:
        logger.info("\n%s, line %d\n%s", mutant.path, mutant.line, mutant.diff)
    all_of, lost = Counter(m.path.parent for m, _ in outcomes), Counter(m.path.parent for m in survivors)
    for folder, count in sorted(all_of.items()):
        logger.info("%s: %d of %d killed", folder, count - lost[folder], count)
    killed = len(outcomes) - len(survivors)
    logger.info("%d of %d killed, %.1f %%", killed, len(outcomes), 100 * killed / max(1, len(outcomes)))


if __name__ == "__main__":
    raise SystemExit(main())
