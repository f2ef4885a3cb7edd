"""Write the run that the page opens with: `python -m encoder.training.first_run`."""

from __future__ import annotations

from encoder.catalogue import load
from encoder.shipped.first_run import FILE, FIRST_TEXTS, shrink
from encoder.shipped.names import BUNDLED


def main() -> None:
    """Run the bundled model on the first example and store what cannot be derived."""
    FILE.write_bytes(shrink(load(BUNDLED).trace(*FIRST_TEXTS)))


if __name__ == "__main__":
    main()
