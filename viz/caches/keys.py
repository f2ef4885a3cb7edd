"""What kept values follow from, and how much memory they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from encoder import Trace
from encoder.runs.generation import Generation
from viz.payloads.message import Message


def key_of_trace(run: Trace) -> str:
    """What a run of an encoder, or of one half of an encoder-decoder, follows from, and how far it has come.

    It is one text, because Streamlit hashes a tuple number by number: 5 ms for 512 tokens, each time a cache is asked.
    """
    return repr((run.model_name, run.tokens.sentences, run.tokens.ids, run.silenced_heads, run.num_layers))


def key_of_generation(run: Generation) -> str:
    """What a run of an encoder-decoder follows from: its tokens tell the task as well."""
    return repr((key_of_trace(run.source), key_of_trace(run.target)))


BY_RUN: dict[str | type[Any], Callable[[Any], str]] = {Trace: key_of_trace, Generation: key_of_generation}


def size_of_trace(run: Trace) -> int:
    """Bytes of what a run holds; without the masks, which repeat one row."""
    arrays = [run.hidden_states, *run.embedding_parts.values()]
    for layer in run.layers:
        arrays += [array for _, array in layer.named_arrays("")]
    return sum(array.nbytes for array in arrays)


def key_of_message(run: Trace, **shown: Any) -> tuple[Any, ...]:
    """What a message of a run follows from, with the other arguments of the function that makes it."""
    return key_of_trace(run), *sorted(shown.items())


def size_of_message(message: Message) -> int:
    """Bytes that the browser is sent."""
    return len(message.data)
