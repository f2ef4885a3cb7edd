"""What a view of typed texts shows: an encoder's runs of one or two sentences, or what an encoder-decoder writes.

Both classes have the same methods. The page draws both alike: `viz.page.body` and `viz.page.connection` know no kinds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from encoder import Trace
from encoder.measures.unit_attention import MEAN
from encoder.runs.generation import Generation
from encoder.runs.trace import excerpts
from encoder.text.tokens import USUAL_TOKENS, Tokens
from viz.caches import run_cache
from viz.page import loading
from viz.page.around_view import choose_heads, offer_silencing, ranks_heads, show_links, show_tokens
from viz.page.quantity_choice import explain_quantity
from viz.page.runs import run_encoder, write
from viz.page.tour_on_stage import stop_of_view
from viz.payloads.message import Message
from viz.state.selection import Run, Selection
from viz.tours.pointing import Texts, texts_of_writer
from viz.views.registered import PANELS, Panel
from viz.widgets.canvas import choose_run
from viz.widgets.cuts import show_cuts
from viz.widgets.first_answer import wait_until_painted
from viz.wording.explanations import Explanation

HEAD_CARD = "viz.page.head_card"  # imports pyarrow, which blocks the server
MessageOf = Callable[[tuple[int, ...]], Message | None]


@dataclass(frozen=True, slots=True)
class EncoderRuns:
    """The traces of the "pair", or of the sentences "A" and "B" alone."""

    traces: Mapping[str, Trace]
    num_steps: None = None  # nothing is written

    @property
    def num_layers(self) -> int:
        """Of the model."""
        return next(iter(self.traces.values())).num_layers

    @property
    def num_tokens(self) -> int:
        """Of the longest picture."""
        return max(len(tokens) for tokens in self.texts)

    @property
    def texts(self) -> Sequence[Tokens]:
        """The tokens of the typed texts, together or each."""
        return [trace.tokens for trace in self.traces.values()]

    @property
    def sizes(self) -> Mapping[Run, int]:
        """The number of tokens of each run, which the pins are in."""
        return {"A": len(self.texts[0]), "B": len(self.texts[-1])}

    def points(self, selection: Selection) -> Texts:
        """The tokens in which the points of a tour's stop are found."""
        runs = {place: trace.tokens for place, trace in self._excerpts(selection).items()}
        return Texts(queries=runs, keys=runs)

    def messages(self, panel: Panel, selection: Selection) -> Mapping[str, MessageOf]:
        """Functions that make the message of some layers, by the place of each view."""
        sends = panel.layers
        if sends is None:
            return {}
        return {place: partial(sends, trace, selection) for place, trace in self._excerpts(selection).items()}

    def show_texts(self, panel: Panel, selection: Selection) -> None:
        """The tokens."""
        words = panel.find_words(self.traces, selection) if panel.find_words else None
        show_tokens(list(self.traces.values()), selection, words=(words.a, words.b) if words else ())

    def show_above(self, selection: Selection) -> Callable[[], None] | None:
        """What cut links change. Returns what shows the rest of it, if that is slow."""
        return show_cuts(self.traces, selection)

    def show_view(self, panel: Panel, selection: Selection) -> Explanation | None:
        """The view, or a sentence if it is not for a text as long."""
        if self.num_tokens <= USUAL_TOKENS or panel.long_texts != "none":
            shown = self._excerpts(selection) if panel.long_texts == "excerpt" else self.traces
            return panel.draw(shown, selection, stop_of_view(selection))
        others = ", ".join(
            other.title for other in PANELS.values() if other.long_texts != "none" and other.group != "export"
        )
        st.info(
            f"{panel.title} is for texts of up to {USUAL_TOKENS} tokens, and this one has {self.num_tokens:,}. "
            f"Views for longer texts: {others}."
        )
        return None

    def show_selected(self, panel: Panel, selection: Selection) -> Callable[[], None] | None:
        """The strongest links of the selected head, or the offer to silence it. Returns what shows the rest."""
        if self.num_tokens > USUAL_TOKENS or selection.stage:
            return None
        if ranks_heads(selection):
            return show_links(self.traces, selection)
        if selection.view == "model view" and selection.head != MEAN:
            offer_silencing(self.traces, selection)
        return None

    def show_beside(self, panel: Panel, name: str, selection: Selection) -> None:
        """The map of all heads, the measure, and the card of the head."""
        shown = self._excerpts(selection)
        if panel.shows_map:
            place = choose_run(shown, selection)
            if run_cache.units(shown[place], level=selection.level, special=selection.special):
                choose_heads(shown[place], selection, place=place)
        explain_quantity(shown, selection)
        if panel.shows_one_head and panel.group != "ask":  # there the answer says what the head does
            wait_until_painted(key="head_card", wanted=HEAD_CARD not in sys.modules)
            from viz.page.head_card import show_head_card

            show_head_card(name)

    def show_last(self, selection: Selection) -> None:
        """What is slower than all else: nothing, as folds of the views are computed when they are opened."""

    def _excerpts(self, selection: Selection) -> dict[str, Trace]:
        return excerpts(self.traces, selection.first)


