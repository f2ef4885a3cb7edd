"""`python -m bench`: all parts, or those that are named, into `bench/results/`.

Figures of each instruction set stand side by side. On a processor with AVX-512 the variables
ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 stand in for one without.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import (
    asking,
    atlas,
    attacks,
    changes,
    cold,
    cutting,
    forward,
    hover,
    lens,
    live_typing,
    load,
    lookups,
    memory,
    notebook,
    opening,
    report,
    site,
    table_views,
    tables,
    views,
    whole_way,
)
from bench.context import Context
from bench.machine import instructions, machine
from bench.measure import ROUNDS, Row
from bench.texts import Texts, long_text
from encoder.arguments import positive
from encoder.models.pretrained_points import register
from encoder.shipped.bundled import bundled_folder
from encoder.text.tokenizer import Tokenizer

PARTS: dict[str, Callable[[Context], Iterator[Row]]] = {
    "whole-way": whole_way.rows,
    "trace": forward.rows_of_traces,
    "opening": opening.rows,
    "encoder": forward.rows_of_encoders,
    "views": views.rows,
    "notebook": notebook.rows,
    "hover": hover.rows,
    "lens": lens.rows,
    "changes": changes.rows,
    "cutting": cutting.rows,
    "typing": live_typing.rows,
    "cold-start": cold.rows,
    "memory": memory.rows,
    "load": load.rows,
    "attacks": attacks.rows,
    "atlas": atlas.rows,
    "look-ups": lookups.rows,
    "asking": asking.rows,
    "texts": tables.rows,
    "texts-page": table_views.rows,
    "site": site.rows,
}
RESULTS = Path(__file__).parent / "results"

logger = logging.getLogger("bench")


def main() -> None:
    """Measure and write; what is not measured now keeps its figures, with their date and versions."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=main.__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all where none is named")
    parser.add_argument("--text", type=Path, help="a long text in the public domain")
    parser.add_argument("--rounds", type=positive, default=ROUNDS, help="figures that a median is of")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where results.md and results.json are written")
    given = parser.parse_args()
    if unknown := [name for name in given.parts if name not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}: choose from {', '.join(PARTS)}")
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    logger.setLevel(logging.INFO)
    register()  # keeps the loading of models quiet
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers and browser are stopped then, too
    texts = Texts(long_text(given.text), Tokenizer.from_folder(bundled_folder()))
    results = report.load(given.out)
    with tempfile.TemporaryDirectory(prefix="headlight-bench-") as folder:
        context = Context(Path(folder), texts, given.rounds)
        with context.stack:
            for name in given.parts or PARTS:
                logger.info("%s ...", name)
                rows = []
                for row in PARTS[name](context):
                    rows.append(row)
                    logger.info("  %s", " | ".join(report.cells(row)))
                    results[f"{name}, {instructions()}"] = report.part(machine(context.chromium), rows)
                    report.save(given.out, report.ordered(results, list(PARTS)))


if __name__ == "__main__":
    main()
