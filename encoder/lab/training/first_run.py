"""Write the runs that the page opens with: `python -m encoder.lab.training.first_run`."""

from __future__ import annotations

from encoder.catalogue import load
from encoder.runs.trace import Trace
from encoder.runs.trace_file import pack, unpack
from encoder.shipped.bundled import run_fingerprint
from encoder.shipped.first_run import FILES
from encoder.shipped.names import BUNDLED

STORED = ("hidden_states", "prediction.")  # name prefixes of the arrays that `encoder.shipped.first_run` cannot derive


def shrink(trace: Trace) -> bytes:
    """A run of the bundled model in its file format, without what can be derived."""
    arrays, about = unpack(trace.to_bytes())
    stored = {name: array for name, array in arrays.items() if name.startswith(STORED)}
    return pack(stored, about | {"weights": run_fingerprint()})


def main() -> None:
    """Run the bundled model on each sentence of the first example."""
    model = load(BUNDLED)
    for text, file in FILES.items():
        file.write_bytes(shrink(model.trace(text)))


if __name__ == "__main__":
    main()
