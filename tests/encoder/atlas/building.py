"""An atlas of the small corpus, built by the command."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from encoder.atlas.__main__ import main

MODEL = "scratch-untrained"


def command(corpus: Path, out: Path, *more: str) -> list[str]:
    given = ["build", "--model", MODEL, "--corpus", str(corpus), "--out", str(out), "--shard-size", "50"]
    return [*given, "--device", "cpu", "--workers", "1", *more]


def run(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(arguments)
    return (code, *capsys.readouterr())
