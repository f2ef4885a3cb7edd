"""What can go wrong, as one small tree.

::

    HeadlightError
    ├── InputError             a text that cannot be encoded
    ├── ConfigError            an encoder configuration that contradicts itself
    ├── ShapeError             arrays that do not fit together
    ├── ArgumentError          arguments of a function that contradict each other, or make no sense
    ├── SelectionError         a layer, head or token that the trace does not have
    ├── NotFiniteError         a run with numbers that cannot be shown
    ├── NoProbesError          parts of speech of a model that no probes were trained for
    ├── NotCapturedError       scores, queries or keys of a model that did not hand them out
    ├── TraceFileError         a file that holds no trace, or a damaged one
    ├── TourError              a file that holds no tour, with the line that is wrong
    ├── InstallationError      an environment that lacks what the app needs
    ├── LaunchError            an app that cannot be started as it was asked to
    ├── AtlasError             a folder that holds no atlas, or one of something else
    ├── DataError              training or evaluation data that is missing, truncated or malformed
    └── ModelError             a model that cannot be loaded
        ├── UnknownModelError      no such name, id or folder
        ├── OfflineError           it would have to be downloaded, and the hub cannot be reached
        ├── CheckpointError        its files are missing, unsafe, corrupt or do not match
        ├── UnsupportedModelError  it loads, but it is no text encoder with attention
        └── DeviceError            the device that it is to run on is not there

Every message says what was wrong, the values seen, and what to do. Panels catch `HeadlightError` and
nothing else: any other exception is a bug and should be seen.
"""


class HeadlightError(Exception):
    """Base of every error that a person can do something about."""


class InputError(HeadlightError):
    """A text that cannot be encoded."""


class ConfigError(HeadlightError):
    """An encoder configuration that contradicts itself."""


class ShapeError(HeadlightError):
    """Arrays whose shapes do not fit together."""


class ArgumentError(HeadlightError):
    """Arguments of a function that contradict each other, are missing, or make no sense."""


class SelectionError(HeadlightError):
    """A layer, head or token that the trace does not have."""


class NotFiniteError(HeadlightError):
    """A run with numbers that are NaN, infinite, or too large to be squared."""


class NoProbesError(HeadlightError):
    """Parts of speech of a model that no probes were trained for."""


class NotCapturedError(HeadlightError):
    """Scores, queries, keys or values of a model that hands out its attention weights only."""


class TraceFileError(HeadlightError):
    """A file that holds no trace, or a damaged one."""


class TourError(HeadlightError):
    """A file that holds no tour. Its message is one sentence, with the line that is wrong.

    Attributes:
        line: counted from 1.
    """

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"Line {line}: {sentence}")
        self.line = line


class InstallationError(HeadlightError):
    """A Python environment in which something is not installed that the app needs."""


class LaunchError(HeadlightError):
    """A port, a text or a model that the app cannot be started with."""


class AtlasError(HeadlightError):
    """A folder that holds no atlas, a damaged one, or one that was built from something else."""


class DataError(HeadlightError):
    """Training or evaluation data that is missing, truncated or malformed."""


class ModelError(HeadlightError):
    """A model that cannot be loaded."""


class UnknownModelError(ModelError):
    """No model of that name, id or folder."""


class OfflineError(ModelError):
    """The model would have to be downloaded, and the hub cannot be reached."""


class CheckpointError(ModelError):
    """Model files that are missing, unsafe, corrupt or do not match their configuration."""


class UnsupportedModelError(ModelError):
    """A model that loads, but is no text encoder with attention."""


class DeviceError(ModelError):
    """A device to run models on that is not there."""
