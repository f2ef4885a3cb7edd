"""Functions for notebooks: one view of a trace, or of attention weights in BertViz's form.

    from viz import head_view
    head_view(attention, tokens)             # as in BertViz
    neuron_view(model.trace("time flies"))   # of a trace, with its queries and keys

The arguments are BertViz's: Vig (2019), "A Multiscale Visualization of Attention in the Transformer Model".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from encoder.errors import ArgumentError, SelectionError
from encoder.extras import name_missing_extra
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import units_of
from encoder.runs.generation import Generation
from encoder.runs.trace import Trace
from encoder.text.tokens import USUAL_TOKENS
from viz.notebooks.arguments import Arguments, Halves, run_of_arguments
from viz.notebooks.arrays import MOST_TOKENS, Included, chosen
from viz.notebooks.page import NotebookPage
from viz.payloads.routes import routes_message
from viz.saved_page.contents import ATTENTION_VIEWS, Page, ViewName
from viz.saved_page.pages import (
    ABOUT_FILE,
    LONGEST_TITLE,
    page_of_arrays,
    page_of_generation,
    page_of_traces,
    selection_of,
)
from viz.saved_page.routes import place_of, run_of_routes
from viz.saved_page.traces import Shown, about_traces
from viz.wording.labels import name_label, shorten
from viz.wording.numbers import percent

if TYPE_CHECKING:  # torch
    from encoder.attribution.carriers import Carriers

HtmlAction = Literal["view", "return"]
DisplayMode = Literal["auto", "light", "dark"]
MOST_BYTES: Final = 100_000  # of the picture of a trace in a notebook, which is saved with each cell
# The views that show what a page holds: queries and keys, which take most, are for one view alone.
VIEWS: Final[Mapping[bool, tuple[ViewName, ...]]] = {True: ATTENTION_VIEWS, False: ATTENTION_VIEWS[:3]}
NEURONS_NEED_A_TRACE = (
    "neuron_view takes a trace: neuron_view(encoder.load('bert-base-uncased').trace('time flies')). "
    "It takes no model with a tokenizer, as BertViz's does."
)


def head_view(
    attention: Any = None,
    tokens: Sequence[str] | None = None,
    sentence_b_start: int | None = None,
    prettify_tokens: bool = True,
    layer: int | None = None,
    heads: Sequence[int] | None = None,
    encoder_attention: Any = None,
    decoder_attention: Any = None,
    cross_attention: Any = None,
    encoder_tokens: Sequence[str] | None = None,
    decoder_tokens: Sequence[str] | None = None,
    include_layers: Sequence[int] | None = None,
    html_action: HtmlAction = "view",
    *,
    head: int | None = None,
) -> NotebookPage:
    """Lines from every token to those it looks at.

    Args:
        attention: a `Trace`, or the attention of every layer: a list of arrays or tensors of (1, H, T, T), or a model's
            output.
        tokens: T texts, one for each position; a trace has its own.
        sentence_b_start: position of sentence B's first token; None for one sentence.
        prettify_tokens: whether to remove the vocabulary's marks for spaces from the tokens.
        layer: shown first; None for the first layer.
        heads, head: whose lines are shown first: a list of heads, or one; None for all.
        encoder_attention, decoder_attention, cross_attention: those of an encoder-decoder, (1, H, queries, keys).
        encoder_tokens, decoder_tokens: the tokens of each half.
        include_layers: the layers of the page; None for all, or for `layer` alone beyond 128 tokens.
        html_action: "view" or "return"; both return an object that displays itself.
    Raises:
        ArgumentError: arguments contradict each other, or are invalid.
        InstallationError: a trace is given, and the packages for its charts are not installed.
    """
    halves = Halves(encoder_attention, decoder_attention, cross_attention, encoder_tokens, decoder_tokens)
    arguments = Arguments(attention, tokens, sentence_b_start, prettify_tokens, halves)
    included = Included(layers=include_layers, first=layer)
    return _shown("head view", arguments, included, html_action, heads=_heads(head, heads))


def html_of_trace(trace: Trace) -> str | None:
    """The head view of a trace's weights for a notebook, in at most `MOST_BYTES`.

    Returns:
        The HTML: of the first layers if all take more, which it says; None if not even one fits.
    """
    if len(trace.tokens) > MOST_TOKENS:
        return None
    weights = [trace.weights(layer)[None] for layer in range(trace.num_layers)]
    notes = "".join(f"<p>{escape(note)}</p>" for note in about_traces({"pair": trace})[1:])

    def page(count: int) -> str:
        found = head_view(
            weights[:count],
            trace.tokens.labels,
            trace.tokens.sentence_b_start,
            prettify_tokens=False,
            html_action="return",
        )
        rest = f"<p>Layers 0 to {count - 1} of {trace.num_layers}: <code>head_view(trace)</code> shows all.</p>"
        return notes + found.data + (rest if count < trace.num_layers else "")

    whole, one = page(trace.num_layers), page(1)
    if len(whole) <= MOST_BYTES:
        return whole
    if len(one) > MOST_BYTES:
        return None
    about = 1 + int((MOST_BYTES - len(one)) * (trace.num_layers - 1) / (len(whole) - len(one)))
    fitting = (found for count in (about + 1, about) if len(found := page(count)) <= MOST_BYTES)
    return next(fitting, one)


Trace.draw = html_of_trace


def model_view(
    attention: Any = None,
    tokens: Sequence[str] | None = None,
    sentence_b_start: int | None = None,
    prettify_tokens: bool = True,
    display_mode: DisplayMode = "auto",
    encoder_attention: Any = None,
    decoder_attention: Any = None,
    cross_attention: Any = None,
    encoder_tokens: Sequence[str] | None = None,
    decoder_tokens: Sequence[str] | None = None,
    include_layers: Sequence[int] | None = None,
    include_heads: Sequence[int] | None = None,
    html_action: HtmlAction = "view",
) -> NotebookPage:
    """Every layer and head as a thumbnail; beyond 128 tokens the page has no other view.

    Arguments are those of `head_view`, except:

    Args:
        display_mode: the page's theme; "auto" follows the browser's.
        include_layers: the layers of the page; None for all.
        include_heads: the heads of the map; None for all.
    """
    halves = Halves(encoder_attention, decoder_attention, cross_attention, encoder_tokens, decoder_tokens)
    arguments = Arguments(attention, tokens, sentence_b_start, prettify_tokens, halves)
    included = Included(layers=include_layers, heads=include_heads, pictures=True)
    return _shown("model view", arguments, included, html_action, theme=display_mode)


def heat_map(
    attention: Any = None,
    tokens: Sequence[str] | None = None,
    sentence_b_start: int | None = None,
    prettify_tokens: bool = True,
    layer: int | None = None,
    head: int | None = None,
    encoder_attention: Any = None,
    decoder_attention: Any = None,
    cross_attention: Any = None,
    encoder_tokens: Sequence[str] | None = None,
    decoder_tokens: Sequence[str] | None = None,
    include_layers: Sequence[int] | None = None,
    html_action: HtmlAction = "view",
    *,
    heads: int | Sequence[int] | None = None,
) -> NotebookPage:
    """One head as a matrix, queries down and keys across. Arguments are those of `head_view`, except:

    Args:
        head, heads: the head that is shown first; -1 for the mean over heads.
    """
    halves = Halves(encoder_attention, decoder_attention, cross_attention, encoder_tokens, decoder_tokens)
    arguments = Arguments(attention, tokens, sentence_b_start, prettify_tokens, halves)
    included = Included(layers=include_layers, first=layer)
    return _shown("heat map", arguments, included, html_action, heads=_heads(head, heads))


def neuron_view(
    trace: Trace,
    *others: Any,
    layer: int | None = None,
    head: int | None = None,
    heads: int | Sequence[int] | None = None,
    include_layers: Sequence[int] | None = None,
    **options: Any,
) -> NotebookPage:
    """One head from the inside: a query, every key, their product, the score and the weight.

    Args:
        trace: of a model whose queries and keys can be captured.
        layer, head, heads: the layer and the head that are shown first.
        include_layers: the layers of the page; None for `layer` alone, because queries and keys take much.
    Raises:
        ArgumentError: `trace` is not a trace, or further arguments of BertViz's are given.
        SelectionError: the trace has weights but no queries and keys.
    """
    if not isinstance(trace, Trace) or others or options:
        raise ArgumentError(NEURONS_NEED_A_TRACE)
    arguments = Arguments(trace, None, None, True, Halves())
    included = Included(layers=include_layers, first=layer, most_tokens=0)
    return _shown("neuron view", arguments, included, "view", heads=_heads(head, heads))


@name_missing_extra()
def tokens_view(trace: Trace) -> NotebookPage:
    """How a text or pair is read: characters as typed and normalised, pieces with their ids, and words.

    Args:
        trace: of at most `USUAL_TOKENS` tokens.
    Raises:
        ArgumentError: `trace` is not a trace, or it is longer.
        InstallationError: the packages for its sentences are not installed.
    """
    if not isinstance(trace, Trace):
        raise ArgumentError(f"tokens_view takes a trace, and this is of type {type(trace).__name__}.")
    _check_length(trace)
    place = place_of(trace.tokens)
    shown = Shown(views=("tokens",))
    return NotebookPage(page_of_traces({place: trace}, shown, view="tokens", selection=selection_of()))


@name_missing_extra()
def routes(found: Carriers, share: float = 0.9) -> NotebookPage:
    """The links that carry an output, as lines through the layers, with a slider of the number that is kept.

    Args:
        found: from `headlight.carriers`; it opens with the fewest links that alone keep a share of its output.
        share: of the output with all links.
    Raises:
        ArgumentError: the share is not between 0 and 1.
        SelectionError: the text has more than `MOST_TOKENS` tokens.
    """
    tokens, size = found.target.tokens, found.size
    if len(tokens) > MOST_TOKENS:
        raise SelectionError(f"This text has {len(tokens):,} tokens; routes are shown of up to {MOST_TOKENS}.")
    counts, kept, enough = found.search(share)
    target = found.target
    name = f"“{name_label(target.label)}”" if target.label else f"the {target.unit}"
    message = routes_message(
        found.values,
        found.weights,
        units_of(tokens),
        counts=counts,
        kept=kept,
        opens=enough or size // 100,
        name=name,
        unit=target.unit,
        adds=target.additive_unit,
        identity=f"{place_of(tokens)}.routes",
    )
    layers, heads = found.values.shape[:2]
    run = run_of_routes(tokens, message, layers=layers, heads=heads)
    said = f"{enough:,} of {size:,} links are enough for {percent(share)} of {name}." if enough and kept[-1] > 0 else ""
    title = shorten(" / ".join(tokens.sentences), LONGEST_TITLE)
    page = Page(
        title=title,
        headline=said or title,
        sentences=tokens.sentences if said else (),
        notes=(ABOUT_FILE,),
        views=("routes",),
        view="routes",
        selection=selection_of(),
        runs=(run,),
    )
    return NotebookPage(page)


def _check_length(trace: Trace) -> None:
    if len(trace.tokens) > USUAL_TOKENS:
        raise ArgumentError(
            f"This trace has {len(trace.tokens):,} tokens, and a page shows at most {USUAL_TOKENS}: "
            "choose some of them, as in `trace.excerpt(first=1000)`."
        )


@name_missing_extra()
def _shown(
    view: ViewName,
    arguments: Arguments,
    included: Included,
    html_action: str,
    *,
    heads: Sequence[int] | None = None,
    theme: DisplayMode = "auto",
) -> NotebookPage:
    """A page that opens with a view, and has the views that need no further numbers."""
    if html_action not in ("view", "return"):
        raise ArgumentError(f"html_action is {html_action!r}: it can be 'view' or 'return'.")
    if theme not in ("auto", "light", "dark"):
        raise ArgumentError(f"display_mode is {theme!r}: it can be 'light', 'dark' or 'auto'.")
    run = arguments.attention
    if isinstance(run, Trace | Generation):
        arguments.refuse_with("a trace")
        if isinstance(run, Trace):
            _check_length(run)
        parts = (run,) if isinstance(run, Trace) else (run.source, run.target)
        count = sum(len(part.tokens) for part in parts)
        layers = included.layers_of(run.num_layers, count)
        columns = None if included.heads is None else chosen(included.heads, run.num_heads, "include_heads", "heads")
        views = (view,) if included.only_pictures(count) else VIEWS[view == "neuron view"]
        shown = Shown(views=views, layers=layers, heads=columns)
        selection = _selection(view, layers, run.num_heads, included.first, heads)
        if isinstance(run, Generation):
            return NotebookPage(page_of_generation(run, shown, view=view, selection=selection, theme=theme))
        place = place_of(run.tokens)
        return NotebookPage(page_of_traces({place: run}, shown, view=view, selection=selection, theme=theme))
    of_arrays = run_of_arguments(arguments, included)
    selection = _selection(view, of_arrays.layers, of_arrays.num_heads, included.first, heads)
    return NotebookPage(page_of_arrays(of_arrays, view=view, selection=selection, theme=theme))


def _heads(head: int | None, heads: int | Sequence[int] | None) -> Sequence[int] | None:
    """What `head` or `heads` gives, which are two names of one argument: a list, or None for neither."""
    if head is not None and heads is not None:
        raise ArgumentError(f"head={head} and heads={heads} were given: choose either.")
    given = head if heads is None else heads
    return [given] if isinstance(given, int | np.integer) else given


def _selection(
    view: ViewName, layers: Sequence[int], num_heads: int, layer: int | None, heads: Sequence[int] | None
) -> dict[str, Any]:
    """The first selection; the head view has several heads, and all for None."""
    if layer is not None and layer not in layers:
        raise ArgumentError(f"layer is {layer}: the page has the layers {list(layers)}.")
    mean = view == "heat map" and isinstance(heads, Sequence) and list(heads) == [MEAN]
    lines = () if mean or heads is None else chosen(heads, num_heads, "heads", "heads")
    if len(lines) > 1 and view != "head view":
        raise ArgumentError(f"heads is {list(lines)}, and the {view} shows one head at a time: choose one.")
    return selection_of(
        layer=layers[0] if layer is None else int(layer),
        head=MEAN if mean else lines[0] if lines else 0,
        heads="" if view != "head view" else ".".join(map(str, lines)) or "all",
    )
