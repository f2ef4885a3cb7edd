"""Links: the attention of some tokens to others, which a run can change."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Literal

from encoder.errors import SelectionError, did_you_mean
from encoder.text.occurrences import Positions, positions_of_word
from encoder.text.tokens import Tokens

Place = int | str | Sequence[int] | None
EVEN = "even"
MOST_NAMED = 3  # tokens in a note


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The attention weights of some queries to some keys, and their change.

    Attributes:
        query, key: a word, a token such as "[SEP]", the position of a token or of several, or None for all tokens.
        layer, head: of the attention; None for all.
        factor: the weights are multiplied by it: 0 cuts the link, 1 leaves it as it is. With "even", a query gives each
            of the keys that get any of its attention the same weight, without changing their sum.
        other_keys: whether all keys but these are meant, so that a query looks at these alone.
    """

    query: Place = None
    key: Place = None
    layer: int | None = None
    head: int | None = None
    factor: float | Literal["even"] = 0.0
    other_keys: bool = False

    def __post_init__(self) -> None:
        factor: object = self.factor
        if factor != EVEN:
            number = float(factor) if isinstance(factor, Real) else math.nan
            if not 0 <= number < math.inf:
                raise SelectionError(f'The factor of a link is {factor!r}: give a number from 0 up, or "even".')
            object.__setattr__(self, "factor", number)
        for name in ("layer", "head"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, Integral)):
                raise SelectionError(f"The {name} of a link is {value!r}: give its number, or None for all.")
            object.__setattr__(self, name, None if value is None else int(value))
        for name in ("query", "key"):
            place = getattr(self, name)
            if not isinstance(place, str | None):
                object.__setattr__(self, name, _whole(place, name))

    @property
    def queries(self) -> Positions:
        """The positions of the queries of a link that `located` returns."""
        return _located(self.query)

    @property
    def keys(self) -> Positions:
        """The positions of the keys of a link that `located` returns."""
        return _located(self.key)

    def located(self, tokens: Tokens) -> Link:
        """The same link by the positions of its tokens, all of them keys whose weights change.

        Raises:
            SelectionError: the text has no such token, or has the word more than once.
            InputError: the word was truncated.
        """
        keys = _positions(tokens, self.key, "key")
        if self.other_keys:
            keys = tuple(position for position in range(len(tokens)) if position not in keys)
        return replace(self, query=_positions(tokens, self.query, "query"), key=keys, other_keys=False)

    def note(self, tokens: Tokens) -> str:
        """A sentence about a located link."""
        changed = (
            f"was divided evenly among {_named(tokens, self.keys)}"
            if self.factor == EVEN
            else f"to {_named(tokens, self.keys)} was {f'multiplied by {self.factor:g}' if self.factor else 'cut'}"
        )
        where = [f"layer {self.layer}" if self.layer is not None else "all layers"]
        where += [f"head {self.head}"] if self.head is not None else []
        return f"The attention of {_named(tokens, self.queries)} {changed} in {', '.join(where)}."


def check_links(links: Iterable[Link], *, layers: int, heads: int) -> None:
    """Raise SelectionError if a link is in a layer or head that does not exist."""
    for link in links:
        for number, count, what in ((link.layer, layers, "layer"), (link.head, heads, "head")):
            if number is not None and not 0 <= number < count:
                raise SelectionError(f"A link in {what} {number} was to be changed; there are 0 to {count - 1}.")


def _whole(place: object, what: str) -> int | Positions:
    """A position, or several, as Python's integers. Raises SelectionError."""
    if isinstance(place, Integral):
        return int(place)
    found = tuple(place) if isinstance(place, Iterable) else (None,)
    if not all(isinstance(each, Integral) for each in found):
        raise SelectionError(f"The {what} of a link is {place!r}: give a word, or the positions of tokens.")
    return tuple(map(int, found))


def _located(place: Place) -> Positions:
    if not isinstance(place, tuple):
        raise SelectionError(f"The place {place!r} of a link is not yet located in a text.")
    return place


def _positions(tokens: Tokens, place: Place, what: str) -> Positions:
    if place is None:
        return tuple(range(len(tokens)))
    if isinstance(place, str):
        return _positions_of_name(tokens, place, what)
    positions = (place,) if isinstance(place, int) else tuple(dict.fromkeys(place))
    if not positions or not all(0 <= position < len(tokens) for position in positions):
        raise SelectionError(f"Token {place} is the {what} of a link; the text has tokens 0 to {len(tokens) - 1}.")
    return positions


def _positions_of_name(tokens: Tokens, name: str, what: str) -> Positions:
    """The tokens of a word, or all special tokens of a name. Raises SelectionError as `Link.located`."""
    words = [index for index, word in enumerate(tokens.words) if word == name]
    words = words or [index for index, word in enumerate(tokens.words) if word.casefold() == name.casefold()]
    if len(words) > 1:
        places = " or ".join(str(positions_of_word(tokens, word)) for word in words)
        raise SelectionError(f"{name!r} is {len(words)} words of the text: give the {what}'s tokens, {places}.")
    if words:
        return positions_of_word(tokens, words[0])
    special = tuple(at for at, label in enumerate(tokens.labels) if tokens.special[at] and label == name)
    if not special:
        known = {*tokens.words, *(tokens.labels[at] for at in range(len(tokens)) if tokens.special[at])}
        cut = " The end of the text was cut off." if any(tokens.truncated) else did_you_mean(name, known)
        raise SelectionError(f"The text has no word {name!r} to be the {what} of a link.{cut}")
    return special


def _named(tokens: Tokens, positions: Positions) -> str:
    """Tokens in words: their labels, in order; a few, "all tokens", or their number."""
    if len(positions) == len(tokens):
        return "all tokens"
    if len(positions) > MOST_NAMED:
        return f"{len(positions)} tokens"
    return " and ".join(f"“{tokens.labels[at]}” ({at})" for at in positions) or "no token"
