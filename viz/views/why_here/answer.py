"""Why here? One attention score, split by origin, and the effect of its largest term in the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from encoder.attribution.score_removals import RemovalTest
from encoder.attribution.score_terms import SIDES, Cell, Origin, ScoreTerms, Side, SideName
from encoder.measures.inference import p_of_shuffles
from encoder.measures.unit_attention import strongest_cell
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Chart, Columns, Part, Row, Sentence, Table
from viz.answers.verdicts import untrained_caveat
from viz.figures.score_terms import term_bars, weights_without
from viz.state.selection import Pins, Selection, texts_in
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, head_in_words, make_visible
from viz.wording.numbers import p_in_words, percent, written

EXPLANATION: Final = Explanation(
    "Each bar is what one earlier part of the model adds to this attention score. On the left the query is split and "
    "the key stays whole, on the right the other way round; each side sums to the score. A head or a feed-forward "
    "block counts with what it wrote at this token. A bar that raises the scores of all keys alike changes no weight. "
    "Click a head's bar to choose that head. In the test, the part is removed at this one token, where it was written, "
    "and everything after it is run again; a feed-forward block keeps its bias. For comparison, other parts of the "
    "same token are removed, of half to twice the length (or, where there is none, the nearest in length).",
    "A large weight does not explain what the model says.",
)
OF_ONE_HEAD: Final = "A score belongs to one head, but the mean over heads is selected: choose a head."
PROOF: Final = Sentence("Without the largest part", "heading")
SHOWN: Final = 12  # terms with a bar of their own on each side


def cell_of(trace: Trace, selection: Selection, shown: Sequence[int], place: str) -> Cell:
    """The cell of the pinned tokens among those shown. An unpinned token is the one with the largest weight.

    Args:
        place: of the run: "pair", "A" or "B".
    """
    pins = selection.place.pins if selection.place.pins.run in texts_in(place) else Pins()
    words = [position for position in shown if not trace.tokens.special[position]] or shown
    queries = [position for position in shown if position == pins.query]
    keys = [position for position in shown if position == pins.key]
    weights = trace.weights(selection.layer)[selection.head]  # (T, T)
    return Cell(selection.layer, selection.head, *strongest_cell(weights, queries or words, keys or words))


def score(trace: Trace, terms: ScoreTerms, selection: Selection) -> Answer:
    """The score, and the largest terms of both sides next to each other on one scale, with their sums."""
    cell = terms.cell
    query, key = (escape_markdown(token_name(trace, position)) for position in (cell.query, cell.key))
    parts: list[Part | Row] = [
        Sentence(
            f"{query} gives {percent(terms.weight, 1)} of its attention to {key}: a score of "
            f"{written(terms.score, '+.2f')} in {head_in_words(cell.layer, cell.head)}",
            "heading",
        )
    ]
    if selection.level == "words":
        parts.append(
            Sentence("Scores belong to wordpieces, so this view shows wordpieces although words are chosen.", "caption")
        )
    if selection.special != "show":
        parts.append(Sentence("Special tokens are hidden, but the score and the weight count all tokens.", "caption"))
    values = [value for side in SIDES for _, value, _ in _bars(terms.side(side))]
    limits = (min(values), max(values))
    columns = tuple(_side(terms, side, token, limits) for side, token in zip(SIDES, (query, key), strict=True))
    return Answer((*parts, Row(columns)))


def proof(trace: Trace, terms: ScoreTerms, tests: Sequence[RemovalTest]) -> Answer:
    """The largest term of each side removed from the run, compared with random terms of similar norm.

    Args:
        tests: of both sides.
    """
    names = [f"{test.side}: without {_origin_name(_removed_origin(terms, test))}" for test in tests]
    chart = Chart(
        name="score-proof",
        alt="The attention weight as it is, without the largest part, and without other parts of similar length.",
        figure=lambda theme: weights_without(
            names,
            [test.largest.weight for test in tests],
            [[control.weight for control in test.controls] for test in tests],
            weight=terms.weight,
            theme=theme,
        ),
    )
    caveat = untrained_caveat(trace.model_name)
    said = [Sentence(f"{escape_markdown(verdict(trace, terms, test))} {caveat}".rstrip()) for test in tests]
    return Answer((chart, *said))


def all_terms(terms: ScoreTerms) -> Table:
    """A row for each term of both sides, the largest first."""
    cell = terms.cell
    return Table(
        name=f"score-L{cell.layer}-H{cell.head}-{cell.query}-{cell.key}",
        title=f"All {len(terms.query.origins)} parts of each side as a table",
        columns=lambda: _columns(terms),
    )


def largest_origins(side: Side) -> list[Origin]:
    """Origins of the terms of a side, the largest first."""
    return [side.origins[index] for index in side.largest_first]


def token_name(trace: Trace, position: int) -> str:
    """A token with its position, because tokens repeat."""
    return f"“{make_visible(trace.tokens.labels[position])}” ({position})"


def verdict(trace: Trace, terms: ScoreTerms, test: RemovalTest) -> str:
    """The effect of one removal, compared with the controls, in words."""
    largest, token = test.largest, token_name(trace, terms.cell.position(test.side))
    moves = "falls" if largest.score < terms.score else "rises"
    text = (
        f"Without {_origin_in_words(_removed_origin(terms, test))} at the {test.side} {token}, the weight goes from "
        f"{percent(terms.weight, 1)} to {percent(largest.weight, 1)}. The score {moves} to "
        f"{written(largest.score, '+.2f')} (its bar alone: {written(largest.expected, '+.2f')})."
    )
    weights = [control.weight for control in test.controls]
    if not weights:
        return f"{text} There is no other part to compare with."
    change = abs(largest.weight - terms.weight)
    as_much = sum(abs(weight - terms.weight) >= change for weight in weights)
    if len(weights) == 1:
        more = "as much" if as_much else "less"
        return f"{text} Another part of similar length matters {more} ({percent(weights[0], 1)} left)."
    others = f"{as_much} of {len(weights)}" if as_much else f"None of {len(weights)}"
    verb, p = "matters" if as_much < 2 else "matter", float(p_of_shuffles(as_much, len(weights)))
    return (
        f"{text} {others} other parts of similar length {verb} as much ({p_in_words(p)}; without one, "
        f"{percent(min(weights), 1)} to {percent(max(weights), 1)} is left)."
    )


def _side(terms: ScoreTerms, side: SideName, token: str, limits: tuple[float, float]) -> tuple[Part, ...]:
    """The bars of one side, in which a click opens a head, and their sum; the limits are those of both sides."""
    of_side, other = terms.side(side), SIDES[1 - SIDES.index(side)]
    names, values, hover = zip(*_bars(of_side), strict=True)
    chart = Chart(
        name=f"score-terms-{side}",
        title=f"{side.capitalize()} {token} in parts, {other} whole",
        alt=f"A bar for each of the {len(names)} largest parts of the {side}; the table has the numbers.",
        figure=lambda theme: term_bars(names, values, hover, limits=limits, theme=theme),
        heads=tuple(
            (origin.layer, origin.head) if origin.layer is not None and origin.head is not None else None
            for origin in largest_origins(of_side)[:SHOWN]
        ),
    )
    return chart, Sentence(f"Sum: **{written(of_side.values.sum(), '+.2f')}**")


def _bars(side: Side) -> list[tuple[str, float, str]]:
    """Name, value and hover of the largest terms; the last entry sums the others."""
    order = side.largest_first
    bars = [
        (_origin_name(side.origins[index]), float(side.values[index]), f"a vector of length {side.norms[index]:.2f}")
        for index in order[:SHOWN]
    ]
    rest = list(order[SHOWN:])
    if rest:
        bars.append((f"{len(rest)} others", float(side.values[rest].sum()), "their sum; the table lists them"))
    return bars


def _origin_name(origin: Origin) -> str:
    """The name of a component that wrote into a state, such as "L3 H7"."""
    if origin.kind == "head":
        return f"L{origin.layer} H{origin.head}"
    if origin.kind == "projection bias":
        return "bias of the projection"
    if origin.layer is not None:
        return f"L{origin.layer} {origin.kind}"
    return "embedding biases" if origin.kind == "biases" else f"{origin.kind} embedding"


def _removed_origin(terms: ScoreTerms, test: RemovalTest) -> Origin:
    return terms.side(test.side).origins[test.largest.index]


def _origin_in_words(origin: Origin) -> str:
    """The component in a sentence: "layer 3, head 7", "the feed-forward block of layer 3"."""
    if origin.layer is None:
        return f"the {_origin_name(origin)}"
    if origin.head is not None:
        return head_in_words(origin.layer, origin.head)
    part = "feed-forward block" if origin.kind == "feed-forward" else origin.kind
    return f"the {part} of layer {origin.layer}"


def _columns(terms: ScoreTerms) -> Columns:
    rows = [(side, terms.side(side), index) for side in SIDES for index in terms.side(side).largest_first]
    origins = [of_side.origins[index] for _, of_side, index in rows]
    return {
        "side": [side for side, _, _ in rows],
        "term": [_origin_name(origin) for origin in origins],
        "layer": [origin.layer for origin in origins],
        "head": [origin.head for origin in origins],
        "adds to the score": [float(of_side.values[index]) for _, of_side, index in rows],
        "length of its vector": [float(of_side.norms[index]) for _, of_side, index in rows],
    }
