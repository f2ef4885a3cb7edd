"""The views of the page, each a folder, in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol

import streamlit as st

from encoder import Trace
from viz.payloads.message import Message
from viz.state.selection import Selection, View
from viz.widgets.canvas import choose_run, layers_message
from viz.widgets.room import fit_side_by_side, is_at_stop
from viz.wording.explanations import Explanation

if TYPE_CHECKING:
    from viz.answers.word_places import WordPlaces
    from viz.tours.tour import Stop

Group = Literal["look", "ask", "learn", "texts", "export"]
Traces = Mapping[str, Trace]  # of the "pair", or of the sentences "A" and "B" alone
DrawTraces = Callable[["Traces", Selection, "Stop | None"], Explanation | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What the page needs to know about a view.

    Attributes:
        title: in the list of views.
        shows: caption for an audience, in a few words.
        group: in the list of views; those of "export" are in the export menu.
        draw: renders it and returns how to read it. It gets what the view is of, and the selection.
        of: "sentences", whose traces `draw` gets by place, with the current stop of a tour after the selection; a
            "generation", the text that an encoder-decoder writes; or a "table" of texts, after the model's name.
        layers: packs some layers of a trace or a generation for the browser; None if the browser renders none.
        offer_csv: renders the button that saves the numbers of a trace; `place` identifies it.
        find_words: the words that a click on the tokens selects for this view; None if it has none.
        shows_one_head: whether it follows the choice of layer and head.
        is_map: whether it is itself a map of all heads.
        filters_sentences: whether it follows the choice between attention within and across sentences.
        needs_model: whether it needs the model besides the traces of the page.
        in_browser: whether it follows the selection in the browser; otherwise Python renders it again.
        long_texts: whether it shows the whole run of more than `USUAL_TOKENS` tokens, the selected ones, or none.
        compares_labels: of a table, whether it compares predictions with labels.
        alone: whether a rerun may render it without the rest of the page, because nothing else depends on its widgets.
    """

    title: str
    shows: str
    group: Group
    draw: Callable[..., Explanation | None]
    of: Literal["sentences", "generation", "table"] = "sentences"
    layers: Callable[[Any, Selection, tuple[int, ...]], Message | None] | None = None
    offer_csv: OfferCsv | None = None
    find_words: Callable[[Traces, Selection], WordPlaces] | None = None
    shows_one_head: bool = True
    is_map: bool = False
    filters_sentences: bool = False
    needs_model: bool = False
    in_browser: bool = False
    long_texts: Literal["whole", "excerpt", "none"] = "none"
    compares_labels: bool = False
    alone: bool = False

    @property
    def shows_map(self) -> bool:
        """Whether the map of all heads is next to it."""
        return self.shows_one_head and not self.is_map

    @property
    def is_drawn_alone(self) -> bool:
        """Whether a change of texts or selection reruns the view and its surroundings only, without the opening."""
        return self.in_browser or self.alone


class DrawTrace(Protocol):
    """Renders one trace; `place` identifies it on the page."""

    def __call__(self, trace: Trace, selection: Selection, *, place: str, **more: Any) -> Explanation | None: ...


class OfferCsv(Protocol):
    """Renders a button for the numbers of one trace."""

    def __call__(self, trace: Trace, selection: Selection, *, place: str) -> None: ...


def each(
    draw: DrawTrace,
    *,
    columns: Literal["always", "at stops"] = "at stops",
    one: bool = False,
    compared: bool = False,
    above: Callable[[], None] | None = None,
) -> DrawTraces:
    """Renders traces one by one.

    Args:
        columns: when the traces of short texts stand side by side.
        one: whether the page shows one of them at a time, which the user chooses.
        compared: whether `draw` takes the other traces, by place, as `others`.
        above: renders what all traces share, above them.
    """

    def draw_each(traces: Traces, selection: Selection, *_: object) -> Explanation | None:
        if above:
            above()
        if one and not is_at_stop(selection):
            place = choose_run(traces, selection)
            return draw(traces[place], selection, place=place)
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
    """A function of the widgets of a view; imports them on the first call.

    Args:
        module: the folder of the view; "" if it has the function's name.
    """

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"viz.views.{module or name}.widgets"), name)(*arguments, **options)

    return call


def of_table(title: str, shows: str, draw: Callable[..., Explanation | None], **more: bool) -> Panel:
    """A view of a table of texts; `more` are other attributes of `Panel`."""
    of_texts: dict[str, Any] = {"group": "texts", "of": "table", "shows_one_head": False, "needs_model": True}
    return Panel(title=title, shows=shows, draw=draw, **of_texts | more)


