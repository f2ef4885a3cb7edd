"""The errors of Headlight, as one small tree.

::

    HeadlightError
    ├── InputError             a text that cannot be encoded
    ├── ConfigError            an inconsistent encoder configuration
    ├── ShapeError             arrays whose shapes do not match
    ├── ArgumentError          contradictory or meaningless arguments of a function
    ├── SelectionError         a layer, head or token that the trace does not have
    ├── NotFiniteError         a run with numbers that are not finite
    ├── NoProbesError          a model without part-of-speech probes
    ├── NotCapturedError       scores, queries or keys that a model does not return
    ├── TraceFileError         a file that is not a trace, or is damaged
    ├── TourError              a file that is not a tour, with the faulty line
    ├── InstallationError      an environment in which a dependency is missing
    ├── LaunchError            an app that cannot start: invalid arguments, or a server that does not answer
    ├── AtlasError             a folder that is not an atlas, or does not match
    ├── DataError              training or evaluation data that is missing, truncated or malformed
    └── ModelError             a model that cannot be loaded
        ├── UnknownModelError      no such name, id or folder
        ├── OfflineError           it must be downloaded, and the hub cannot be reached
        ├── CheckpointError        its files are missing, unsafe, corrupt or do not match
        ├── UnsupportedModelError  it loads, but is not a text encoder with attention
        └── DeviceError            the device does not exist

Every message says what was wrong, the values seen, and what to do. Panels and commands catch
`HeadlightError` and nothing else: any other exception is a bug and should be seen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec

P = ParamSpec("P")


class HeadlightError(Exception):
    """Base of all errors that a user can act on."""


class InputError(HeadlightError):
    """A text that cannot be encoded."""


class ConfigError(HeadlightError):
    """An inconsistent encoder configuration."""


class ShapeError(HeadlightError):
    """Arrays whose shapes do not match."""


class ArgumentError(HeadlightError):
    """Contradictory, missing or meaningless arguments of a function."""


class SelectionError(HeadlightError):
    """A layer, head or token that the trace does not have."""


class NotFiniteError(HeadlightError):
    """A run with numbers that are NaN, infinite, or too large to be squared."""


class NoProbesError(HeadlightError):
    """A model for which no part-of-speech probes were trained."""


class NotCapturedError(HeadlightError):
    """Scores, queries, keys or values of a model that returns its attention weights only."""


class TraceFileError(HeadlightError):
    """A file that is not a trace, or is damaged."""


class TourError(HeadlightError):
    """A file that is not a tour. The message names the faulty line.

    Attributes:
        line: counted from 1.
    """

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"Line {line}: {sentence}")
        self.line = line


class InstallationError(HeadlightError):
    """A Python environment in which a dependency of the app is missing."""


class LaunchError(HeadlightError):
    """An app that cannot start: invalid arguments, or a server that does not answer."""


class AtlasError(HeadlightError):
    """A folder that is not an atlas, is damaged, or was built from something else."""


class DataError(HeadlightError):
    """Training or evaluation data that is missing, truncated or malformed."""


class ModelError(HeadlightError):
    """A model that cannot be loaded."""


class UnknownModelError(ModelError):
    """No model of that name, id or folder."""


class OfflineError(ModelError):
    """The model must be downloaded, and the hub cannot be reached."""


class CheckpointError(ModelError):
    """Model files that are missing, unsafe, corrupt or do not match their configuration."""


class UnsupportedModelError(ModelError):
    """A model that loads, but is not a text encoder with attention."""


class DeviceError(ModelError):
    """A device that does not exist."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A question about the name that is most like a misspelt one, after a space; "" if none is."""
    by_case = {each.casefold(): each for each in names}
    return "".join(f" Did you mean {by_case[each]!r}?" for each in get_close_matches(name.casefold(), by_case, 1))


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ArgumentError unless the argument of that name is one of the choices."""
    if value not in choices:
        raise ArgumentError(f"{name} is {value!r}: it can be {', '.join(map(repr, choices))}.")


def reports_errors(command: Callable[P, int]) -> Callable[P, int]:
    """A command that writes what a user can act on to stderr and returns 1, instead of raising it."""

    @wraps(command)
    def reporting(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return command(*args, **kwargs)
        except HeadlightError as error:
            sys.stderr.write(f"{error}\n")
            return 1

    return reporting
