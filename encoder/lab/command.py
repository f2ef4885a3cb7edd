"""What the commands of the laboratory share."""

from __future__ import annotations

import argparse


def command_parser(module: str, about: str | None) -> argparse.ArgumentParser:
    """A parser of a module's arguments, described by the first line of its docstring."""
    return argparse.ArgumentParser(prog=f"python -m {module}", description=(about or "").partition("\n")[0])
