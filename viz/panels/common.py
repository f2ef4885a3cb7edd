"""What every panel needs: the theme, the units of the picture, and the sentences under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import streamlit as st

from encoder import Trace
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray
from viz.caches import message_cache, run_cache
from viz.caches.memo import VALUES, cached
from viz.components.head_map import head_map
from viz.components.wires.store import store
from viz.payloads.message import Message
from viz.state import session
from viz.state.messages import read_change, scope_of
from viz.state.selection import Selection
from viz.theme import THEMES, Theme
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown
from viz.wording.quantities import TITLES, picture_name, removed_sentence

if TYPE_CHECKING:  # the first picture comes without Plotly
    import plotly.graph_objects as go

SIDE_BY_SIDE_TOKENS = 16
# Pixels at a stop of a tour in the lowest window, before the page is enlarged: between one row of tokens and the words
# of the tour, and what a second row, parts of speech under one, and a heading take of that. stage.css has their sizes.
STOP_HEIGHT, ROW_OF_TOKENS, ROW_OF_TAGS, HEADING = 262, 37, 17, 26


def theme() -> Theme:
    """The theme in which the page is shown now."""
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def shown_units(trace: Trace, selection: Selection) -> Units | None:
    """Words or wordpieces of a trace; where every token is hidden, says so and returns None."""
    units = run_cache.units(trace, level=selection.level, special=selection.special)
    if len(units):
        return units
    st.info("This text has special tokens only, and they are hidden. Show them, or type a word.")
    return None


def fit_side_by_side(traces: Sequence[Trace]) -> bool:
    """Whether pictures of these traces are readable next to each other, each in half the page's width."""
    return all(len(trace.tokens) <= SIDE_BY_SIDE_TOKENS for trace in traces)


def view_data(selection: Selection, *, place: str, colours: Theme | None = None) -> dict[str, Any]:
    """The data that every view of ours gets; what is selected it takes from the selection in the browser.

    Args:
        place: "pair", "A", "B" or "decoder"; a token that is pinned elsewhere is not pinned there.
        colours: None for those of the page.
    """
    colours = colours or theme()
    return {
        "scope": scope_of(selection),
        "texts": texts_in(place),
        "special": selection.special,
        "theme": {
            "heads": list(colours.head_colours),
            "sequential": [list(stop) for stop in colours.sequential],
            "diverging": [list(stop) for stop in colours.diverging],
            "muted": colours.muted,
        },
    }


def texts_in(place: str) -> list[str]:
    """The texts whose pinned tokens are seen at a place of the page: "pair", "A", "B" or "decoder"."""
    return ["A", "B"] if place == "pair" else [place]


def why_not_drawn(trace: Trace, selection: Selection) -> str:
    """Why the chosen method cannot be drawn of a trace, in one sentence; "" where it can be.

    Where it can be, its numbers are kept from here on.
    """
    if selection.draws_weights:
        return ""
    from viz.caches import attribution_cache  # imports torch

    try:
        attribution_cache.maps(trace, quantity=selection.drawn)
    except (ArgumentError, UnsupportedModelError) as error:
        return f"“{TITLES[selection.drawn.method]}” does not apply here: {error}"
    return ""


def drawn_units(trace: Trace, selection: Selection) -> Units | None:
    """The units of a picture of the chosen method; where there is nothing to draw, says why and returns None."""
    units = shown_units(trace, selection)
    if units is None or selection.draws_weights:
        return units
    with st.spinner(f"Working out: {TITLES[selection.drawn.method]} …"):
        why = why_not_drawn(trace, selection)
    if not why:
        return units
    st.info(escape_markdown(why))
    return None


def is_drawn(trace: Trace, selection: Selection) -> bool:
    """Whether there is a token to draw, and the chosen method applies."""
    units = run_cache.units(trace, level=selection.level, special=selection.special)
    return len(units) > 0 and not why_not_drawn(trace, selection)


def layers_id(trace: Trace, selection: Selection) -> str:
    """The id of the layers that heat map and head view draw: of weights, or of the chosen method."""
    level, special = selection.level, selection.special
    if selection.draws_weights:
        return message_cache.attention_id(trace, level=level, special=special)
    from viz.caches import attribution_cache  # imports torch

    return attribution_cache.layers_id(trace, quantity=selection.drawn, level=level, special=special)


def layers_message(trace: Trace, selection: Selection, layers: tuple[int, ...]) -> Message | None:
    """What heat map and head view draw of some layers; None where there is nothing to draw."""
    if not is_drawn(trace, selection):
        return None
    level, special = selection.level, selection.special
    if selection.draws_weights:
        return cached(message_cache.layers_message, trace, layers=layers, level=level, special=special)
    from viz.caches import attribution_cache  # imports torch

    return VALUES.get(
        attribution_cache.layers_message, trace, layers=layers, quantity=selection.drawn, level=level, special=special
    )


def map_of_heads(trace: Trace, selection: Selection, *, place: str, large: bool, **options: Any) -> FloatArray:
    """Every head of a trace as a small picture; a click chooses one. Returns (L, H, U) removed mass.

    Args:
        options: of `viz.components.head_map.head_map`.
    """
    key = f"{'model_view' if large else 'map'}_{place}"
    message, removed = heads_message(trace, selection)
    store(message, key=f"store_{key}")
    head_map(view_data(selection, place=place), message=message, large=large, key=key, **options)
    return removed


