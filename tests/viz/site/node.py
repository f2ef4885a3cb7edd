"""Runs the site's JavaScript on values of Python."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

NODE = Path(".venv/bin/node")


def run_node(script: str, folder: Path, *given: object) -> Any:
    """What a script of this folder prints as JSON; it gets each value as a file of JSON."""
    paths = [folder / f"{index}.json" for index in range(len(given))]
    for path, value in zip(paths, given, strict=True):
        path.write_text(json.dumps(value), encoding="utf-8")
    command = [NODE, Path(__file__).with_name(script), *paths]
    return json.loads(subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout)