@dataclass(frozen=True, slots=True)
class WrittenText:
    """What an encoder-decoder writes from a text."""

    generation: Generation

    @property
    def num_layers(self) -> int:
        return self.generation.num_layers

    @property
    def num_tokens(self) -> int:
        return len(self.generation.source.tokens) + len(self.generation.target.tokens)

    @property
    def texts(self) -> Sequence[Tokens]:
        return [self.generation.source.tokens]

    @property
    def sizes(self) -> Mapping[Run, int]:
        return {"decoder": self.num_tokens}

    @property
    def num_steps(self) -> int:
        """Of what is written."""
        return len(self.generation.written)

    def points(self, selection: Selection) -> Texts:
        return texts_of_writer(self.generation, selection.decoder.kind)

    def messages(self, panel: Panel, selection: Selection) -> Mapping[str, MessageOf]:
        return {"decoder": partial(panel.layers, self.generation, selection)} if panel.layers else {}

    def show_texts(self, panel: Panel, selection: Selection) -> None:
        from viz.views.decoder.widgets import show_texts

        show_texts(self.generation, selection)

    def show_above(self, selection: Selection) -> None:
        """Nothing: no link of this model can be cut."""

    def show_view(self, panel: Panel, selection: Selection) -> Explanation | None:
        return panel.draw(self.generation, selection)

    def show_selected(self, panel: Panel, selection: Selection) -> None:
        """The attention of the selected head to the copied tokens."""
        from viz.views.decoder.widgets import show_alignment

        show_alignment(self.generation, selection)

    def show_beside(self, panel: Panel, name: str, selection: Selection) -> None:
        from viz.views.decoder.widgets import show_small_map

        show_small_map(self.generation, selection)
        explain_quantity({}, selection)

    def show_last(self, selection: Selection) -> None:
        """The texts written from earlier states of the encoder."""
        from viz.views.decoder.widgets import show_lens

        show_lens(self.generation, selection)


ShownRuns = EncoderRuns | WrittenText


def runs_of(panel: Panel, name: str, selection: Selection) -> ShownRuns:
    """The runs of the texts that a view shows.

    Raises:
        InputError: a text cannot be read.
        SelectionError: no link can be cut in this model.
    """
    if panel.of == "generation":
        return WrittenText(write(name, selection))
    return EncoderRuns(run_encoder(name, selection))


def wait_for_model(panel: Panel, name: str, selection: Selection) -> None:
    """Wait until the model is loaded, unless the view shows stored runs alone."""
    if (
        panel.needs_model
        or not selection.draws_weights
        or any(run_cache.stored_trace(name, *texts) is None for texts in selection.runs)
    ):
        loading.wait()
