"""Makes the runs that the claims of a stop are about, without a page."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar

import encoder
from encoder import Backend
from encoder.catalogue import Writer, load_writer, write
from encoder.errors import UnknownModelError
from encoder.offers import needs_consent
from encoder.runs.generation import Generation
from viz.claims.subject import Subject, subject_of_runs
from viz.state.selection import Selection

Model = TypeVar("Model")


def subject_of(selection: Selection, backend: Backend) -> Subject:
    """The runs of an encoder that a selection shows. Raises InputError."""
    traces = [backend.trace(a, b, links=links) for a, b, links in selection.changed_runs]
    return subject_of_runs(backend, traces)


def written_by(selection: Selection, writer: Writer) -> Generation:
    """What an encoder-decoder writes about a selection's text. Raises InputError."""
    return write(writer, selection.decoder.task, selection.decoder.source)


def open_encoder(name: str, *, asked: bool) -> Backend:
    """A model by its name.

    Args:
        asked: whether a user named it. A model named by a tour is neither downloaded nor read from a folder.
    Raises:
        ModelError: it cannot be opened, or was not asked for.
    """
    _refuse_unasked(name, asked=asked)
    return _loaded(encoder.load, name)


def open_writer(name: str, *, asked: bool) -> Writer:
    """An encoder-decoder by its name, as `open_encoder` opens an encoder."""
    _refuse_unasked(name, asked=asked)
    return _loaded(load_writer, name)


@cache  # for the other stops of a command
def _loaded(load: Callable[[str], Model], name: str) -> Model:
    return load(name)


def _refuse_unasked(name: str, *, asked: bool) -> None:
    if not asked and needs_consent(name):
        raise UnknownModelError(
            f"The stop names the model {name!r}, which is not opened unasked: name it with --model."
        )
