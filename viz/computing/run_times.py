"""How long models take for texts of about some length, as far as they were run.

A run that was read from a file is none: reading says nothing of how long the next text will take. Only the bundled
model's runs are kept in files, so that any other model is known after two texts, the examples among them.
"""

from __future__ import annotations

SAMPLES = 2  # of the last runs the fastest counts: a model's very first run is slower than all others


class RunTimes:
    """The last runs of every model, by the power of two that its text's length reaches. Any thread may ask."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[str, int], tuple[float, ...]] = {}

    def note(self, model_name: str, num_tokens: int, seconds: float) -> None:
        """Remember a run."""
        key = model_name, num_tokens.bit_length()
        self._seconds[key] = (*self._seconds.get(key, ()), seconds)[-SAMPLES:]

    def expected(self, model_name: str, num_tokens: int) -> float | None:
        """What the next run may take in seconds; None where too few of such a length are known."""
        known = self._seconds.get((model_name, num_tokens.bit_length()), ())
        return min(known) if len(known) == SAMPLES else None
