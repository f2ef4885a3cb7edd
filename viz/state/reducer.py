"""The one way in which the selection changes: a selection and a change give the next selection.

Every rule about fields that follow others is here. It needs no Streamlit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from encoder.measures.unit_attention import MEAN
from encoder.shipped.tasks import EXAMPLES as TASK_EXAMPLES
from viz.state.fields import with_values
from viz.state.selection import DEFAULT, Pins, Place, Run, Selection

Change = Mapping[str, Any]  # values by the names of viz.state.fields.FIELDS


def reduce(selection: Selection, change: Change) -> Selection:
    """The selection after a change.

    What the change itself sets is never overridden:

    - Pins belong to their text: another text, another way of encoding it, or another run of the decoder releases
      them. The decoder's step goes with them.
    - The lens finds its word anew in other sentences.
    - A number to explain finds its class or part of speech anew where it is another kind of number, and its word in
      other sentences, of which nothing is taken away yet.
    - A head that is chosen without `heads` is shown alone.
    - Another task brings its own example, unless a text of one's own was typed.
    """
    after = with_values(selection, change)
    if after.texts != selection.texts:
        after = replace(after, place=_without_pins(after.place))
    if (after.texts.a, after.texts.b) != (selection.texts.a, selection.texts.b):
        after = replace(after, word_lens=replace(after.word_lens, word_a=None, word_b=None))
        after = replace(after, why=replace(after.why, word=None, removed=0))
    if after.why.kind != selection.why.kind:
        after = replace(after, why=replace(after.why, label=None, removed=0))
    if after.why.side != selection.why.side:
        after = replace(after, why=replace(after.why, word=None, removed=0))
    if after.decoder.task != selection.decoder.task and after.decoder.source.strip() in ("", *TASK_EXAMPLES.values()):
        after = replace(after, decoder=replace(after.decoder, source=TASK_EXAMPLES[after.decoder.task]))
    if _written_run(after) != _written_run(selection):
        after = replace(after, decoder=replace(after.decoder, step=None, place=_without_pins(after.decoder.place)))
    if "head" in change:
        after = with_values(after, {"heads": "selected"})
    return with_values(after, change)


def reduce_apart(selection: Selection, change: Change, *, decoder: bool) -> Selection:
    """The selection after a change of the decoder's place, or of the encoder's, whichever of them the page shows."""
    if decoder == selection.shows_decoder:
        return reduce(selection, change)
    elsewhere = replace(selection, view="decoder" if decoder else DEFAULT.view)
    return replace(reduce(elsewhere, change), view=selection.view)


def within_model(selection: Selection, num_layers: int, num_heads: int) -> Selection:
    """The nearest selection that the model on the page has, with so many layers and heads."""
    place = selection.shown_place
    heads = place.heads
    if isinstance(heads, tuple) and any(head >= num_heads for head in heads):
        heads = tuple(head for head in heads if head < num_heads) or "selected"
    nearest = replace(
        place,
        layer=min(place.layer, num_layers - 1),
        head=MEAN if place.head == MEAN else min(place.head, num_heads - 1),
        heads=heads,
    )
    selection = selection.with_place(nearest)
    if selection.shows_decoder:
        return selection
    silenced = tuple(
        (layer, head) for layer, head in selection.word_lens.silenced if layer < num_layers and head < num_heads
    )
    tags = selection.tags if isinstance(selection.tags, str) else min(selection.tags, num_layers)
    return replace(selection, tags=tags, word_lens=replace(selection.word_lens, silenced=silenced))


def within_runs(selection: Selection, num_tokens: Mapping[Run, int], num_steps: int | None = None) -> Selection:
    """The selection without pins of tokens, and without the decoder's step, that there are not.

    Args:
        num_tokens: how many tokens each run on the page has. A pin in another run stays where one of these has as many.
        num_steps: in how many the decoder has written, where it has.
    """
    step = selection.decoder.step
    if num_steps is not None and step is not None and step >= num_steps:
        selection = replace(selection, decoder=replace(selection.decoder, step=None))
    place = selection.shown_place
    count = num_tokens.get(place.pins.run, max(num_tokens.values()))
    query, key = (
        None if position is None or position >= count else position for position in (place.pins.query, place.pins.key)
    )
    return selection.with_place(replace(place, pins=replace(place.pins, query=query, key=key)))


def _without_pins(place: Place) -> Place:
    return replace(place, pins=Pins(run=place.pins.run))


def _written_run(selection: Selection) -> tuple[str, str, str]:
    """What the decoder's run follows from."""
    decoder = selection.decoder
    return decoder.model, decoder.task, decoder.source
