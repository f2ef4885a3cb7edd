"""The views of the page: a file or folder each, and one line in `PANELS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol

import streamlit as st

from encoder import Trace
from encoder.runs.generation import Generation
from viz.panels.canvas import layers_message
from viz.panels.room import fit_side_by_side, is_at_stop
from viz.payloads.message import Message
from viz.state.selection import Selection, View
from viz.wording.explanations import Explanation

if TYPE_CHECKING:
    from encoder.collection.table import Collection
    from viz.answers.word_lens.word import WordPlaces
    from viz.tours.tour import Stop

Group = Literal["look", "ask", "learn", "texts", "export"]
Traces = Mapping[str, Trace]  # of the "pair", or of the sentences "A" and "B" alone
DrawTraces = Callable[["Traces", Selection, "WordPlaces | None", "Stop | None"], Explanation | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What the page needs to know about a view.

    Attributes:
        title: on its button.
        shows: caption for an audience, in a few words.
        group: of views in the view row.
        shows_one_head: whether it follows the choice of layer and head.
        is_map: whether it is itself a map of all heads.
        filters_sentences: whether it follows the choice between attention within and across sentences.
        needs_model: whether it needs the model besides the traces of the page.
        in_browser: whether it follows the selection in the browser; otherwise Python renders it again.
        long_texts: whether it shows the whole run of more than `USUAL_TOKENS` tokens, the selected ones, or none.
        alone: whether a rerun may render it without the rest of the page, because nothing else depends on its widgets.
    """

    title: str
    shows: str
    group: Group
    shows_one_head: bool = True
    is_map: bool = False
    filters_sentences: bool = False
    needs_model: bool = False
    in_browser: bool = False
    long_texts: Literal["whole", "excerpt", "none"] = "none"
    alone: bool = False

    @property
    def shows_map(self) -> bool:
        """Whether the map of all heads is next to it."""
        return self.shows_one_head and not self.is_map

    @property
    def is_drawn_alone(self) -> bool:
        """Whether a change of texts or selection reruns the view and its surroundings only, without the opening."""
        return self.in_browser or self.alone


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderPanel(Panel):
    """A view of one or two sentences that an encoder reads.

    Attributes:
        draw: renders it and returns how to read it; before an audience it gets the current stop.
        layers: packs some layers of a trace for the browser; None if the browser renders none.
        offer_csv: renders the button that saves the numbers of a trace; `place` identifies it.
        find_words: the words that a click on the tokens selects for this view; None if it has none.
    """

    draw: DrawTraces
    layers: Callable[[Trace, Selection, tuple[int, ...]], Message | None] | None = None
    offer_csv: OfferCsv | None = None
    find_words: Callable[[Traces, Selection], WordPlaces] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderPanel(Panel):
    """A view of a text that an encoder-decoder writes.

    Attributes:
        draw: renders it and returns how to read it.
        layers: packs some layers for the browser.
        draw_later: renders what may follow a selection with a delay.
        draw_texts: renders the source and the written text.
        draw_map: renders the map of all heads next to the view.
        draw_lens: renders the texts written from earlier states of the encoder.
    """

    draw: Callable[[Generation, Selection], Explanation | None]
    layers: Callable[[Generation, Selection, tuple[int, ...]], Message | None]
    draw_later: Callable[[Generation, Selection], None]
    draw_texts: Callable[[Generation, Selection], None]
    draw_map: Callable[[Generation, Selection], None]
    draw_lens: Callable[[Generation, Selection], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionPanel(Panel):
    """A view of a table of texts.

    Attributes:
        draw: renders it for the model of this name, and returns how to read it.
    """

    draw: Callable[[str, Collection, Selection], Explanation | None]
    shows_one_head: bool = False
    needs_model: bool = True


class DrawTrace(Protocol):
    """Renders one trace; `place` identifies it on the page."""

    def __call__(self, trace: Trace, selection: Selection, *, place: str, **more: Any) -> Explanation | None: ...


class OfferCsv(Protocol):
    """Renders a button for the numbers of one trace."""

    def __call__(self, trace: Trace, selection: Selection, *, place: str) -> None: ...


def each(
    draw: DrawTrace,
    *,
    columns: Literal["always", "at stops", "never"] = "at stops",
    compared: bool = False,
    above: Callable[[], None] | None = None,
) -> DrawTraces:
    """Renders traces one by one.

    Args:
        columns: when the traces of short texts stand side by side.
        compared: whether `draw` takes the other traces, by place, as `others`.
        above: renders what all traces share, above them.
    """

    def draw_each(traces: Traces, selection: Selection, *_: object) -> Explanation | None:
        if above:
            above()
        in_columns = columns == "always" or (columns == "at stops" and is_at_stop(selection))
        if in_columns and fit_side_by_side(list(traces.values())):
            places = st.columns(len(traces))
        else:
            places = [st.container() for _ in traces]
        explanation = None
        for (place, trace), column in zip(traces.items(), places, strict=True):
            with column:
                if len(traces) > 1:
                    st.markdown(f"### Sentence {place}")
                others = {name: other for name, other in traces.items() if name != place}
                more = {"others": others} if compared else {}
                explanation = draw(trace, selection, place=place, **more) or explanation
        return explanation

    return draw_each


def lazy(name: str, *, module: str = "") -> Callable[..., Any]:
    """A function of a panel's module; imports the module on the first call.

    Args:
        module: below `viz.panels`; "" if it has the function's name.
    """

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"{__name__}.{module or name}"), name)(*arguments, **options)

    return call


