"""The text fields of the page, and what they are told after the run of their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from encoder.text.tokens import Tokens
from viz.components.text_fields import text_fields
from viz.components.text_marks import text_marks
from viz.payloads.text_marks import text_marks as marks_of
from viz.state import session, typed
from viz.state.fields import value_of

SENTENCES: Mapping[str, str] = MappingProxyType({"a": "Sentence A", "b": "Sentence B (optional)"})
SOURCE: Mapping[str, str] = MappingProxyType({"source": "Text"})
SLOW = 0.3  # seconds of a run, from which on texts are not run while somebody types


def draw_fields(labels: Mapping[str, str]) -> None:
    """Fields for texts of the selection, with what stands over each of them."""
    shown, key = session.current(), _key(labels)
    text_fields(
        labels,
        texts={name: value_of(shown, name) for name in labels},
        linked=_linked(labels),
        answered=typed.answered(key),
        visit=typed.visit(),
        key=key,
        on_typed=typed.on_typed_message(key, labels),
    )


def marks_of_fields(labels: Iterable[str], runs: Iterable[Tokens]) -> dict[str, dict[str, Any]]:
    """What the fields with these names mark in their texts.

    Args:
        runs: the tokens of all texts together, or of each alone; none where they could not be run.
    """
    sentences = ((tokens, sentence) for tokens in runs for sentence in range(len(tokens.sentences)))
    return {name: marks_of(tokens, sentence) for name, (tokens, sentence) in zip(labels, sentences, strict=False)}


def draw_marks(
    labels: Mapping[str, str],
    runs: Iterable[Tokens],
    seconds: float,
    *,
    alone: bool = False,
    direct: str | None = None,
) -> None:
    """Tell the fields what is known of their texts.

    Args:
        runs: as in `marks_of_fields`.
        seconds: what the next run of such texts may take.
        alone: whether the part of the page that this is in is drawn by itself.
        direct: where the browser finds the picture of what is typed; None where there is no such place.
    """
    fields = _key(labels)
    key = f"{fields}_marks"
    text_marks(
        marks_of_fields(labels, runs),
        fields=fields,
        answered=typed.answered(fields),
        slow=seconds if seconds > SLOW else None,
        linked=_linked(labels),
        alone=alone,
        direct=direct,
        key=key,
        on_typed=typed.on_typed_message(fields, labels, sender=key),
    )


def _linked(labels: Iterable[str]) -> dict[str, str]:
    """The texts of these fields that the page's address brings back."""
    linked = session.linked()
    return {name: value_of(linked, name) for name in labels}


def _key(labels: Mapping[str, str]) -> str:
    return f"texts_{'_'.join(labels)}"
