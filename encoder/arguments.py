"""Whole numbers in the arguments of commands: a `type` of argparse, which refuses others in a sentence."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """A number from 1."""
    return _number(text, least=1)


def from_zero(text: str) -> int:
    """A number from 0."""
    return _number(text, least=0)


def _number(text: str, *, least: int) -> int:
    if not (text.isascii() and text.isdigit() and int(text) >= least):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number from {least}")
    return int(text)
