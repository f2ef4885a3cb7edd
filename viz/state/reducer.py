"""The reducer: a selection and a change give the next selection.

All rules about fields that depend on others are here. It needs no Streamlit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from encoder.measures.unit_attention import MEAN
from encoder.shipped.tasks import EXAMPLES as TASK_EXAMPLES
from encoder.text.tokens import USUAL_TOKENS
from viz.state.codecs import Cut
from viz.state.fields import with_values
from viz.state.selection import DEFAULT, Pins, Place, Run, Selection, Substitute

Change = Mapping[str, Any]  # values by the names of viz.state.fields.FIELDS


def reduce(selection: Selection, change: Change) -> Selection:
    """The selection after a change.

    What the change itself sets is never overridden:

    - The decoder opens with its first step, and the anatomy's what-if without positions.
    - Another text or the other one of two, another way of encoding it, other tokens of a long text, or another run of
      the decoder releases the pins, and the decoder's step.
    - Another text, another way of encoding it, or another model restores all cut links.
    - Pinned tokens are the cell that the anatomy follows.
    - Other sentences reset the word of the lens, and are no row of the table, unless they were opened from it.
    - Another query or another table resets the hit that is explained, and another table the row that was opened.
    - Another word, another colour or another table resets the layer that the map of the word begins with.
    - Another kind of number to explain resets its class or part of speech, and the rival; other sentences reset its
      word, and the candidate for a mask. Both reset the number of removed words.
    - A head that is chosen without `heads` is shown alone.
    - Another task brings its own example, unless the user typed a text.
    """
    after = _opened(selection, with_values(selection, change))
    another_run = after.place.pins.run != selection.place.pins.run
    if another_run or (after.texts, after.first) != (selection.texts, selection.first):
        after = replace(after, place=_without_pins(after.place))
    if (after.texts, after.model) != (selection.texts, selection.model):
        after = replace(after, cuts=())
    if not after.shows_decoder and any(change.get(pin) is not None for pin in ("query", "key")):
        after = replace(after, anatomy=replace(after.anatomy, row=None, column=None))
    if (after.texts.a, after.texts.b) != (selection.texts.a, selection.texts.b):
        after = replace(after, word_lens=replace(after.word_lens, word_a=None, word_b=None))
        after = replace(after, why=replace(after.why, word=None, removed=0))
        if after.why.kind == "masked word":
            after = replace(after, why=replace(after.why, label=None, rival=None))
        if "from_row" not in change:
            after = replace(after, table=replace(after.table, opened=None))
    if (after.table.query, after.table.collection) != (selection.table.query, selection.table.collection):
        after = replace(after, table=replace(after.table, hit=None))
    if after.table.collection != selection.table.collection:
        after = replace(after, table=replace(after.table, opened=None))
    if _mapped(after) != _mapped(selection):
        after = replace(after, table=replace(after.table, map_state=None))
    if after.why.kind != selection.why.kind:
        after = replace(after, why=replace(after.why, label=None, rival=None, removed=0))
    if after.why.side != selection.why.side:
        after = replace(after, why=replace(after.why, word=None, removed=0))
    if after.decoder.task != selection.decoder.task and after.decoder.source.strip() in ("", *TASK_EXAMPLES.values()):
        after = replace(after, decoder=replace(after.decoder, source=TASK_EXAMPLES[after.decoder.task]))
    if _written_run(after) != _written_run(selection):
        after = replace(after, decoder=replace(after.decoder, step=None, place=_without_pins(after.decoder.place)))
    if "head" in change:
        after = with_values(after, {"heads": "selected"})
    return with_values(after, change)


def _opened(before: Selection, after: Selection) -> Selection:
    """The selection after a change, with what another view or step opens with."""
    if after.anatomy.step == "what-if" != before.anatomy.step and not after.anatomy.what_ifs:
        after = replace(after, anatomy=replace(after.anatomy, what_ifs=("no-positions",)))
    if after.shows_decoder and not before.shows_decoder and after.decoder.step is None:
        return replace(after, decoder=replace(after.decoder, step=0))
    return after


def reduce_apart(selection: Selection, change: Change, *, decoder: bool) -> Selection:
    """The selection after a change of the decoder's place or of the encoder's, independent of the open view."""
    if decoder == selection.shows_decoder:
        return reduce(selection, change)
    elsewhere = replace(selection, view="decoder" if decoder else DEFAULT.view)
    return replace(reduce(elsewhere, change), view=selection.view)


def within_model(selection: Selection, num_layers: int, num_heads: int) -> Selection:
    """The nearest selection that is valid for a model with so many layers and heads.

    A layer or a head that another model lacked is shown again.
    """
    place = selection.shown_place
    heads = place.heads
    if isinstance(heads, tuple) and any(head >= num_heads for head in heads):
        heads = tuple(head for head in heads if head < num_heads) or "selected"
    layer, head = shown = nearest_head(place.wanted, num_layers, num_heads)
    substitute = Substitute(place.wanted, shown) if shown != place.wanted else None
    nearest = replace(place, layer=layer, head=head, heads=heads, substitute=substitute)
    selection = selection.with_place(nearest)
    if selection.shows_decoder:
        return selection
    silenced = tuple(
        (layer, head) for layer, head in selection.word_lens.silenced if layer < num_layers and head < num_heads
    )
    tags = selection.tags if isinstance(selection.tags, str) else min(selection.tags, num_layers)
    cuts = tuple(cut for cut in selection.cuts if (cut.layer or 0) < num_layers and (cut.head or 0) < num_heads)
    return replace(selection, tags=tags, cuts=cuts, word_lens=replace(selection.word_lens, silenced=silenced))


def nearest_head(wanted: tuple[int, int], num_layers: int, num_heads: int) -> tuple[int, int]:
    """The layer and the head of a model that are nearest to the wanted ones; the mean over heads stays the mean."""
    layer, head = wanted
    return min(layer, num_layers - 1), MEAN if head == MEAN else min(head, num_heads - 1)


def within_runs(selection: Selection, num_tokens: Mapping[Run, int], num_steps: int | None = None) -> Selection:
    """The selection without pins, cut links and a decoder's step that are out of range.

    Args:
        num_tokens: the number of tokens of each run on the page. A pin in a run that is not on the page is compared
            with the longest of them.
        num_steps: the number of steps that the decoder has written; None without a decoder.
    """
    step = selection.decoder.step
    if num_steps is not None and step is not None and step >= num_steps:
        selection = replace(selection, decoder=replace(selection.decoder, step=None))
    selection = replace(selection, cuts=tuple(cut for cut in selection.cuts if _can_be_cut(cut, selection, num_tokens)))
    place = selection.shown_place
    count = num_tokens.get(place.pins.run, max(num_tokens.values()))
    if not selection.shows_decoder:
        count = min(count, USUAL_TOKENS)  # of an excerpt
    query, key = (
        None if position is None or position >= count else position for position in (place.pins.query, place.pins.key)
    )
    return selection.with_place(replace(place, pins=replace(place.pins, query=query, key=key)))


def _can_be_cut(cut: Cut, selection: Selection, num_tokens: Mapping[Run, int]) -> bool:
    """Whether a link is one of a run on the page: of its tokens, and not of a long text."""
    if cut.run == "B" and len(selection.runs) == 1:
        return False
    return cut.run not in num_tokens or max(cut.query + cut.key) < num_tokens[cut.run] <= USUAL_TOKENS


def _without_pins(place: Place) -> Place:
    return replace(place, pins=Pins(run=place.pins.run))


def _mapped(selection: Selection) -> tuple[str, str, str]:
    """What determines the layer in which the map of a word separates best."""
    table = selection.table
    return table.collection, table.word, table.colour


def _written_run(selection: Selection) -> tuple[str, str, str]:
    """What determines the decoder's run."""
    decoder = selection.decoder
    return decoder.model, decoder.task, decoder.source
