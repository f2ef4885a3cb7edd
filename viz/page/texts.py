"""The text fields of the page, and what the browser receives after a run of their texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from encoder.text.tokens import Tokens
from viz.components.text_fields import key_of, text_fields
from viz.components.wires import host
from viz.page.browser_changes import receive_change
from viz.payloads.text_marks import text_marks
from viz.state import session
from viz.state.fields import value_of
from viz.state.messages import scope_of

SENTENCES: Mapping[str, str] = {"a": "Sentence A", "b": "Sentence B (optional)"}
SOURCE: Mapping[str, str] = {"source": "Text"}
SLOW = 0.3  # seconds of a run, above which texts are not run while the user types


def texts_payload(labels: Collection[str]) -> dict[str, Any]:
    """The state of the texts with these names, for the browser.

    Returns:
        `scope`: the model whose selection they belong to. `texts`: the texts. `linked`: the texts that the page's
        address restores. `held`: whether another key press may follow. `visit`: a name of the session. `answered`: the
        number of the last change of a text that was read.
    """
    selection, linked = session.current(), session.linked()
    scope = scope_of(selection)
    return {
        "scope": scope,
        "texts": {name: value_of(selection, name) for name in labels},
        "linked": {name: value_of(linked, name) for name in labels},
        "held": session.is_typing(),
        "visit": session.visit(),
        "answered": session.answered_text(scope),
    }


def draw_fields(labels: Mapping[str, str]) -> None:
    """Fields for texts of the selection, with a label over each."""
    key = key_of(labels)
    text_fields(labels, texts_payload(labels), key=key, on_selection=partial(receive_change, key))


def marks_of_fields(labels: Iterable[str], runs: Iterable[Tokens]) -> dict[str, dict[str, Any]]:
    """The marks of the fields with these names in their texts.

    Args:
        runs: the tokens of all texts together, or of each text; none if the run failed.
    """
    sentences = ((tokens, sentence) for tokens in runs for sentence in range(len(tokens.sentences)))
    return {name: text_marks(tokens, sentence) for name, (tokens, sentence) in zip(labels, sentences, strict=False)}


def report_runs(
    labels: Mapping[str, str],
    runs: Iterable[Tokens],
    seconds: float,
    *,
    alone: bool = False,
    direct: str | None = None,
) -> None:
    """Send the browser what follows from the run of the texts.

    Args:
        runs: as in `marks_of_fields`.
        seconds: expected duration of the next run of such texts.
        alone: whether the caller is a fragment that reruns by itself.
        direct: the address of `viz.page.direct`; None if the browser cannot use it.
    """
    host.texts_host(
        texts_payload(labels),
        marks=marks_of_fields(labels, runs),
        slow=seconds if seconds > SLOW else None,
        direct=direct,
        alone=alone,
        on_selection=partial(receive_change, host.TEXTS_KEY),
    )
