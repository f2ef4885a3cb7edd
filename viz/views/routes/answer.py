"""Routes: how few links carry an output, what special tokens are worth among them, and how good the estimates are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from encoder.attribution.routes import DRAWS, PREFIXES, SHARE, SHUFFLES, Agreement, OtherOrders, OtherWordings, Routes
from encoder.attribution.target import Target
from encoder.measures.ranks import order_of_links
from encoder.shipped.names import is_untrained
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.answers.room import PAGE, Room
from viz.answers.verdicts import untrained_caveat
from viz.figures.link_curves import link_curves
from viz.views.why.answer.words import shown_in_words
from viz.wording.labels import escape_markdown, make_visible, name_label
from viz.wording.numbers import percent, written
from viz.wording.tags import TAG_NAMES

MOST_TOKENS: Final = 128  # of a text: a gradient keeps every weight of every layer five times
TOO_LONG: Final = (
    "Routes are for texts of up to {most} tokens, and this one has {tokens:,}: there is a gradient for each weight of "
    "each layer. “Why this prediction?” explains longer texts."
)
MOST_LISTED: Final = 200  # links in the table


def kept(target: Target, found: Routes, *, model_name: str) -> Answer:
    """How few links keep the output or are needed for it."""
    warning = [Sentence(untrained_caveat(model_name), "warning")] if is_untrained(model_name) else []
    return Answer((*warning, Sentence(_kept_in_words(target, found))))


def _kept_in_words(target: Target, found: Routes) -> str:
    size, output = found.size, escape_markdown(output_name(target))
    whole, none = (_number(float(found.kept[at]), target) for at in (-1, 0))
    if found.smallest is None:
        return (
            f"The {escape_markdown(target.unit)} is {whole}, which is not positive: no share of it can be kept, so the "
            f"view opens with {found.opening:,} of {size:,} links."
        )
    if found.smallest:
        alone = _number(float(found.kept[found.counts.index(found.smallest)]), target)
        return (
            f"**{found.smallest:,} of {size:,} links ({_share(found.smallest / size)}) are enough for "
            f"{percent(SHARE)} of {output}** in this text: {alone} with these alone, {whole} with all, {none} "
            "with none."
        )
    said = (
        f"No set of links can be called enough for {output}: without any of the {size:,} links it is {none} already, "
        f"in states that the model never meets in training; with all it is {whole}."
    )
    if found.needed is None:
        return said
    them = "it" if found.needed == 1 else "them"
    return (
        f"**{output[0].upper()}{output[1:]} needs {found.needed:,} of {size:,} links "
        f"({_share(found.needed / size)})** in this text: without {them}, less than half of its {whole} is left. {said}"
    )


def sinks(target: Target, found: Routes) -> Sentence | None:
    """What special tokens get of the attention, and of what the routes contribute; None without them."""
    special = np.flatnonzero(target.tokens.special)
    if not len(special):
        return None
    chosen = order_of_links(found.values)[: found.opening]
    sizes = np.abs(found.values.ravel()[chosen])
    keys = chosen % len(target.tokens)
    worth = float(sizes[np.isin(keys, special)].sum() / (sizes.sum() or 1))
    reaching = np.where(found.values, found.weights, 0)
    attention = float(reaching[..., special].sum() / reaching.sum())
    names = " and ".join(dict.fromkeys(escape_markdown(target.tokens.labels[at]) for at in special))
    return Sentence(
        f"{names} get {percent(attention)} of the attention that can reach {escape_markdown(output_name(target))}, and "
        f"{percent(worth)} of what these links contribute."
    )


def orders(target: Target, found: Routes, others: OtherOrders, room: Room = PAGE) -> Answer:
    """The same number of other links, what is left without the strongest, and the curves.

    Args:
        room: at a stop, no curves: the picture's slider says what they show.
    """
    at = found.counts.index(found.opening)
    low, high = others.random[:, at].min(), others.random[:, at].max()
    alone = (
        f"As many of the largest weights alone give {_number(float(others.weights[at]), target)}, random links "
        f"{_range(low, high, target)} ({DRAWS} draws). "
    )
    left = _number(float(others.cut[at]), target)
    these = "this link" if found.opening == 1 else f"these {found.opening:,} links"
    said = (
        f"{alone if found.smallest else ''}Without {these}, {left} is left; without as many "
        f"random ones, {_range(others.random_cut.min(), others.random_cut.max(), target)}."
    )
    chart = Chart(
        name="links",
        alt=f"The {shown_in_words(target)} by the number of links that are kept or cut, in four orders.",
        figure=lambda theme: link_curves(
            found.kept,
            found.counts,
            unit=target.unit,
            theme=theme,
            cut=others.cut,
            weights=others.weights,
            random=others.random,
            limits=target.limits,
            marked=found.opening,
        ),
    )
    curves = Table(
        name="routes-curves",
        title="The curves as a table",
        columns=lambda: (
            {
                "links": others.counts,
                "strongest_alone": found.kept,
                "without_strongest": others.cut,
                "largest_weights_alone": others.weights,
            }
            | {f"random_{draw}": curve for draw, curve in enumerate(others.random)}
        ),
    )
    parts: list[Part] = [Sentence(said), *([chart] if room is PAGE else [])]
    if target.against:
        label, against = (escape_markdown(_label(name)) for name in (target.label, target.against))
        parts.append(Sentence(f"The probability of “{label}” is compared with that of “{against}” only.", "caption"))
    return Answer((*parts, *([curves] if room is PAGE else [])))


def links(target: Target, found: Routes, exact: Agreement | None) -> Table:
    """The strongest links as a table, with how well estimates order exact cuts of single links."""
    chosen = order_of_links(found.values)[:MOST_LISTED]
    return Table(
        name="routes",
        title=f"The strongest {len(chosen)} links as a table",
        columns=lambda: _columns_of_links(target, found, np.unravel_index(chosen, found.values.shape)),
        note="" if exact is None else _exact_in_words(exact),
    )


def _columns_of_links(target: Target, found: Routes, links: Sequence[np.ndarray]) -> dict[str, Any]:
    """Columns of N links: `links` are their layers, heads, queries and keys, (N,) each."""
    layers, heads, queries, keys = links
    labels = [make_visible(label) for label in target.tokens.labels]
    return {
        "layer": layers,
        "head": heads,
        "query": [labels[at] for at in queries],
        "key": [labels[at] for at in keys],
        "query_position": queries,
        "key_position": keys,
        "weight": found.weights[*links],
        "contribution": found.values[*links],
        "unit": [target.additive_unit] * len(layers),
    }


def _exact_in_words(found: Agreement) -> str:
    return (
        f"Contributions are estimates that put sets of links in order. Of {len(found.links):,} links that were cut one "
        "at a time here, they order the exact effects with a rank correlation of "
        f"{written(found.contributions, '.2f')}; the gradient at the text, which is for single links, with "
        f"{written(found.estimates, '.2f')}."
    )


def every_cut(target: Target, found: Routes, exact: Agreement) -> Answer:
    """What the cut of each link by itself changes: the largest effect, and a table of the first."""
    first = np.argsort(-np.abs(exact.effects), kind="stable")[:MOST_LISTED]
    of_first = exact.links[first]
    layer, head, *ends = of_first[0].tolist()
    query, key = (escape_markdown(make_visible(target.tokens.labels[at])) for at in ends)
    said = (
        f"Of {len(exact.links):,} links, each cut by itself, “{query}” → “{key}” in layer {layer}, head {head}, "
        f"changes {escape_markdown(output_name(target))} most: by "
        f"**{written(float(exact.effects[first[0]]), '+.2f')}** {target.additive_unit}."
    )
    table = Table(
        name="routes-cuts",
        title=f"The {len(first)} largest effects as a table",
        columns=lambda: (
            _columns_of_links(target, found, tuple(exact.links[first].T)) | {"change": exact.effects[first]}
        ),
        on_page="open",
        note=_exact_in_words(exact),
    )
    return Answer((Sentence(said), table))


def wordings(found: OtherWordings) -> Answer:
    """How far the routes hold in other wordings."""
    low, high = np.quantile(found.shuffled, [0.025, 0.975])
    least, median, most = (written(float(np.quantile(found.correlations, at)), ".2f") for at in (0, 0.5, 1))
    return Answer(
        (
            Sentence(
                f"With “{PREFIXES[0]}” and {len(PREFIXES) - 1} other openings before the text, the sums of each head's "
                f"contributions have a rank correlation of **{median}** with those here in the median, {least} to "
                f"{most}. With heads shuffled, the median is between {written(float(low), '.2f')} and "
                f"{written(float(high), '.2f')} in 95 % of {SHUFFLES} draws."
            ),
        )
    )


def output_name(target: Target) -> str:
    """ "“positive”", "“verb”", or "the cosine"."""
    return f"“{_label(target.label)}”" if target.label else f"the {target.unit}"


def _label(label: str) -> str:
    return TAG_NAMES[label].split(" ", 1)[1] if label in TAG_NAMES else name_label(label)  # without "a"


def _number(value: float, target: Target) -> str:
    return percent(value) if target.unit == "probability" else written(value, ".3f")


def _range(low: float, high: float, target: Target) -> str:
    edges = _number(float(low), target), _number(float(high), target)
    return edges[0] if edges[0] == edges[1] else " to ".join(edges)


def _share(share: float) -> str:
    if share < 0.00005:
        return "less than 0.01 %"
    return percent(share, 0 if share >= 0.0095 else 1 if share >= 0.00095 else 2)
