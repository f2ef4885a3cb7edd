"""The text fields of the page, and what they are told after the run of their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from encoder.text.tokens import Tokens
from viz.components.text_fields import text_fields
from viz.components.wires import host
from viz.page.hearing import hear
from viz.payloads.text_marks import text_marks
from viz.state import session
from viz.state.fields import value_of
from viz.state.messages import scope_of

SENTENCES: Mapping[str, str] = MappingProxyType({"a": "Sentence A", "b": "Sentence B (optional)"})
SOURCE: Mapping[str, str] = MappingProxyType({"source": "Text"})
SLOW = 0.3  # seconds of a run, from which on texts are not run while somebody types


def told(labels: Iterable[str]) -> dict[str, Any]:
    """What the browser is told of the texts with these names.

    Returns:
        `scope`: whose selection they belong to. `texts`: what the page holds. `linked`: what its address brings back.
        `held`: whether another key may follow. `visit`: a name of the session. `answered`: the number of the last
        change that was read.
    """
    selection, linked = session.current(), session.linked()
    scope = scope_of(selection)
    return {
        "scope": scope,
        "texts": {name: value_of(selection, name) for name in labels},
        "linked": {name: value_of(linked, name) for name in labels},
        "held": session.is_typing(),
        "visit": session.visit(),
        "answered": session.answered(scope),
    }


def draw_fields(labels: Mapping[str, str]) -> None:
    """Fields for texts of the selection, with what stands over each of them."""
    key = f"texts_{'_'.join(labels)}"
    text_fields(labels, told(labels), key=key, on_selection=partial(hear, key))


def marks_of_fields(labels: Iterable[str], runs: Iterable[Tokens]) -> dict[str, dict[str, Any]]:
    """What the fields with these names mark in their texts.

    Args:
        runs: the tokens of all texts together, or of each alone; none where they could not be run.
    """
    sentences = ((tokens, sentence) for tokens in runs for sentence in range(len(tokens.sentences)))
    return {name: text_marks(tokens, sentence) for name, (tokens, sentence) in zip(labels, sentences, strict=False)}


def tell_runs(
    labels: Mapping[str, str],
    runs: Iterable[Tokens],
    seconds: float,
    *,
    alone: bool = False,
    direct: str | None = None,
) -> None:
    """Tell the browser what is known of the texts after their run.

    Args:
        runs: as in `marks_of_fields`.
        seconds: what the next run of such texts may take.
        alone: whether the part of the page that this is in is drawn by itself.
        direct: where the browser finds the picture of what is typed; None where there is no such place.
    """
    host.texts_host(
        told(labels),
        marks=marks_of_fields(labels, runs),
        slow=seconds if seconds > SLOW else None,
        direct=direct,
        alone=alone,
        on_selection=partial(hear, host.TEXTS_KEY),
    )