PANELS: Mapping[View, Panel] = {
    "tokens": Panel(
        title="Tokens",
        shows="what the model reads of the text",
        group="look",
        draw=lazy("tokens"),
        shows_one_head=False,
        alone=True,
        long_texts="excerpt",
    ),
    "heat map": Panel(
        title="Heat map",
        shows="row looks at column",
        group="look",
        draw=each(lazy("heat_map"), columns="always", compared=True),
        layers=layers_message,
        offer_csv=lazy("data_csv", module="data"),
        filters_sentences=True,
        in_browser=True,
        long_texts="excerpt",
    ),
    "head view": Panel(
        title="Head view",
        shows="left looks at right",
        group="look",
        draw=each(lazy("head_view"), columns="always", compared=True),
        layers=layers_message,
        offer_csv=lazy("data_csv", module="data"),
        filters_sentences=True,
        in_browser=True,
        long_texts="excerpt",
    ),
    "model view": Panel(
        title="Model view",
        shows="all heads, a row for each layer",
        group="look",
        draw=each(lazy("model_view"), one=True),
        is_map=True,
        offer_csv=lazy("model_csv", module="model_view"),
        in_browser=True,
        long_texts="excerpt",
    ),
    "neuron view": Panel(
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
    "models": Panel(
        title="Models side by side",
        shows="trained and untrained, one sentence",
        group="look",
        draw=lazy("models"),
        shows_one_head=False,
        alone=True,
        needs_model=True,
    ),
    "word lens": Panel(
        title="Word lens",
        shows="one word in two sentences",
        group="ask",
        draw=lazy("word_lens"),
        find_words=lazy("find_word_places", module="word_lens"),
        needs_model=True,
    ),
    "predictions": Panel(
        title="Predictions",
        shows="what the model predicts for the text",
        group="ask",
        draw=each(lazy("predictions"), columns="always"),
        shows_one_head=False,
        alone=True,
        long_texts="whole",
    ),
    "why": Panel(
        title="Why this prediction?",
        shows="what each word adds to the answer",
        group="ask",
        draw=lazy("why"),
        shows_one_head=False,
        needs_model=True,
        alone=True,
        long_texts="whole",
    ),
    "why here": Panel(
        title="Why here?",
        shows="where one score comes from",
        group="ask",
        draw=each(lazy("why_here")),
        needs_model=True,
        alone=True,
    ),
    "routes": Panel(
        title="Routes",
        shows="which attention carries the answer",
        group="ask",
        draw=lazy("routes"),
        shows_one_head=False,
        needs_model=True,
        alone=True,
        long_texts="whole",
    ),
    "similar because": Panel(
        title="Similar because",
        shows="the cosine of A and B, by pairs of words",
        group="ask",
        draw=lazy("similar_because"),
        shows_one_head=False,
        needs_model=True,
        alone=True,
        long_texts="whole",
    ),
    "compare": Panel(
        title="Compare",
        shows="where two runs differ",
        group="ask",
        draw=lazy("compare"),
        needs_model=True,
        alone=True,
        long_texts="whole",
    ),
    "anatomy": Panel(
        title="Anatomy",
        shows="from the text to its vectors, step by step",
        group="learn",
        draw=lazy("anatomy"),
        shows_one_head=False,
        needs_model=True,
    ),
    "decoder": Panel(
        of="generation",
        title="Decoder",
        shows="from one text to another, token by token",
        group="learn",
        draw=lazy("decoder"),
        layers=lazy("layers_of_picture", module="decoder"),
        needs_model=True,
        in_browser=True,
    ),
    "norms": Panel(
        title="Norms",
        shows="how long the vectors are",
        group="learn",
        draw=lazy("norms"),
        shows_one_head=False,
        alone=True,
        long_texts="excerpt",
    ),
    "texts": of_table("Texts", "predictions and errors of many texts", lazy("texts"), compares_labels=True),
    "driving words": of_table(
        "Driving words", "which words push predictions", lazy("driving_words"), compares_labels=True
    ),
    "search": of_table("Search", "which texts match a query, and why", lazy("search")),
    "swaps": of_table("Swaps", "what swapping one word changes", lazy("swaps")),
    "word map": of_table("One word", "each occurrence of a word, layer by layer", lazy("word_map")),
    "bertviz": Panel(
        title="BertViz",
        shows="left looks at right",
        group="export",
        draw=each(lazy("bertviz"), columns="always", above=lazy("choose_view", module="bertviz")),
        alone=True,
        long_texts="excerpt",
    ),
    "data": Panel(
        title="Data",
        shows="row looks at column",
        group="export",
        draw=each(lazy("data"), columns="always"),
        filters_sentences=True,
        alone=True,
        long_texts="excerpt",
    ),
}


def views_of(group: Group) -> tuple[View, ...]:
    """The views of a group, in their order."""
    return tuple(view for view, panel in PANELS.items() if panel.group == group)


GROUP_TITLES: Mapping[Group, str] = {"look": "Look", "ask": "Explain", "learn": "Learn", "texts": "Many texts"}
LISTED = tuple(view for group in GROUP_TITLES for view in views_of(group))


def view_title(view: View) -> str:
    """The title of a view in the list of views."""
    return f"**{PANELS[view].title}** :small[{PANELS[view].shows}]"


def list_style(current: View) -> str:
    """The style of the list of views: a column and a title for each group, and a mark on the current view.

    Streamlit's menu has no groups, and page.css arranges its items. The mark is no part of a title, because a browser
    may send a title of an earlier run.
    """
    rules, end = [], 0
    for column, (group, title) in enumerate(GROUP_TITLES.items(), 1):
        start, end = end + 1, end + len(views_of(group))
        rules += [
            f":nth-child(n + {start}):nth-child(-n + {end}) {{ --column: {column} }}",
            f":nth-child({start}) {{ margin-top: 1.75rem }}",
            f':nth-child({start})::before {{ content: "{title}" / "" }}',
        ]
    if current in LISTED:
        rules.append(f":nth-child({LISTED.index(current) + 1}) {{ --mark: currentColor }}")
    return f"<style>{' '.join(f'[role=menu][aria-label^=View] > {rule}' for rule in rules)}</style>"