def heads_message(trace: Trace, selection: Selection) -> tuple[Message, FloatArray]:
    """What the map of all heads draws, and (L, H, U), what each unit gives to tokens that are hidden.

    A method that does not apply leaves the map with the weights.
    """
    level, special = selection.level, selection.special
    if selection.draws_weights or why_not_drawn(trace, selection):
        return cached(message_cache.model_message, trace, level=level, special=special)
    from viz.caches import attribution_cache  # imports torch

    return VALUES.get(attribution_cache.model_message, trace, quantity=selection.drawn, level=level, special=special)


def head_chart(figure: go.Figure, *, config: Mapping[str, Any], key: str) -> None:
    """A map of heads, in which a click chooses one for the whole page.

    Args:
        config: of the tool bar, from `viz.figures.config.plot_config`.
        key: Streamlit's.
    """

    def select_head() -> None:
        points = (st.session_state.get(key) or {}).get("selection", {}).get("points", [])
        if points:
            session.change(**read_change({"layer": round(points[0]["y"]), "head": round(points[0]["x"])}))

    width = figure.layout.width
    figure.layout.width = None  # in a narrower column Streamlit would draw it in this width, and again in the column's
    st.plotly_chart(
        figure,
        theme=None,
        width=width,
        config=dict(config),
        key=key,
        on_select=select_head,
        selection_mode="points",
    )


def head_button(layer: int, head: int, *, key: str, width: int | Literal["content"] = "content") -> None:
    """The name of a head, which chooses it for the whole page.

    Args:
        key: Streamlit's.
        width: in pixels, where what follows is to stand in a column.
    """
    st.button(
        f"L{layer} H{head}",
        key=key,
        on_click=session.change,
        kwargs={"layer": layer, "head": head},
        help="Choose this head",
        type="tertiary",
        width=width,
    )


def choose_silenced_heads(trace: Trace, *, label: str, placeholder: str, key: str) -> None:
    """A list of the heads that are silenced together.

    A browser that has not heard of another model yet may name heads that it lacks, which Streamlit hands on as texts.
    """
    st.multiselect(
        label,
        list(np.ndindex(trace.num_layers, trace.num_heads)),
        format_func=lambda head: f"L{head[0]} H{head[1]}",
        placeholder=placeholder,
        **session.bound(
            "silenced",
            key=key,
            to_widget=list,
            from_widget=lambda heads: tuple(head for head in heads if not isinstance(head, str)),
            initial="default",
        ),
    )


def is_at_stop(selection: Selection) -> bool:
    """Whether a tour is given before an audience: its words take room at the bottom of the page."""
    return selection.stage and bool(selection.tour)


def stop_height(selection: Selection, *, headings: int = 1, above: int = 0) -> int:
    """The pixels that a picture has at a stop of a tour, between what stands above it and the tour's words.

    Args:
        headings: lines of heading above the picture.
        above: pixels of what else stands there, below the tokens.
    """
    rows = len(selection.runs)
    tokens = ROW_OF_TOKENS * (rows - 1) + (0 if selection.tags == "off" else ROW_OF_TAGS * rows)
    return STOP_HEIGHT - tokens - HEADING * headings - above


def fit_stage(figure: go.Figure, *, headings: int = 1, above: int = 0) -> None:
    """Before an audience, put a figure's legend at the upper edge, as the enlarged page moves one above the axes into
    the curves; where a tour is given, make the figure no higher than the room above the tour's words.

    Args:
        headings, above: as `stop_height` has them.
    """
    selection = session.current()
    if selection.stage:
        figure.update_layout(legend={"yref": "container", "y": 1, "yanchor": "top"})
    if is_at_stop(selection):
        from viz.figures.height import fit_height  # imports Plotly

        fit_height(figure, stop_height(selection, headings=headings, above=above))


def texts_of(trace: Trace) -> tuple[str, str | None]:
    """The text or texts of a trace, for another model's run over them."""
    first, *rest = trace.tokens.sentences
    return first, rest[0] if rest else None


def head_name(selection: Selection) -> str:
    """The selected head as it is written everywhere: "L3 H7", "L3, mean over heads" or "GlobEnc, input to L3"."""
    if not selection.draws_weights:
        return picture_name(selection.drawn, selection.layer, selection.head)
    return f"L{selection.layer}, mean over heads" if selection.head == MEAN else f"L{selection.layer} H{selection.head}"


def show_explanation(explanation: Explanation) -> None:
    """How to read the picture, and what it does not show; before an audience, somebody says so."""
    if session.current().stage:
        return
    st.caption(
        f"**How to read it.** {explanation.how_to_read} **What it does not show.** {explanation.what_it_does_not_show}"
    )


def show_removed_attention(removed: FloatArray, selection: Selection) -> None:
    """How much attention went to tokens that the picture leaves out.

    Args:
        removed: (U,) removed mass of every shown query, or (..., U) of several heads.
    """
    if selection.special == "show":
        return
    heads = ", all pictures counted" if removed.ndim > 1 else ""
    between = f"{np.mean(removed):.0%} of {{}} (between {np.min(removed):.0%} and {np.max(removed):.0%}{heads})"
    st.caption(f"**Special tokens are hidden.** {removed_sentence(selection.drawn, between, selection.special)}")
