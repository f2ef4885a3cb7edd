"""Write the runs that the page opens with: `python -m encoder.training.first_run`."""

from __future__ import annotations

from encoder.catalogue import load
from encoder.shipped.first_run import FILES, shrink
from encoder.shipped.names import BUNDLED


def main() -> None:
    """Run the bundled model on each sentence of the first example, and store what cannot be derived."""
    model = load(BUNDLED)
    for text, file in FILES.items():
        file.write_bytes(shrink(model.trace(text)))


if __name__ == "__main__":
    main()
