"""Write a page that needs no server of its own: `headlight site build --out FOLDER`, or `python -m viz.site`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from encoder.errors import ArgumentError, HeadlightError
from encoder.extras import name_missing_extra
from encoder.shipped.names import BUNDLED
from viz.commands import Parser, add_site

BUNDLED_BYTES: Final = 45_000_000
MOST_BYTES: Final = 60_000_000  # of a model without a warning


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m viz.site`. Returns its exit code."""
    parser = Parser(prog="python -m viz.site", description="Write a page whose model runs in the visitor's browser.")
    add_site(parser)
    return run(parser.parse_args(arguments))


def run(options: argparse.Namespace) -> int:
    """Write the folder; 1 if it cannot be written."""
    try:
        with name_missing_extra():
            from threadpoolctl import threadpool_limits

            from viz.site.build import build, bytes_of
            from viz.site.models import open_model
            from viz.tours.shipped import NAMES

            if options.text_b and options.text is None:
                raise ArgumentError("--text-b needs --text.")
            texts = None if options.text is None else (options.text, options.text_b)
            lessons = options.lessons
            if lessons is None:
                lessons = NAMES if options.model == BUNDLED else ()
            model = open_model(options.model)
            size = bytes_of(model)
            if size > MOST_BYTES:
                sys.stdout.write(
                    f"{options.model} takes {size / 1e6:,.0f} MB; the bundled model takes "
                    f"{BUNDLED_BYTES / 1e6:.0f} MB. Visitors load a layer when they open it, "
                    "and only the words that they type.\n"
                )
            with threadpool_limits(1):  # the last bits of a sum depend on the number of threads
                sizes = build(options.out, model, texts, lessons=lessons)
    except ModuleNotFoundError as error:
        sys.stderr.write(f"This needs the package {error.name}: pip install -r viz/site/requirements.txt\n")
        return 1
    except HeadlightError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"{options.out}: the page cannot be written there ({error.strerror}).\n")
        return 1
    sys.stdout.write(f"{options.out}: {len(sizes)} files, {sum(sizes.values()):,} bytes. To look at it:\n")
    sys.stdout.write(f"python -m http.server --directory {options.out}\n")
    return 0
