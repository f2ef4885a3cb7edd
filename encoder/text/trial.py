"""A process in which a tokenizer reads each text first, so that this one reads only what takes little time and memory.

The library searches regular expressions by backtracking and holds Python's lock meanwhile. A short text can take
minutes, in which the server answers nobody, and nothing within a process can stop it.
"""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import weakref
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import IO, cast

from tokenizers import Tokenizer

if sys.platform != "win32":
    import resource

SECONDS = 3  # to load the tokenizer, and for the texts that are read at once
MOST_BYTES = 2_000_000_000  # of the process's address space; a vocabulary of 250,000 tokens takes a tenth
READ = "read\n"
GIVES_UP = f"it takes over {SECONDS} s or {MOST_BYTES / 1e9:.0f} GB, or too many steps of a regular expression"


class Trial:
    """Reads texts with a tokenizer in another process. Thread-safe.

    The process ends with this object. A text that ends it is not read, and the next one starts another process.
    """

    def __init__(self, tokenizer: str) -> None:
        """`tokenizer` is the contents of a tokenizer.json."""
        self._tokenizer = tokenizer
        self._pipes: tuple[IO[str], IO[str]] | None = None  # to the process, and from it
        self._lock = Lock()

    def reads(self, *texts: str) -> bool:
        """Whether the tokenizer reads these texts within `SECONDS` and `MOST_BYTES`, and without a panic."""
        with self._lock:
            request, answer = self._pipes or self._start()
            with suppress(BrokenPipeError):
                request.write(f"{json.dumps(texts)}\n")
                request.flush()
            is_read = answer.readline() == READ
            if not is_read:
                self._end()
                self._pipes = None
            return is_read

    def _start(self) -> tuple[IO[str], IO[str]]:
        process = subprocess.Popen(
            [sys.executable, "-m", "encoder.text.trial"],
            cwd=Path(__file__).parents[2],
            env=os.environ | {"TOKENIZERS_PARALLELISM": "false"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._end = weakref.finalize(self, _end, process)
        self._pipes = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        with suppress(BrokenPipeError):
            self._pipes[0].write(f"{json.dumps(self._tokenizer)}\n")
        return self._pipes


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    with suppress(BrokenPipeError):  # of what was not sent yet
        process.communicate()


def _read_texts() -> None:
    """Load the tokenizer of the first line of the input, and read the texts of each other one."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    with suppress(OSError, ValueError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    tokenizer = Tokenizer.from_str(json.loads(sys.stdin.readline()))
    tokenizer.no_truncation()
    for line in sys.stdin:
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        for text in json.loads(line):
            tokenizer.encode(text)
            if tokenizer.normalizer is not None:  # also of what the tokenizer cuts at added tokens first
                tokenizer.normalizer.normalize_str(text)
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.write(READ)
        sys.stdout.flush()


if __name__ == "__main__":
    _read_texts()
