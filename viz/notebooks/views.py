"""Functions for notebooks: one view of a trace, or of attention weights in BertViz's form.

    from viz import head_view
    head_view(attention, tokens)           # as in BertViz
    head_view(model.trace("time flies"))   # of a trace, with its norms, queries and keys

The arguments are BertViz's: Vig (2019), "A Multiscale Visualization of Attention in the Transformer Model".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from encoder.errors import ArgumentError
from encoder.extras import name_missing_extra
from encoder.measures.unit_attention import MEAN
from encoder.runs.generation import Generation
from encoder.runs.trace import Trace
from encoder.text.tokens import USUAL_TOKENS
from viz.notebooks.arguments import Arguments, Halves, run_of_arguments
from viz.notebooks.arrays import Included, chosen
from viz.notebooks.page import NotebookPage
from viz.saved_page.contents import ViewName
from viz.saved_page.pages import page_of_arrays, page_of_generation, page_of_traces, selection_of
from viz.saved_page.traces import Shown

HtmlAction = Literal["view", "return"]
DisplayMode = Literal["auto", "light", "dark"]
MOST_BYTES: Final = 100_000  # of the picture of a trace in a notebook, which is saved with each cell
MOST_TOKENS: Final = 128  # beyond, one layer alone is larger
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
) -> NotebookPage:
    """Lines from every token to those it looks at.

    Args:
        attention: a `Trace`, or the attention of every layer: a list of arrays or tensors of (1, H, T, T), or a model's
            output.
        tokens: T texts, one for each position; a trace has its own.
        sentence_b_start: position of sentence B's first token; None for one sentence.
        prettify_tokens: whether to remove the vocabulary's marks for spaces from the tokens.
        layer: shown first; None for the first layer.
        heads: whose lines are shown first; None for all.
        encoder_attention, decoder_attention, cross_attention: those of an encoder-decoder, (1, H, queries, keys).
        encoder_tokens, decoder_tokens: the tokens of each half.
        include_layers: the layers of the page; None for all.
        html_action: "view" or "return"; both return an object that displays itself.
    Raises:
        ArgumentError: arguments contradict each other, or are invalid.
        InstallationError: a trace is given, and the packages for its charts are not installed.
    """
    halves = Halves(encoder_attention, decoder_attention, cross_attention, encoder_tokens, decoder_tokens)
    arguments = Arguments(attention, tokens, sentence_b_start, prettify_tokens, halves)
    return _shown("head view", arguments, Included(layers=include_layers), html_action, layer=layer, heads=heads)


def html_of_trace(trace: Trace) -> str | None:
    """The head view of a trace's weights for a notebook, in at most `MOST_BYTES`.

    Returns:
        The HTML: of the first layers if all take more, which it says; None if not even one fits.
    """
    if len(trace.tokens) > MOST_TOKENS:
        return None
    weights = [trace.weights(layer)[None] for layer in range(trace.num_layers)]

    def page(count: int) -> str:
        found = head_view(
            weights[:count],
            trace.tokens.labels,
            trace.tokens.sentence_b_start,
            prettify_tokens=False,
            html_action="return",
        )
        rest = f"<p>Layers 0 to {count - 1} of {trace.num_layers}: <code>head_view(trace)</code> shows all.</p>"
        return found.data + (rest if count < trace.num_layers else "")

    whole, one = page(trace.num_layers), page(1)
    if len(whole) <= MOST_BYTES:
        return whole
    of_layer = (len(whole) - len(one)) / (trace.num_layers - 1)
    return page(1 + int((MOST_BYTES - len(one)) / of_layer)) if len(one) <= MOST_BYTES else None


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
    """Every layer and head as a thumbnail. Arguments are those of `head_view`, except:

    Args:
        display_mode: the page's theme; "auto" follows the browser's.
        include_heads: the heads of the map; None for all.
    """
    halves = Halves(encoder_attention, decoder_attention, cross_attention, encoder_tokens, decoder_tokens)
    arguments = Arguments(attention, tokens, sentence_b_start, prettify_tokens, halves)
    included = Included(layers=include_layers, heads=include_heads)
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
) -> NotebookPage:
    """One head as a matrix, queries down and keys across. Arguments are those of `head_view`, except:

    Args:
        head: shown first; -1 for the mean over heads.
    """
    halves = Halves(encoder_attention, decoder_attention, cross_attention, encoder_tokens, decoder_tokens)
    arguments = Arguments(attention, tokens, sentence_b_start, prettify_tokens, halves)
    return _shown("heat map", arguments, Included(layers=include_layers), html_action, layer=layer, head=head)


def neuron_view(
    trace: Trace, *others: Any, layer: int | None = None, head: int | None = None, **options: Any
) -> NotebookPage:
    """One head from the inside: a query, every key, their product, the score and the weight.

    Args:
        trace: of a model whose queries and keys can be captured.
        layer, head: shown first.
    Raises:
        ArgumentError: `trace` is not a trace, or further arguments of BertViz's are given.
        SelectionError: the trace has weights but no queries and keys.
    """
    if not isinstance(trace, Trace) or others or options:
        raise ArgumentError(NEURONS_NEED_A_TRACE)
    arguments = Arguments(trace, None, None, True, Halves())
    return _shown("neuron view", arguments, Included(), "view", layer=layer, head=head)


@name_missing_extra()
def _shown(
    view: ViewName,
    arguments: Arguments,
    included: Included,
    html_action: str,
    *,
    layer: int | None = None,
    head: int | None = None,
    heads: Sequence[int] | None = None,
    theme: DisplayMode = "auto",
) -> NotebookPage:
    """A page that opens with a view."""
    if html_action not in ("view", "return"):
        raise ArgumentError(f"html_action is {html_action!r}: it can be 'view' or 'return'.")
    if theme not in ("auto", "light", "dark"):
        raise ArgumentError(f"display_mode is {theme!r}: it can be 'light', 'dark' or 'auto'.")
    run = arguments.attention
    if isinstance(run, Trace | Generation):
        arguments.refuse_with("a trace")
        if isinstance(run, Trace) and len(run.tokens) > USUAL_TOKENS:
            raise ArgumentError(
                f"This trace has {len(run.tokens):,} tokens, and a page shows at most {USUAL_TOKENS}: "
                "choose some of them, as in `trace.excerpt(first=1000)`."
            )
        layers = chosen(included.layers, run.num_layers, "include_layers", "layers")
        columns = None if included.heads is None else chosen(included.heads, run.num_heads, "include_heads", "heads")
        shown = Shown(layers=layers, heads=columns)
        selection = _selection(view, layers, run.num_heads, layer, head, heads)
        if isinstance(run, Generation):
            return NotebookPage(page_of_generation(run, shown, view=view, selection=selection, theme=theme))
        place = "A" if run.tokens.sentence_b_start is None else "pair"
        return NotebookPage(page_of_traces({place: run}, shown, view=view, selection=selection, theme=theme))
    of_arrays = run_of_arguments(arguments, included)
    selection = _selection(view, of_arrays.layers, of_arrays.num_heads, layer, head, heads)
    return NotebookPage(page_of_arrays(of_arrays, view=view, selection=selection, theme=theme))


def _selection(
    view: ViewName,
    layers: Sequence[int],
    num_heads: int,
    layer: int | None,
    head: int | None,
    heads: Sequence[int] | None,
) -> dict[str, Any]:
    """The first selection; `heads` are those of the head view, None for all."""
    if layer is not None and layer not in layers:
        raise ArgumentError(f"layer is {layer}: the page has the layers {list(layers)}.")
    lines = None if heads is None else chosen(heads, num_heads, "heads", "heads")
    first = lines[0] if lines else head or 0
    return selection_of(
        layer=layers[0] if layer is None else int(layer),
        head=MEAN if head == MEAN else chosen([first], num_heads, "head", "heads")[0],
        heads="" if view != "head view" else "all" if lines is None else ".".join(map(str, lines)),
    )
