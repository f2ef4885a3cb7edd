"""What an encoder-decoder wrote, on a slide."""

from __future__ import annotations

from encoder.errors import SelectionError
from encoder.measures.units import units_of
from encoder.runs.generation import Generation
from viz.answers.decoder import step_shown
from viz.exports.generations import PARTS
from viz.exports.slides import ALL_PARTS, LivePicture, TokenLine
from viz.payloads.copied_tokens import marks_of_copies
from viz.state.messages import shared_selection
from viz.state.selection import Selection
from viz.tours.pointing import placed_points, texts_of_writer
from viz.tours.tour import Stop
from viz.wording.labels import make_visible


def picture_of_writer(stop: Stop, selection: Selection, generation: Generation, run: int) -> LivePicture:
    """The picture of a stop in the view Decoder, as it is after the stop's step.

    Args:
        run: the number of the generation's run among those of the slides.
    Raises:
        SelectionError: the picture takes one attention, and the stop shows all three.
    """
    decoder = selection.decoder
    if decoder.kind == "all" and decoder.picture == "neuron view":
        raise SelectionError("The neuron view takes one head of one attention: the stop names all three.")
    source, target = (
        units_of(half.tokens, level=selection.level, special=selection.special)
        for half in (generation.source, generation.target)
    )
    step = step_shown(generation, decoder.step)
    written = sum(members[0] <= step for members in target.members)
    points = placed_points(stop.points, texts_of_writer(generation, decoder.kind))
    return LivePicture(
        view=decoder.picture,
        runs=(run,),
        selection=shared_selection(selection) | {"points": points},
        part=ALL_PARTS if decoder.kind == "all" else list(PARTS).index(decoder.kind),
        until=len(source) + written,
        marks=marks_of_copies(generation, decoder.kind, source, target, until=written),
    )


def written_line(selection: Selection, generation: Generation) -> TokenLine:
    """What the decoder read at every step up to the one that is looked at, and what it wrote."""
    count = step_shown(generation, selection.decoder.step) + 1
    read = map(make_visible, generation.target.tokens.labels[:count])
    wrote = map(make_visible, generation.written.labels[:count])
    caption = (
        f"“{generation.source.tokens.sentences[0]}”: at each step the decoder reads a token, and writes the one below"
    )
    return TokenLine(caption, tuple(zip(read, wrote, strict=True)))