PANELS: Mapping[View, EncoderPanel | DecoderPanel | CollectionPanel] = MappingProxyType(
    {
        "tokens": EncoderPanel(
            title="Tokens",
            shows="what the model reads of the text",
            group="look",
            draw=lazy("tokens"),
            shows_one_head=False,
            alone=True,
            long_texts="excerpt",
        ),
        "heat map": EncoderPanel(
            title="Heat map",
            shows="row looks at column",
            group="look",
            draw=each(lazy("heat_map", module="layer_views"), columns="always", compared=True),
            layers=layers_message,
            offer_csv=lazy("data_csv", module="data"),
            filters_sentences=True,
            in_browser=True,
            long_texts="excerpt",
        ),
        "head view": EncoderPanel(
            title="Head view",
            shows="left looks at right",
            group="look",
            draw=each(lazy("head_view", module="layer_views"), columns="always", compared=True),
            layers=layers_message,
            offer_csv=lazy("data_csv", module="data"),
            filters_sentences=True,
            in_browser=True,
            long_texts="excerpt",
        ),
        "model view": EncoderPanel(
            title="Model view",
            shows="all heads, a row for each layer",
            group="look",
            draw=each(lazy("model_view")),
            is_map=True,
            offer_csv=lazy("model_csv", module="model_view"),
            in_browser=True,
            long_texts="excerpt",
        ),
        "neuron view": EncoderPanel(
            title="Neuron view",
            shows="one query against every key",
            group="look",
            draw=each(lazy("neuron_view"), columns="always"),
            layers=lazy("neurons_of_layers", module="neuron_view"),
            offer_csv=lazy("neuron_csv", module="neuron_view"),
            filters_sentences=True,
            in_browser=True,
            long_texts="excerpt",
        ),
        "models": EncoderPanel(
            title="Models side by side",
            shows="one sentence in trained and untrained models",
            group="look",
            draw=lazy("models"),
            shows_one_head=False,
            alone=True,
            needs_model=True,
        ),
        "word lens": EncoderPanel(
            title="Word lens",
            shows="one word in two sentences",
            group="ask",
            draw=lazy("word_lens"),
            find_words=lazy("find_word_places", module="word_lens"),
            needs_model=True,
        ),
        "predictions": EncoderPanel(
            title="Predictions",
            shows="what the model says of the text",
            group="ask",
            draw=each(lazy("predictions"), columns="always"),
            shows_one_head=False,
            alone=True,
            long_texts="whole",
        ),
        "why": EncoderPanel(
            title="Why this prediction?",
            shows="what each word adds to what the model says",
            group="ask",
            draw=lazy("why"),
            shows_one_head=False,
            needs_model=True,
            alone=True,
            long_texts="whole",
        ),
        "why here": EncoderPanel(
            title="Why here?",
            shows="where one score comes from",
            group="ask",
            draw=each(lazy("why_here")),
            needs_model=True,
            alone=True,
        ),
        "similar because": EncoderPanel(
            title="Similar because",
            shows="what pairs of words add to the cosine of A and B",
            group="ask",
            draw=lazy("similar_because"),
            shows_one_head=False,
            needs_model=True,
            alone=True,
            long_texts="whole",
        ),
        "compare": EncoderPanel(
            title="Compare",
            shows="where two runs differ",
            group="ask",
            draw=lazy("compare"),
            needs_model=True,
            alone=True,
            long_texts="whole",
        ),
        "anatomy": EncoderPanel(
            title="Anatomy",
            shows="from the text to its vectors, step by step",
            group="learn",
            draw=lazy("anatomy"),
            shows_one_head=False,
            needs_model=True,
        ),
        "norms": EncoderPanel(
            title="Norms",
            shows="how long the vectors are",
            group="learn",
            draw=lazy("norms"),
            shows_one_head=False,
            alone=True,
            long_texts="excerpt",
        ),
        "decoder": DecoderPanel(
            title="Decoder",
            shows="from one text to another, token by token",
            group="learn",
            draw=lazy("decoder"),
            layers=lazy("layers_of_picture", module="decoder"),
            draw_later=lazy("show_alignment", module="decoder"),
            draw_texts=lazy("show_texts", module="decoder"),
            draw_map=lazy("show_small_map", module="decoder"),
            draw_lens=lazy("show_lens", module="decoder"),
            needs_model=True,
            in_browser=True,
        ),
        "texts": CollectionPanel(
            title="Texts",
            shows="predictions and errors of many texts",
            group="texts",
            draw=lazy("texts", module="collection"),
        ),
        "driving words": CollectionPanel(
            title="Driving words",
            shows="which words push predictions",
            group="texts",
            draw=lazy("driving_words"),
        ),
        "search": CollectionPanel(
            title="Search",
            shows="which texts are near a query, and why",
            group="texts",
            draw=lazy("search"),
        ),
        "swaps": CollectionPanel(
            title="Swaps",
            shows="what one word for another changes",
            group="texts",
            draw=lazy("swaps"),
        ),
        "word map": CollectionPanel(
            title="One word",
            shows="each occurrence of a word, layer by layer",
            group="texts",
            draw=lazy("word_map"),
        ),
        "bertviz": EncoderPanel(
            title="BertViz",
            shows="left looks at right",
            group="export",
            draw=each(lazy("bertviz"), columns="always", above=lazy("choose_view", module="bertviz")),
            alone=True,
            long_texts="excerpt",
        ),
        "data": EncoderPanel(
            title="Data",
            shows="row looks at column",
            group="export",
            draw=each(lazy("data"), columns="always"),
            filters_sentences=True,
            alone=True,
            long_texts="excerpt",
        ),
    }
)


def views_of(group: Group) -> tuple[View, ...]:
    """The views of a group, in their order."""
    return tuple(view for view, panel in PANELS.items() if panel.group == group)


def view_title(view: View) -> str:
    """The title of a view in the list of views."""
    return f"{PANELS[view].title} · {PANELS[view].shows}"
